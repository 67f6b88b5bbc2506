/* structural_rank.h: whether the pattern of a square matrix shows that it is singular. */
#ifndef GS_MATRIX_STRUCTURAL_RANK_H
#define GS_MATRIX_STRUCTURAL_RANK_H

#include "gsolve.h"

/* Bytes of the work space for a matrix of n rows. */
size_t gs_structural_rank_bytes(int32_t n);

/* Returns true if it finds that csr does not have n = nrows = ncols nonzeros in different rows and
 * different columns. Every matrix with nonzeros at these places is singular. csr is on the host;
 * block: gs_structural_rank_bytes(n) bytes there. It takes about as long as a product for most
 * matrices, and ends without an answer, which is false, after the time of about 32. Nothing is
 * allocated. */
bool gs_is_structurally_deficient(const gsolve_csr *csr, void *block);

#endif
