/* structural_rank.h: the structural rank of a matrix. */
#ifndef GS_MATRIX_STRUCTURAL_RANK_H
#define GS_MATRIX_STRUCTURAL_RANK_H

#include "gsolve.h"

/* *rank = the largest number of nonzeros of csr of which no two share a row or a column. No matrix
 * with nonzeros at these places has a larger rank. csr is on the host. It takes about as long as a
 * product for most matrices, and at most that times the number of rows. */
gsolve_status gs_structural_rank(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rank);

#endif
