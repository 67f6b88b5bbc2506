/* symmetry.h: a test whether a matrix is symmetric. */
#ifndef GS_PRECOND_AMG_SYMMETRY_H
#define GS_PRECOND_AMG_SYMMETRY_H

#include "matrix/csr.h"

/* *symmetric: whether x'Ay = y'Ax, to rounding, for two random vectors. */
gsolve_status gs_amg_is_symmetric(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A);

#endif
