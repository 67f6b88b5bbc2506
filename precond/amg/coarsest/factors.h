/* factors.h: the coarsest level's matrix, factored on the host. */
#ifndef GS_PRECOND_AMG_COARSEST_FACTORS_H
#define GS_PRECOND_AMG_COARSEST_FACTORS_H

#include <cs.h>

#include "precond/amg/level_view.h"

typedef struct gs_coarsest_factors {
    bool cholesky;
    int32_t n, nulls;
    cs_dis *symbolic;
    cs_din *numeric;
    double *null;  /* n x nulls, orthonormal: what A maps to 0 */
    double *b, *x; /* n numbers each */
    double shift;  /* of the diagonal, over its norm */
} gs_coarsest_factors;

/* *F = the factors of level's matrix, which is fetched; near_null tells what it may map to 0. */
gsolve_status gs_coarsest_factors_create(gs_coarsest_factors **F, gsolve_context *ctx,
                                         const gs_level_view *level);
void gs_coarsest_factors_destroy(gs_coarsest_factors *F, gsolve_context *ctx); /* NULL: nothing */

/* F->x = A^-1 F->b, or A^-T F->b; b is changed. */
void gs_coarsest_factors_solve(gs_coarsest_factors *F, bool transposed);

#endif
