/* count_products_host.c: counts the products of the rows of C = A B on the CPU. */
#include "spgemm/spgemm.h"

static gsolve_status count(gs_product_counts *work, gsolve_context *ctx, const gsolve_csr *A,
                           const gsolve_csr *B)
{
    int64_t products = 0, longest = 0; /* of equally long rows, the first counts */
    int32_t longest_row = 0;

#pragma omp parallel num_threads(gsolve_threads(ctx)) reduction(+ : products)
    {
        int64_t most = 0;
        int32_t row = 0;
#pragma omp for schedule(static)
        for (int32_t i = 0; i < A->nrows; i++) {
            int64_t mine = 0;
            for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
                mine += gs_start(B, A->col[k] + 1) - gs_start(B, A->col[k]);
            }
            products += mine;
            if (mine > most) most = mine, row = i;
        }
#pragma omp critical
        if (most > longest || (most == longest && row < longest_row)) {
            longest = most;
            longest_row = row;
        }
    }
    *work = (gs_product_counts){products, longest, longest_row, 0, 0};
    return GSOLVE_OK;
}

const gs_count_kernels gs_work_host[GSOLVE_TYPE_COUNT] = {{count}, {count}};
