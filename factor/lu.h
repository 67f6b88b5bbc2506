/* lu.h: sparse LU with partial pivoting, within a limit. */
#ifndef GS_FACTOR_LU_H
#define GS_FACTOR_LU_H

#include "factor/cost.h"

/* *N = the factors of A, as cs_di_lu makes them, bit for bit; cs_di_nfree frees them. A pivot on
 * the diagonal is taken if it has at least tolerance times the magnitude of the largest in its
 * column. Both failures leave a sentence: GSOLVE_UNSUPPORTED, the limit was passed, by one column
 * at most; GSOLVE_ZERO_PIVOT, A is singular. */
gsolve_status gs_lu(cs_din **N, gsolve_context *ctx, const cs_di *A, const cs_dis *S,
                    double tolerance, gs_direct_cost limit);

#endif
