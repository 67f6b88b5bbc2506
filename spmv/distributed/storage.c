/* storage.c: frees the parts of a distributed matrix. */
#include "matrix/operator.h"
#include "spmv/distributed/distributed.h"

bool gs_matrix_part(const gsolve_matrix *A, int i, gsolve_csr *part)
{
    if (i > 1) return false;
    *part = i == 0 ? A->rows : A->dist->boundary;
    return true;
}

const void *gs_matrix_part_values(const gsolve_matrix *A, int i)
{
    return i == 0 ? A->csr.value : A->dist->boundary_there.value;
}

void gs_dist_drop(gs_dist_matrix **pD, gsolve_context *ctx)
{
    gs_dist_matrix *D = *pD;

    if (!D) return;
    gs_ownership_drop(&D->owner, ctx);
    gs_column_map_drop(&D->map, ctx);
    gs_halo_drop(&D->halo, ctx);
    gs_dist_drop_boundary(D, ctx);
    gsolve_csr_free(&D->boundary, ctx);
    gsolve_csr_free(&D->block, ctx);
    gsolve_csr_free(&D->block_there, ctx);
    gsolve_free(ctx, GSOLVE_HOST, D->boundary_row);
    gsolve_free(ctx, GSOLVE_HOST, D->destination);
    gsolve_free(ctx, GSOLVE_HOST, D);
    *pD = NULL;
}

int32_t gs_dist_boundary_before(const gs_dist_matrix *D, int32_t i)
{
    int32_t low = 0, high = D->boundary_rows;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (D->boundary_row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
