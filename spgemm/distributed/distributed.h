/* distributed.h: products of distributed matrices, A B and R A P. A rank computes its rows of the
 * result by the products of spgemm.h, from its own rows and copies of rows of other ranks. Their
 * columns get compact numbers, which are in the order of the columns, so each entry is summed in
 * the order of one rank. The results are those of one rank, bits included, for any number of ranks
 * and any division of the rows.
 *
 * All matrices are on the host and complete (gs_dist_complete), and all ranks have the same type;
 * their columns ascend strictly in every row, and so do those of the results. The offsets of the
 * results are GSOLVE_O64. The functions named _new and _update are collective. For updates the
 * handles keep copies of the rows that they multiply. */
#ifndef GS_SPGEMM_DISTRIBUTED_DISTRIBUTED_H
#define GS_SPGEMM_DISTRIBUTED_DISTRIBUTED_H

#include "dist/rows.h"

typedef struct gs_dist_product gs_dist_product;

/* *C = A B. The columns of A are divided as the rows of B; else GSOLVE_BAD_ARGUMENT or, if the
 * matrices do not fit, GSOLVE_BAD_MATRIX. GSOLVE_UNSUPPORTED: the context computes on a device with
 * memory of its own. On failure, which is that of all ranks, *C is NULL. */
gsolve_status gs_dist_product_new(gs_dist_product **C, gsolve_context *ctx,
                                  const gsolve_dist_csr *A, const gsolve_dist_csr *B);

/* The rows of the product of this rank. Valid until C is dropped. */
const gsolve_dist_csr *gs_dist_product_csr(const gs_dist_product *C);

/* New values. A and B have the patterns and the type of gs_dist_product_new. */
gsolve_status gs_dist_product_update(gs_dist_product *C, gsolve_context *ctx,
                                     const gsolve_dist_csr *A, const gsolve_dist_csr *B);

/* *csr = the rows of the product, which the caller frees with gsolve_dist_csr_free. C can only be
 * dropped afterwards. */
void gs_dist_product_take(gs_dist_product *C, gsolve_dist_csr *csr);

void gs_dist_product_drop(gs_dist_product **C, gsolve_context *ctx);

typedef struct gs_dist_galerkin gs_dist_galerkin;

/* *G = R A P as gs_galerkin_make computes it with the method auto. The columns of R are divided as
 * the rows of A, and the columns of A as the rows of P. Fails as gs_dist_product_new. */
gsolve_status gs_dist_galerkin_new(gs_dist_galerkin **G, gsolve_context *ctx,
                                   const gsolve_dist_csr *R, const gsolve_dist_csr *A,
                                   const gsolve_dist_csr *P);

/* The rows of R A P of this rank. Valid until G is dropped. */
const gsolve_dist_csr *gs_dist_galerkin_csr(const gs_dist_galerkin *G);

/* New values. R, A and P have the patterns and the type of gs_dist_galerkin_new. */
gsolve_status gs_dist_galerkin_update(gs_dist_galerkin *G, gsolve_context *ctx,
                                      const gsolve_dist_csr *R, const gsolve_dist_csr *A,
                                      const gsolve_dist_csr *P);

void gs_dist_galerkin_drop(gs_dist_galerkin **G, gsolve_context *ctx);

#endif
