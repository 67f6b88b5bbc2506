/* factors.h: factors of the coarsest level's matrix, on the host. */
#ifndef GS_PRECOND_AMG_COARSEST_FACTORS_H
#define GS_PRECOND_AMG_COARSEST_FACTORS_H

#include <cs.h>

#include "precond/amg/level_view.h"

typedef struct gs_coarsest_factors {
    bool cholesky;
    int32_t n, nulls;
    cs_dis *symbolic;
    cs_din *numeric;
    double *null;  /* n x nulls, orthonormal: the null space of A */
    double *b, *x; /* n numbers each */
    double shift;  /* of the diagonal, relative to the norm of A */
} gs_coarsest_factors;

/* *F = the factors of level's matrix, which is copied to the host. level->near_null: candidates for
 * its null space. */
gsolve_status gs_coarsest_factors_create(gs_coarsest_factors **F, gsolve_context *ctx,
                                         const gs_level_view *level);
void gs_coarsest_factors_destroy(gs_coarsest_factors *F, gsolve_context *ctx); /* NULL: nothing */

/* F->x = A^-1 F->b, or A^-T F->b if transposed. F->b is overwritten. */
void gs_coarsest_factors_solve(gs_coarsest_factors *F, bool transposed);

#endif
