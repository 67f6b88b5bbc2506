/* factors.h: the coarsest level's matrix, factored on the host. */
#ifndef GS_PRECOND_AMG_COARSEST_FACTORS_H
#define GS_PRECOND_AMG_COARSEST_FACTORS_H

#include <cs.h>

#include "precond/amg/amg.h"
#include "precond/amg/coarsest/coarsest.h"

struct gs_factors_of {
    bool cholesky;
    int32_t n, nulls;
    cs_dis *symbolic;
    cs_din *numeric;
    double *null;  /* n x nulls, orthonormal: what A maps to 0 */
    double *b, *x; /* n numbers each */
    double shift;  /* of the diagonal, over its norm */
};

/* *F = the factors of level's matrix, which is fetched; near_null tells what it may map to 0. */
gsolve_status gs_factors_make(gs_factors_of **F, gsolve_context *ctx, const gs_fine *level);
void gs_factors_drop(gs_factors_of *F, gsolve_context *ctx); /* NULL: nothing */

/* F->x = A^-1 F->b, or A^-T F->b; b is changed. */
void gs_factors_solve(gs_factors_of *F, bool transposed);

#endif
