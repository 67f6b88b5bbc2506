/* coarsest.h: the exact solve on the coarsest level. */
#ifndef GS_PRECOND_AMG_COARSEST_COARSEST_H
#define GS_PRECOND_AMG_COARSEST_COARSEST_H

#include "precond/amg/level_view.h"
#include "precond/amg/options.h"

typedef struct gs_coarsest {
    int32_t n;
    gsolve_type type;
    /* by a factor, where the host computes */
    struct gs_coarsest_factors *factors;
    /* by the inverse, on a device with memory of its own: n x n by rows */
    void *inverse, *transposed; /* the latter NULL where they are the same */
    int64_t *count;             /* of its applications, on the device */
    char note[60];              /* "singular: 1 null vector", or "" */
} gs_coarsest;

/* Rows that are worth being solved so on ctx's device, where they have so many entries (0: few). */
int32_t gs_coarsest_max_rows(const gsolve_context *ctx, const gs_amg_options *options,
                             bool symmetric, int64_t entries);

/* *c made anew for level, whose near_null tells what a singular matrix may map to 0. On failure *c
 * is as it was; all zero: there was none. */
gsolve_status gs_coarsest_build(gs_coarsest *c, gsolve_context *ctx, const gs_level_view *level);
void gs_coarsest_drop(gs_coarsest *c, gsolve_context *ctx);

/* x = A^-1 b (A^-T b), in the least-squares sense where A is singular, of one column or several by
 * rows, side by side; allocates and waits for nothing. */
gsolve_status gs_coarsest_solve(const gs_coarsest *c, gsolve_context *ctx, bool transposed,
                                gsolve_dense b, gsolve_dense x);
size_t gs_coarsest_bytes(const gs_coarsest *c); /* that it moves */

#endif
