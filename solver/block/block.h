/* block.h: kernels of block_cg, on blocks of b <= GS_BLOCK columns of n rows. Small matrices are
 * column-major arrays of double on the device, their columns GS_BLOCK apart. d: the diagonal of
 * M^-1, of n numbers, if M is a diagonal, else NULL. See block_cg.c for the symbols. */
#ifndef GS_SOLVER_BLOCK_BLOCK_H
#define GS_SOLVER_BLOCK_BLOCK_H

#include "vector/vector.h"

#define GS_BLOCK 16

/* The number of columns of each block but the last, if no block may have more than `most`: the
 * blocks get about the same number. */
static inline int gs_block_width(int32_t columns, int most)
{
    const int blocks = (columns + most - 1) / most;

    return (columns + blocks - 1) / blocks;
}

typedef struct gs_block_columns { /* stride: elements between columns */
    void *v;
    int64_t stride;
} gs_block_columns;

typedef struct gs_block_places { /* column j begins at element at[j] */
    void *v;
    int64_t at[GS_BLOCK];
} gs_block_places;

/* The small matrices of one block; the arrays begin at its first column. */
typedef struct gs_block_small {
    double *G, *WW, *xi, *alpha, *t, *zeta, *sigma;
    double *rr;                      /* |r|^2 of each column */
    gs_convergence_test convergence; /* of the first column */
    int b, all;                      /* columns; with those behind that have left, see block_cg.c */
} gs_block_small;

/* Two small matrices that a block is multiplied by: t is b x b, zeta all x b or NULL. */
typedef struct gs_block_factors {
    const double *t, *zeta;
    int b, all;
} gs_block_factors;

typedef struct gs_block_kernels {
    size_t space_size; /* bytes of space, on the device, that gram and squares need; begins as 0 */
    /* G = U'V, b x b */
    gsolve_status (*gram)(gs_queue *q, int64_t n, int b, gs_block_columns U, gs_block_columns V,
                          double *G, void *space);
    /* a->G = W'Z, all x b, and a->WW = W'W. If Z has no values Z = d W, or Z = W if d is NULL. */
    gsolve_status (*squares)(gs_queue *q, int64_t n, const gs_block_small *a, gs_block_columns W,
                             gs_block_columns Z, const void *d, void *space);
    /* X += S a->alpha in the columns that have not ended, W -= Q a->xi in all */
    gsolve_status (*step)(gs_queue *q, int64_t n, const gs_block_small *a, gs_block_columns S,
                          gs_block_columns Q, gs_block_places X, gs_block_columns W,
                          const int *ended);
    /* S = Z t + S zeta, or Z t without zeta, and W = W t, in b columns. Z and d as in squares; S
     * may be W, or Z. */
    gsolve_status (*combine)(gs_queue *q, int64_t n, const gs_block_factors *f, gs_block_columns Z,
                             const void *d, gs_block_columns S, gs_block_columns W);
    /* xi = G^-1, alpha = xi sigma */
    gsolve_status (*solve)(gs_queue *q, const gs_block_small *a);
    /* G = zeta'zeta and t, with which W t = w; then |r_c|^2 = sigma_c'WW sigma_c, the convergence
     * test of each column, and sigma = zeta sigma. At the start there is no test, and sigma = zeta.
     * zeta is stored transposed, with -E t below it, where E is G below its first b rows. */
    gsolve_status (*orthogonal)(gs_queue *q, const gs_block_small *a, bool start);
} gs_block_kernels;

#define GS_DEPENDENT 1e-13 /* the square of the sine between a vector and those before it */

extern const gs_block_kernels gs_block_host[GSOLVE_TYPE_COUNT];
extern const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT];

#endif
