/* split.c: this rank's rows, split into the interior and the boundary matrix. */
#include <string.h>

#include "core/try.h"
#include "spmv/distributed/distributed.h"
#include "vector/blocks.h"

/* Whether row i of the sorted rows has a ghost column. They are at its ends. */
static bool is_boundary(const gs_dist_matrix *D, const gsolve_csr *csr, int32_t i)
{
    const int64_t from = gs_start(csr, i), to = gs_start(csr, i + 1);

    return to > from &&
           (csr->col[from] < D->map.below || csr->col[to - 1] >= D->map.below + D->cols.count);
}

/* D->boundary_row; *entries = the number of their entries. */
static gsolve_status find_boundary(gs_dist_matrix *D, gsolve_context *ctx, const gsolve_csr *csr,
                                   int64_t *entries)
{
    int32_t count = 0;
    gsolve_status status;

    for (int32_t i = 0; i < csr->nrows; i++) count += is_boundary(D, csr, i);
    ALLOC(ctx, GSOLVE_HOST, D->boundary_row, count);
    *entries = 0;
    for (int32_t i = 0; i < csr->nrows; i++) {
        if (!is_boundary(D, csr, i)) continue;
        D->boundary_row[D->boundary_rows++] = i;
        *entries += gs_start(csr, i + 1) - gs_start(csr, i);
    }
done:
    return status;
}

/* Column of the boundary matrix for a compact number. */
static int32_t boundary_column(const gs_dist_matrix *D, int32_t compact)
{
    const int32_t own = compact - D->map.below, n = D->cols.count;

    if (own < 0) return n + compact;
    return own < n ? own : compact;
}

static void set_boundary(const gs_dist_matrix *D, const gsolve_csr *csr, const gs_csr_arrays *to)
{
    int64_t at = 0;

    gs_set_start(to, 0, 0);
    for (int32_t b = 0; b < D->boundary_rows; b++) {
        const int32_t i = D->boundary_row[b];
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            to->col[at++] = boundary_column(D, csr->col[k]);
        }
        gs_set_start(to, b + 1, at);
    }
}

/* Offsets and columns of the rows that are not in the boundary matrix. */
static void set_interior(const gs_dist_matrix *D, const gsolve_context *ctx, const gsolve_csr *csr,
                         const gs_csr_arrays *to)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int64_t at = 0;

    gs_set_start(to, 0, 0);
    for (int32_t i = 0, next = 0; i < csr->nrows; i++) {
        const bool boundary = next < D->boundary_rows && D->boundary_row[next] == i;
        next += boundary;
        if (!boundary) at += gs_start(csr, i + 1) - gs_start(csr, i);
        gs_set_start(to, i + 1, at);
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t from = gs_start(csr, i), begin = gs_start(&to->csr, i);
        const int64_t count = gs_start(&to->csr, i + 1) - begin;
        for (int64_t k = 0; k < count; k++) {
            to->col[begin + k] = csr->col[from + k] - D->map.below;
        }
    }
}

gsolve_status gs_dist_split(gs_dist_matrix *D, gsolve_context *ctx, const gsolve_csr *csr,
                            gsolve_csr *interior)
{
    const int64_t all = gs_start(csr, csr->nrows);
    int64_t entries;
    gs_csr_arrays to;
    gsolve_status status;

    TRY(find_boundary(D, ctx, csr, &entries));
    TRY(gs_csr_new(&D->boundary, ctx, D->boundary_rows, D->cols.count + D->map.ghosts, entries,
                   csr->type));
    to = gs_csr_arrays_of(ctx, &D->boundary);
    set_boundary(D, csr, &to);
    TRY(gs_csr_new(interior, ctx, csr->nrows, D->cols.count, all - entries, csr->type));
    to = gs_csr_arrays_of(ctx, interior);
    set_interior(D, ctx, csr, &to);
    gs_dist_split_values(D, ctx, interior, csr->value);
done:
    return status;
}

void gs_dist_split_values(gs_dist_matrix *D, const gsolve_context *ctx, const gsolve_csr *interior,
                          const void *value)
{
    const size_t size = gs_type_size(interior->type);
    char *inner = gs_owned_block(ctx, interior->value);
    char *outer = gs_owned_block(ctx, D->boundary.value);
    const char *from = value;
    int32_t row = 0;

    for (int32_t b = 0; b <= D->boundary_rows; b++) { /* the rows before boundary row b, and b */
        const int32_t end = b < D->boundary_rows ? D->boundary_row[b] : interior->nrows;
        const int64_t count = gs_start(interior, end) - gs_start(interior, row);
        const int64_t at = b < D->boundary_rows ? gs_start(&D->boundary, b) : 0;
        const int64_t more = b < D->boundary_rows ? gs_start(&D->boundary, b + 1) - at : 0;
        if (count > 0) {
            gs_copy_host(gs_threads_for(count, gsolve_threads(ctx)),
                         inner + (size_t)gs_start(interior, row) * size, from,
                         (size_t)count * size);
        }
        from += (size_t)count * size;
        if (more > 0) memcpy(outer + (size_t)at * size, from, (size_t)more * size);
        from += (size_t)more * size;
        row = end;
    }
}
