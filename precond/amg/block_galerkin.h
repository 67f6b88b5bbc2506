/* block_galerkin.h: R A P of a system of equations by products of dense blocks. */
#ifndef GS_PRECOND_AMG_BLOCK_GALERKIN_H
#define GS_PRECOND_AMG_BLOCK_GALERKIN_H

#include "spgemm/spgemm.h"

/* The blocked operands and products of R A P. They are kept from the first update on; before, there
 * is nothing to free. */
typedef struct gs_block_galerkin {
    int32_t fine, coarse; /* unknowns per node of A and of C; 0: blocks are not used */
    gs_blocked r, a, p;
    gs_product AP, RAP; /* their ctx is NULL until they are kept */
} gs_block_galerkin;

/* *C = R A P, owned, where the operands lie, and *G what recomputes it. fine, coarse: unknowns per
 * node of A and of C. G->fine is 0 and C is unset if blocks do not pay: one unknown per node, too
 * many, or A's blocks are not nearly full. C stores all entries of each block. */
gsolve_status gs_block_galerkin_build(gs_block_galerkin *G, gsolve_csr *C, gsolve_context *ctx,
                                      const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                                      int32_t fine, int32_t coarse);

/* Recomputes C's values from new values of R, A and P in the same patterns. */
gsolve_status gs_block_galerkin_update(gs_block_galerkin *G, const gsolve_csr *C,
                                       gsolve_context *ctx, const gsolve_csr *R,
                                       const gsolve_csr *A, const gsolve_csr *P);

void gs_block_galerkin_destroy(gs_block_galerkin *G, gsolve_context *ctx);

#endif
