/* factors.h: M = (I + L) D (I + U), L and U strict triangles: what ilu and ic come to. */
#ifndef GS_PRECOND_INCOMPLETE_FACTORS_H
#define GS_PRECOND_INCOMPLETE_FACTORS_H

#include "precond/incomplete/triangular_solve.h"

typedef struct gs_factors {
    gs_triangle lower, upper;
    gs_triangle lower_transposed, upper_transposed; /* with U' and L'; made when first asked for */
    void *d; /* n reciprocals of D, in the type of the rest */
} gs_factors;

/* Takes the computed L, U and reciprocals of D; into the structures made before if there are any.
 * Fails only if there are none yet. */
gsolve_status gs_factors_store(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                               const gs_strict_triangle *L, const gs_strict_triangle *U,
                               const double *d);

/* The schedule by which row i of L may be computed when all rows of its columns are: made from the
 * pattern of L where f has none yet. */
gsolve_status gs_factors_plan(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                              const gs_strict_triangle *L);
/* Bytes that an application to one column moves. */
size_t gs_factors_bytes(const gs_factors *f);
void gs_factors_destroy(gs_factors *f, gsolve_context *ctx);

/* z = M^-1 r, or M^-T r. */
gsolve_status gs_factors_apply(gs_factors *f, gsolve_context *ctx, bool transposed, gsolve_dense r,
                               gsolve_dense z);

#endif
