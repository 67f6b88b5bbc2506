/* block.c: the diagonal block of a rank, which preconditioners read. */
#include <string.h>

#include "core/try.h"
#include "spmv/distributed/distributed.h"

/* The number of entries of row i in own columns. If `to` is not NULL, writes them from `at` on. */
static int64_t put_row(const gs_dist_matrix *D, const gs_dist_row *row, const gs_csr_arrays *to,
                       int64_t at)
{
    const size_t size = gs_type_size(row->from->type);
    const int64_t begin = at;

    if (!row->boundary && !to) return row->end - row->begin;
    for (int64_t k = row->begin; k < row->end; k++) {
        const int32_t col = row->from->col[k];
        if (col >= D->cols.count) continue;
        if (to) {
            to->col[at] = col;
            memcpy((char *)to->value + (size_t)at * size,
                   (const char *)row->from->value + (size_t)k * size, size);
        }
        at++;
    }
    return at - begin;
}

/* Writes all rows, or only returns the number of their entries. */
static int64_t put_rows(const gs_dist_matrix *D, const gsolve_csr *interior,
                        const gs_csr_arrays *to)
{
    int64_t at = 0;

    for (int32_t i = 0, next = 0; i < interior->nrows; i++) {
        const gs_dist_row row = gs_dist_row_of(D, interior, i, next);
        next += row.boundary;
        if (to) gs_set_start(to, i, at);
        at += put_row(D, &row, to, at);
    }
    if (to) gs_set_start(to, interior->nrows, at);
    return at;
}

gsolve_status gs_dist_need_block(const gsolve_matrix *A)
{
    gs_dist_matrix *D = A->dist;
    gsolve_csr block;
    gsolve_status status = GSOLVE_OK;

    if (D->block.start) return GSOLVE_OK;
    TRY(gs_csr_new(&block, A->ctx, A->rows.nrows, A->rows.ncols, put_rows(D, &A->rows, NULL),
                   A->rows.type));
    const gs_csr_arrays to = gs_csr_arrays_of(A->ctx, &block);
    put_rows(D, &A->rows, &to);
    D->block = block;
done:
    return status;
}

void gs_dist_block_there(const gsolve_matrix *A, gsolve_csr *block)
{
    gs_dist_matrix *D = A->dist;
    gsolve_status status;

    if (D->boundary_rows == 0) {
        *block = A->csr;
        return;
    }
    TRY(gs_dist_need_block(A));
    *block = D->block;
    if (gs_location(A->ctx) == GSOLVE_HOST) return;
    if (!D->block_there.start) {
        TRY(gs_csr_move(&D->block_there, A->ctx, GSOLVE_DEVICE, &D->block));
    }
    *block = D->block_there;
done:
    if (status != GSOLVE_OK) memset(block, 0, sizeof *block);
}

void gs_dist_release_block(const gsolve_matrix *A, bool keep)
{
    if (!A->dist || keep) return;
    gsolve_csr_free(&A->dist->block, A->ctx);
    gsolve_csr_free(&A->dist->block_there, A->ctx);
}
