/* hash.h: C = A B row by row, on a GPU. A hash table of the columns of a row of C collects the sums
 * of its products. The columns are sorted at the end.
 *
 * An entry of C is summed in the order of A's row: the products of one entry of A have
 * different columns, and those of the next entry are added after them. So the bits do not depend on
 * the places of the columns in the table.
 *
 * A pass reads A, and for each entry of A a row of B. One pass counts C's entries; one or two
 * passes compute them. C is written once. */
#ifndef GS_SPGEMM_HASH_HASH_H
#define GS_SPGEMM_HASH_HASH_H

#include "spgemm/spgemm.h"

typedef struct gs_hash_kernels {
    /* as the members of gs_multiplier, for blocks of 1 x 1 */
    gsolve_status (*multiply)(gsolve_csr *C, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B);
    gsolve_status (*update)(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                            const gsolve_csr *B, gsolve_csr *C);
    void (*destroy)(void *plan, gsolve_context *ctx);
} gs_hash_kernels;

extern const gs_hash_kernels gs_hash_cuda[GSOLVE_TYPE_COUNT];

extern const gs_multiplier gs_hash_multiplier;

#endif
