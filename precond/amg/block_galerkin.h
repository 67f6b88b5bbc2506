/* block_galerkin.h: R A P of a system by products of blocks. */
#ifndef GS_AMG_BLOCK_GALERKIN_H
#define GS_AMG_BLOCK_GALERKIN_H

#include "core/csr.h"

/* *C = R A P, owned, where they lie. fine: unknowns of a node of A; coarse: of one of C. *fits
 * false, and C unset: one unknown, or too many, or A's blocks are not full. C has entries for all
 * of each block. */
gsolve_status gs_block_galerkin(gsolve_csr *C, bool *fits, gsolve_context *ctx, const gsolve_csr *R,
                                const gsolve_csr *A, const gsolve_csr *P, int32_t fine,
                                int32_t coarse);

/* C's values from new ones in the patterns that it was made of. */
gsolve_status gs_block_galerkin_renew(const gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *R,
                                      const gsolve_csr *A, const gsolve_csr *P, int32_t fine,
                                      int32_t coarse);

#endif
