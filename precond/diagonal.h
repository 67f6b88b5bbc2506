/* diagonal.h: the diagonal of a matrix, for the preconditioners that divide by it. */
#ifndef GS_DIAGONAL_H
#define GS_DIAGONAL_H

#include "core/csr.h"

/* The entry (i, i) of csr, whose rows ascend, or -1. */
int64_t gs_diagonal_at(const gsolve_csr *csr, int32_t i);

/* d[i] = 1 / a_ii (or 1 / |a_ii|) in csr's type; GSOLVE_ZERO_PIVOT names who and the row,
 * and leaves d as it was. */
gsolve_status gs_diagonal_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                      bool absolute, void *d);

#endif
