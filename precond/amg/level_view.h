/* level_view.h: what coarsening and smoothers see of one level. All arrays lie where ctx's kernels
 * work (gs_location), on every level. */
#ifndef GS_PRECOND_AMG_LEVEL_VIEW_H
#define GS_PRECOND_AMG_LEVEL_VIEW_H

#include "matrix/csr.h"

/* The double precision vectors of a cycle in single precision: z = M^-1 r, and *rz = r'z unless rz
 * is NULL. */
typedef struct gs_f64_vectors {
    const double *r;
    double *z, *rz;
} gs_f64_vectors;

typedef struct gs_level_view {
    const gsolve_csr *A;         /* n x n, rows sorted */
    const gsolve_matrix *matrix; /* A in the format of its products */
    int32_t block;               /* unknowns per node: unknown i belongs to node i / block */
    gsolve_dense near_null;      /* n x k, k >= 1, of A's type: what smoothing hardly changes */
    int level;                   /* 0: the finest */
    int32_t null_space;          /* dimension of A's null space; 0: not known */
    int32_t longest;             /* entries of A's longest row; 0: not known */
    bool nonsymmetric;           /* A is not symmetric */
    bool transposed;             /* products and sweeps are with A' */
    /* The matrix is distributed over ranks: A has this rank's rows from `first` on, `rows` of them,
     * and those of ghosts (distributed/node_rows.h). Vectors have the rank's own rows. */
    bool over_ranks;
    int32_t first, rows;
    /* For a sweep of a smoother that fuses_f64, else NULL. f64_in: the sweep starts from zero,
     * reads f64_in->r and rounds it to b. f64_out: the sweep writes x to f64_out->z only. */
    const gs_f64_vectors *f64_in, *f64_out;
} gs_level_view;

/* The number of rows of vectors. */
static inline int32_t gs_level_rows(const gs_level_view *level)
{
    return level->over_ranks ? level->rows : level->A->nrows;
}

/* y = alpha A x + beta y, or with A' if level->transposed. */
gsolve_status gs_level_multiply(const gs_level_view *level, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y);
/* r = b - A x, or with A'. */
gsolve_status gs_level_residual(const gs_level_view *level, gsolve_context *ctx, gsolve_dense b,
                                gsolve_dense x, gsolve_dense r);

#endif
