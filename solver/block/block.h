/* block.h: kernels of block_cg, on blocks of b <= GS_BLOCK columns of n rows.
 * Small matrices are of doubles, on the device, by columns that are GS_BLOCK apart. d: what M^-1
 * multiplies by if it is a diagonal, of n numbers, else NULL; see block_cg.c for the symbols. */
#ifndef GS_SOLVER_BLOCK_BLOCK_H
#define GS_SOLVER_BLOCK_BLOCK_H

#include "vector/vector.h"

#define GS_BLOCK 16

/* Columns of each block but the last, where no block may have more than most: about as many in all
 * of them. */
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

/* Of one block; the arrays begin at its first column. */
typedef struct gs_block_small {
    double *G, *WW, *xi, *alpha, *t, *zeta, *sigma;
    double *rr;                      /* |r|^2 of each column */
    gs_convergence_test convergence; /* of the first */
    int b, all;                      /* columns; with those behind that have left, see block_cg.c */
} gs_block_small;

typedef struct gs_block_kernels {
    size_t space_size; /* bytes of space, on the device, that gram needs; it begins as 0 */
    /* G = U'V, b x b */
    gsolve_status (*gram)(gs_queue *q, int64_t n, int b, gs_block_columns U, gs_block_columns V,
                          double *G, void *space);
    /* G = W'Z, all x b, with d W for Z if Z has no values (d NULL: W), and WW = W'W */
    gsolve_status (*squares)(gs_queue *q, int64_t n, int b, int all, gs_block_columns W,
                             gs_block_columns Z, const void *d, double *G, double *WW, void *space);
    /* X += S alpha in the columns that have not ended, W -= Q xi in all */
    gsolve_status (*step)(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                          const double *alpha, const double *xi, gs_block_places X,
                          gs_block_columns W, const int *ended);
    /* S = Z t + S zeta, without zeta Z t, and W = W t, in b columns; zeta is all x b, t b x b; Z as
     * in squares; S may be W, or Z */
    gsolve_status (*adapt)(gs_queue *q, int64_t n, int b, int all, gs_block_columns Z,
                           const void *d, const double *t, const double *zeta, gs_block_columns S,
                           gs_block_columns W);
    /* xi = G^-1, alpha = xi sigma */
    gsolve_status (*solve)(gs_queue *q, const gs_block_small *a);
    /* G = zeta'zeta and t, with which W t = w; then |r_c|^2 = sigma_c'WW sigma_c, which is judged,
     * and sigma = zeta sigma. At the start nothing is judged, and sigma = zeta. zeta is stored
     * transposed, with -E t below it, E being G below its first b rows. */
    gsolve_status (*orthogonal)(gs_queue *q, const gs_block_small *a, bool start);
} gs_block_kernels;

#define GS_DEPENDENT 1e-13 /* the square of the sine between a vector and those before it */

extern const gs_block_kernels gs_block_host[GSOLVE_TYPE_COUNT];
extern const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT];

#endif
