/* coarsest.h: the exact solve on the coarsest level. */
#ifndef GS_PRECOND_AMG_COARSEST_COARSEST_H
#define GS_PRECOND_AMG_COARSEST_COARSEST_H

#include "precond/amg/level_view.h"
#include "precond/amg/options.h"

typedef struct gs_coarsest {
    int32_t n;
    gsolve_type type;
    /* sparse factors, if the host computes */
    struct gs_direct_factors *factors;
    /* dense inverse on a GPU: n x n, row-major */
    void *inverse, *transposed; /* transposed is NULL if A is symmetric */
    int64_t *count;             /* number of applied columns, on the device */
    char note[60];              /* "coarsest level singular: 1 null vector", or "" */
} gs_coarsest;

/* The largest number of rows for which an exact solve pays off on ctx's device. entries: of that
 * level; 0: few. */
int32_t gs_coarsest_max_rows(const gsolve_context *ctx, const gs_amg_options *options,
                             bool symmetric, int64_t entries);

/* Rebuilds *c for this level. level->near_null holds the candidates for the null space of a
 * singular matrix. On failure *c is unchanged. A *c of zeros is an empty one. */
gsolve_status gs_coarsest_build(gs_coarsest *c, gsolve_context *ctx, const gs_level_view *level);
void gs_coarsest_destroy(gs_coarsest *c, gsolve_context *ctx);

/* x = A^-1 b, or A^-T b if transposed, or the least-squares solution if A is singular: one column,
 * or several in row-major order. It neither allocates nor synchronises. */
gsolve_status gs_coarsest_solve(const gs_coarsest *c, gsolve_context *ctx, bool transposed,
                                gsolve_dense b, gsolve_dense x);
size_t gs_coarsest_bytes(const gs_coarsest *c); /* that it moves */

#endif
