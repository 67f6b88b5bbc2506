/* boundary.c: the boundary rows where kernels read them. A device with memory of its own has
 * copies. A GPU multiplies by the transposed boundary rows row by row, so that the order of the
 * sums is fixed: it has those, too. */
#include <string.h>

#include "core/try.h"
#include "spmv/distributed/distributed.h"

gsolve_status gs_dist_move_boundary(gs_dist_matrix *D, gsolve_context *ctx)
{
    const size_t count = (size_t)D->boundary_rows;
    gsolve_status status = GSOLVE_OK;

    D->boundary_there = D->boundary;
    D->boundary_row_there = D->boundary_row;
    if (gs_location(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    memset(&D->boundary_there, 0, sizeof D->boundary_there);
    ALLOC(ctx, GSOLVE_DEVICE, D->boundary_row_there, count);
    TRY(gsolve_copy(ctx, D->boundary_row_there, GSOLVE_DEVICE, D->boundary_row, GSOLVE_HOST,
                    count * sizeof *D->boundary_row));
    TRY(gs_csr_move(&D->boundary_there, ctx, GSOLVE_DEVICE, &D->boundary));
done:
    return status;
}

static void drop_back(gs_dist_matrix *D, gsolve_context *ctx)
{
    gsolve_csr_free(&D->back, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, D->back_row);
    D->back_row = NULL;
    memset(D->multiplied[true], 0, sizeof D->multiplied[true]); /* the next product makes it */
}

gsolve_status gs_dist_renew_boundary(gs_dist_matrix *D, gsolve_context *ctx)
{
    const gsolve_csr *there = &D->boundary_there;

    drop_back(D, ctx);
    if (there->value == D->boundary.value) return GSOLVE_OK;
    return gsolve_copy(
        ctx, gs_owned_block(ctx, there->value), GSOLVE_DEVICE, D->boundary.value, GSOLVE_HOST,
        (size_t)gs_start(&D->boundary, D->boundary_rows) * gs_type_size(there->type));
}

/* Removes the empty rows of T, and writes the numbers of the others. Returns their number. */
static int32_t remove_empty_rows(const gs_csr_arrays *T, int32_t *row)
{
    int32_t left = 0;

    for (int32_t i = 0; i < T->csr.nrows; i++) {
        if (gs_start(&T->csr, i) == gs_start(&T->csr, i + 1)) continue;
        row[left] = i;
        gs_set_start(T, left++, gs_start(&T->csr, i));
    }
    gs_set_start(T, left, gs_start(&T->csr, T->csr.nrows));
    return left;
}

gsolve_status gs_dist_need_back(gs_dist_matrix *D, gsolve_context *ctx)
{
    gsolve_csr T = {0};
    int32_t *row = NULL;
    gsolve_status status = GSOLVE_OK;

    if (!gs_on_gpu(ctx) || D->back.start) return GSOLVE_OK;
    TRY(gs_csr_transpose(&T, ctx, &D->boundary));
    ALLOC(ctx, GSOLVE_HOST, row, T.nrows);
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &T);
    T.nrows = remove_empty_rows(&to, row);
    for (int64_t k = 0; k < gs_start(&T, T.nrows); k++) to.col[k] = D->boundary_row[to.col[k]];
    ALLOC(ctx, GSOLVE_DEVICE, D->back_row, T.nrows);
    TRY(gsolve_copy(ctx, D->back_row, GSOLVE_DEVICE, row, GSOLVE_HOST,
                    (size_t)T.nrows * sizeof *row));
    TRY(gs_csr_move(&D->back, ctx, GSOLVE_DEVICE, &T));
done:
    if (status != GSOLVE_OK) drop_back(D, ctx);
    gsolve_free(ctx, GSOLVE_HOST, row);
    gsolve_csr_free(&T, ctx);
    return status;
}

void gs_dist_drop_boundary(gs_dist_matrix *D, gsolve_context *ctx)
{
    drop_back(D, ctx);
    if (D->boundary_there.start != D->boundary.start) gsolve_csr_free(&D->boundary_there, ctx);
    if (D->boundary_row_there != D->boundary_row) {
        gsolve_free(ctx, GSOLVE_DEVICE, D->boundary_row_there);
    }
}
