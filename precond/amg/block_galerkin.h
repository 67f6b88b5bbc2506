/* block_galerkin.h: R A P of a system by products of blocks. */
#ifndef GS_PRECOND_AMG_BLOCK_GALERKIN_H
#define GS_PRECOND_AMG_BLOCK_GALERKIN_H

#include "spgemm/spgemm.h"

/* What makes the values of R A P. Operands and products are kept from the first renewal on: before,
 * there is nothing to drop. */
typedef struct gs_block_galerkin {
    int32_t fine, coarse; /* unknowns of a node of A, of one of C; 0: not by blocks */
    gs_blocked r, a, p;
    gs_product AP, RAP; /* without a context until they are kept */
} gs_block_galerkin;

/* *C = R A P, owned, where they lie, and *G what renews it. fine: unknowns of a node of A; coarse:
 * of one of C. G->fine 0, and C unset: one unknown, or too many, or A's blocks are not full. C has
 * entries for all of each block. */
gsolve_status gs_block_galerkin_make(gs_block_galerkin *G, gsolve_csr *C, gsolve_context *ctx,
                                     const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                                     int32_t fine, int32_t coarse);

/* C's values from new ones in the patterns that it was made of. */
gsolve_status gs_block_galerkin_renew(gs_block_galerkin *G, const gsolve_csr *C,
                                      gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                                      const gsolve_csr *P);

void gs_block_galerkin_drop(gs_block_galerkin *G, gsolve_context *ctx);

#endif
