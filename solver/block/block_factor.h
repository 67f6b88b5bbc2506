/* block_factor.h: what the kernels on the host share: the pivoted Cholesky factorisation of a Gram
 * matrix, which reveals linearly dependent vectors (block.cuh has the GPU's version), other small
 * matrices, and a loop over rows. */
#ifndef GS_SOLVER_BLOCK_BLOCK_FACTOR_H
#define GS_SOLVER_BLOCK_BLOCK_FACTOR_H

#include "solver/block/block.h"
#include "vector/blocks.h"

/* The factors of a Gram matrix G = W'W: D G D = L L' in the rows and columns order[0..rank), with
 * d_i = G_ii^-1/2. The other vectors depend on these, up to rounding. L's columns are in the order
 * of the pivots. t = D L'^-1, so that W t is orthonormal in its first rank columns and 0 in the
 * others, and W = W t zeta' with zeta = L D^-1. */
typedef struct gs_block_factor {
    int rank, order[GS_BLOCK];
    double least; /* the smallest pivot; 1 if there is none */
    double d[GS_BLOCK], L[GS_BLOCK][GS_BLOCK], rest[GS_BLOCK][GS_BLOCK], t[GS_BLOCK][GS_BLOCK];
} gs_block_factor;

/* G is b x b, its columns GS_BLOCK apart. Vectors whose squared norm is at most floor[i] count as
 * 0; NULL: 0. */
void gs_block_factorise(gs_block_factor *f, int b, const double *G, const double *floor);

static inline double gs_block_zeta(const gs_block_factor *f, int i, int m)
{
    return f->d[i] > 0 ? f->L[i][m] / f->d[i] : 0;
}

/* For block_cg, see there for the symbols: the first `keep` of b columns stay. All matrices are
 * column-major, their columns GS_BLOCK apart. Given G = S'A S and the first keep columns of sigma,
 * computes U and T, b x b, and new values of those columns of sigma, so that R = (w U) sigma with
 * the first keep rows of sigma. The last columns of S T are D with D'A D = I. Its first keep
 * columns are those of S U, made conjugate to D. */
void gs_block_narrow(int b, int keep, const double *G, double *sigma, double *U, double *T);

/* For kernels on the host with the queue q: runs the statements for every piece k of n rows,
 * [from, to). */
#define GS_EACH_PIECE(n, ...)                                                                     \
    const gs_blocks blocks = gs_blocks_of(n);                                                     \
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;                \
    _Pragma("omp parallel for schedule(static) num_threads(threads)") for (int k = 0;             \
                                                                           k < blocks.count; k++) \
    {                                                                                             \
        const int64_t from = gs_block_begin(&blocks, k), to = gs_block_end(&blocks, k);           \
        __VA_ARGS__;                                                                              \
    }

#endif
