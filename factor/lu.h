/* lu.h: sparse LU with partial pivoting, within a limit. */
#ifndef GS_FACTOR_LU_H
#define GS_FACTOR_LU_H

#include "factor/cost.h"

/* *N = the factors of A, with the bits of cs_di_lu; cs_di_nfree frees them. The pivot is on the
 * diagonal if that entry has at least tolerance times the largest magnitude in its column. Failures
 * set the error message. GSOLVE_UNSUPPORTED: the cost exceeds limit (it is checked before each
 * column). GSOLVE_ZERO_PIVOT: A is singular. */
gsolve_status gs_lu(cs_din **N, gsolve_context *ctx, const cs_di *A, const cs_dis *S,
                    double tolerance, gs_direct_cost limit);

/* CXSparse's view of the columns of A's transpose, for A in double with 32-bit offsets on the host;
 * ctx owns A's arrays. */
cs_di gs_columns_view(const gsolve_context *ctx, const gsolve_csr *A);

#endif
