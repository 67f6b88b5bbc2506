/* factors.h: M = (I + L) D (I + U), with strict triangles L and U: the factors of ilu and ic,
 * stored for solves. */
#ifndef GS_PRECOND_INCOMPLETE_FACTORS_H
#define GS_PRECOND_INCOMPLETE_FACTORS_H

#include "precond/incomplete/triangular_solve.h"

typedef struct gs_factors {
    gs_triangle lower, upper;
    gs_triangle lower_transposed,
        upper_transposed; /* solves with U' and L'; built by the first transposed application */
    void *d;              /* n reciprocals of D, in the type of the factors */
} gs_factors;

/* Stores L, U and the reciprocals of D. The structures of an earlier call are used again. Fails
 * only if there are none yet. */
gsolve_status gs_factors_store(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                               const gs_strict_triangle *L, const gs_strict_triangle *U,
                               const double *d);

/* Makes the schedule of f->lower from the pattern of L, unless it exists. It also says in which
 * order the rows of L can be computed. */
gsolve_status gs_factors_plan(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                              const gs_strict_triangle *L);
/* The bytes that an application to one column moves. */
size_t gs_factors_bytes(const gs_factors *f);
void gs_factors_destroy(gs_factors *f, gsolve_context *ctx);

/* z = M^-1 r, or M^-T r. */
gsolve_status gs_factors_apply(gs_factors *f, gsolve_context *ctx, bool transposed, gsolve_dense r,
                               gsolve_dense z);

#endif
