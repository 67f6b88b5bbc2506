/* triple.h: R A P in one step. On the CPU, for each row of R: the row of R A is computed, and from
 * it the row of R A P, so that neither R A nor A P is ever stored. On a GPU, A P is computed and
 * freed again. */
#ifndef GS_SPGEMM_GALERKIN_TRIPLE_H
#define GS_SPGEMM_GALERKIN_TRIPLE_H

#include "spgemm/spgemm.h"

typedef struct gs_triple_kernels {
    /* *C = R A P, owned, at the location of R, A and P. The columns of all four matrices ascend
     * strictly in every row. On the CPU A may be rectangular. Unless plan is NULL, *plan = what
     * update needs. *fits false: rows are too long for this method, and C is unset. */
    gsolve_status (*multiply)(gsolve_csr *C, void **plan, gs_product_work *stats, bool *fits,
                              gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                              const gsolve_csr *P);
    /* Recomputes C's values from new values of R, A and P in the patterns that multiply had. The
     * order of the sums is that of multiply. The first call may allocate memory for the plan. */
    gsolve_status (*update)(void *plan, gsolve_context *ctx, const gsolve_csr *R,
                            const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C);
    void (*drop)(void *plan, gsolve_context *ctx); /* NULL: there is nothing to free */
} gs_triple_kernels;

extern const gs_triple_kernels GS_HOST_TABLES(gs_triple);
extern const gs_triple_kernels gs_triple_cuda[GSOLVE_TYPE_COUNT];

#endif
