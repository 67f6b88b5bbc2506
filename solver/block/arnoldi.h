/* arnoldi.h: kernels of block_gmres, beside those of block.h: a basis of blocks of b <= GS_BLOCK
 * vectors of n rows, and the small least-squares problem, on the device. See block_gmres.c for the
 * symbols. */
#ifndef GS_SOLVER_BLOCK_ARNOLDI_H
#define GS_SOLVER_BLOCK_ARNOLDI_H

#include "solver/block/block.h"

/* The first count blocks of a basis: vector (j, c) begins at (j apart + c) stride. */
typedef struct gs_arnoldi_basis {
    const void *v;
    int64_t stride; /* elements between the vectors of a block */
    int apart;      /* vectors from one block to the next */
    int count, b;
} gs_arnoldi_basis;

/* The small matrices of one block of columns after `steps` steps of a cycle. All are column-major.
 * Columns of G and t are GS_BLOCK apart, those of the others ld. Row and column (j, c) of H is j b
 * + c. After the reflections a column of H holds R down to the diagonal. */
typedef struct gs_arnoldi_small {
    int b, steps;
    int64_t ld;
    double *H;     /* its first column */
    double *Q;     /* 2 b x 2 b for each step: the product of its reflections */
    double *g;     /* b right-hand sides */
    double *again; /* b columns: coefficients of a second pass; y */
    double *G, *t;
    int *once;      /* whether one pass is enough */
    int *length;    /* steps of this cycle that are not yet added to x */
    int *no_update; /* for each column: whether x gets no correction */
    double *rr;     /* |r|^2 of each column */
    const int *ended;
    double noise; /* a vector that a pass shortens by this factor is only rounding errors */
} gs_arnoldi_small;

/* The columns of H that this step computes, or those of g at the start of a cycle. */
static inline double *gs_arnoldi_current(const gs_arnoldi_small *a)
{
    return a->steps > 0 ? a->H + (int64_t)(a->steps - 1) * a->b * a->ld : a->g;
}

typedef struct gs_arnoldi_kernels {
    /* bytes of zeroed space that project and subtract need, for bases of `vectors` vectors */
    size_t (*space)(int64_t n, int vectors, int b);
    /* C = V'W */
    gsolve_status (*project)(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W,
                             double *C, int64_t ld, void *space);
    /* W -= V C, G = W'W */
    gsolve_status (*subtract)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C,
                              int64_t ld, gs_block_columns W, double *G, void *space);
    /* Y = V C; Y may be V where that is one block */
    gsolve_status (*times)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                           gs_block_columns Y);
    /* After the first pass. From G = W'W: t, with which W t is orthonormal, and S with W = (W t) S.
     * S goes to the rows of H below those of the pass; at the start of a cycle (steps is 0) to the
     * first rows of g, where columns that have ended count as 0. Then also length = 0 and no_update
     * = 1. Sets once. The last pass, this or the second, applies the reflections to the columns of
     * H and to g, and sets rr, and length = steps. */
    gsolve_status (*first)(gs_queue *q, const gs_arnoldi_small *a);
    /* After the second pass, over W t, with coefficients `again`: corrects H, or g, and t. */
    gsolve_status (*second)(gs_queue *q, const gs_arnoldi_small *a);
    /* again = y with R y = g, of length steps; no_update = whether there are none. */
    gsolve_status (*solve)(gs_queue *q, const gs_arnoldi_small *a);
    /* y is added to x: length = 0, no_update = 1. */
    gsolve_status (*close)(gs_queue *q, const gs_arnoldi_small *a);
} gs_arnoldi_kernels;

#define GS_ONE_PASS_ENOUGH \
    0.01 /* one pass is enough if all pivots, and all ratios of squared norms, exceed it */

extern const gs_arnoldi_kernels gs_arnoldi_host[GSOLVE_TYPE_COUNT];
extern const gs_arnoldi_kernels gs_arnoldi_cuda[GSOLVE_TYPE_COUNT];

#endif
