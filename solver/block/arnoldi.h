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
    int apart;      /* vectors from one block of it to the next */
    int count, b;
} gs_arnoldi_basis;

/* The small matrices of one block of columns after so many steps of a cycle. Those of GS_BLOCK x
 * GS_BLOCK are G and t; all others have columns that are ld apart. Row and column (j, c) of H is
 * j b + c; a column of H holds R down to the diagonal once it has been rotated. */
typedef struct gs_arnoldi_small {
    int b, steps;
    int64_t ld;
    double *H;     /* its first column */
    double *Q;     /* 2 b x 2 b for each step: what makes R of H */
    double *g;     /* b right-hand sides */
    double *again; /* of a second pass, b columns; y */
    double *G, *t;
    int *once;    /* whether one pass is enough */
    int *length;  /* steps of this cycle that x has not got yet */
    int *nothing; /* for each column: whether x gets nothing */
    double *rr;   /* |r|^2 of each column */
    const int *ended;
    double noise; /* of a vector so much shorter than before nothing is left but rounding */
} gs_arnoldi_small;

/* The column of H that this step begins with, or that of g, and its rows above those of the new
 * block. */
static inline double *gs_arnoldi_at_work(const gs_arnoldi_small *a)
{
    return a->steps > 0 ? a->H + (int64_t)(a->steps - 1) * a->b * a->ld : a->g;
}

typedef struct gs_arnoldi_kernels {
    /* bytes that project and less need, for bases of so many vectors; begins as 0 */
    size_t (*space)(int64_t n, int vectors, int b);
    /* C = V'W */
    gsolve_status (*project)(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W,
                             double *C, int64_t ld, void *space);
    /* W -= V C, G = W'W */
    gsolve_status (*less)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                          gs_block_columns W, double *G, void *space);
    /* Y = V C; Y may be V where that is one block */
    gsolve_status (*times)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C, int64_t ld,
                           gs_block_columns Y);
    /* From G = W'W: t, with which W t is orthonormal, and with W = (W t) S the rows S of H below
     * those of the pass, or the first of g where steps is 0: there columns that have ended count as
     * 0, and a cycle begins: length = 0, nothing = 1. Sets once. The pass that is the last, this or
     * the second, makes R of H in this step's columns, g and rr; length = steps. */
    gsolve_status (*first)(gs_queue *q, const gs_arnoldi_small *a);
    /* The same for (W t), whose coefficients were again: corrects H, or g, and t. */
    gsolve_status (*second)(gs_queue *q, const gs_arnoldi_small *a);
    /* again = y with R y = g, of length steps; nothing = there are none. */
    gsolve_status (*solve)(gs_queue *q, const gs_arnoldi_small *a);
    /* x has got it: length = 0, nothing = 1. */
    gsolve_status (*close)(gs_queue *q, const gs_arnoldi_small *a);
} gs_arnoldi_kernels;

#define GS_WELL 0.01 /* a square that is left, or a pivot, with which one pass is enough */

extern const gs_arnoldi_kernels gs_arnoldi_host[GSOLVE_TYPE_COUNT];
extern const gs_arnoldi_kernels gs_arnoldi_cuda[GSOLVE_TYPE_COUNT];

#endif
