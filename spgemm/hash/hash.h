/* hash.h: C = A B row by row. The products of a row of C are added up in a hash table of its
 * columns, which are sorted at the end.
 *
 * An entry of C is summed in the order of A's row, on either device: all products that one entry of
 * A makes are in different columns, and those of the next are added after them. So the bits depend
 * neither on the places that columns take in the table nor on the number of threads.
 *
 * Reads A once, and for each entry of A a row of B, once to count C's entries and once or twice to
 * make them; writes C once. */
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

extern const gs_hash_kernels gs_hash_host[GSOLVE_TYPE_COUNT], gs_hash_cuda[GSOLVE_TYPE_COUNT];

extern const gs_multiplier gs_hash_multiplier;

#endif
