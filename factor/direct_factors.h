/* direct_factors.h: Cholesky or LU factors of a square sparse matrix that may be singular, on the
 * host. amg solves with them on its coarsest level. */
#ifndef GS_FACTOR_DIRECT_FACTORS_H
#define GS_FACTOR_DIRECT_FACTORS_H

#include "factor/factor.h"

typedef struct gs_direct_factors {
    int32_t n, nulls;          /* rows; null vectors */
    gs_factorisation *factors; /* by Cholesky or LU; NULL if n is 0 */
    double *null;              /* n x nulls, orthonormal columns: the null space of A */
    double *left;              /* that of A'; null itself if they are equal */
    double *b, *x;             /* n numbers each */
    double shift;              /* of the diagonal, relative to the norm of A */
} gs_direct_factors;

/* *F = the factors of A, which is copied to the host if it lies on a device. near_null: n x k,
 * candidates for the null space. nulls: its dimension if that is known, else 0. who: names A in
 * messages. GSOLVE_ZERO_PIVOT: A stays singular without the null space that was found and with a
 * shifted diagonal. */
gsolve_status gs_direct_factors_create(gs_direct_factors **F, gsolve_context *ctx, const char *who,
                                       const gsolve_csr *A, gsolve_dense near_null, int32_t nulls);
void gs_direct_factors_destroy(gs_direct_factors *F, gsolve_context *ctx); /* NULL: nothing */

/* F->x = A^-1 F->b, or A^-T F->b if transposed; the least-squares solution if A is singular. F->b
 * is overwritten. */
void gs_direct_factors_solve(gs_direct_factors *F, bool transposed);

#endif
