/* rows.c: see rows.h. */
#include "dist/rows.h"

#include <math.h>
#include <string.h>

#include "core/try.h"

gsolve_status gs_dist_check_view(gsolve_context *ctx, const gsolve_dist_csr *csr)
{
    if (!csr || !csr->start || csr->rows.count < 0 || csr->cols.count < 0 ||
        (unsigned)csr->type >= GSOLVE_TYPE_COUNT || (unsigned)csr->offset > GSOLVE_O64) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the rows of the rank are NULL, have a negative number, no offsets, or "
                           "an unknown type");
    }
    if (csr->location != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the rows of a distributed matrix must be on the host; copy the arrays "
                           "there");
    }
    return GSOLVE_OK;
}

gsolve_dist_csr gs_dist_complete(const gsolve_dist_csr *csr)
{
    gsolve_dist_csr own = *csr;

    if (own.cols.total == 0) own.cols = own.rows;
    return own;
}

/* The row of entry k. */
static int64_t row_of(const gsolve_dist_csr *csr, const gsolve_csr *shape, int64_t k)
{
    return csr->rows.first + gs_row_of_entry(shape, k);
}

gsolve_status gs_dist_check_entries(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                    const gsolve_csr *shape)
{
    const int64_t entries = gs_start(shape, shape->nrows);

    if (entries > 0 && (!csr->col || !csr->value)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix has entries but no columns or values");
    }
    for (int64_t k = 0; k < entries; k++) {
        if (csr->col[k] < 0 || csr->col[k] >= csr->cols.total) {
            return gsolve_fail(
                ctx, GSOLVE_BAD_MATRIX,
                "row %lld has column %lld (counted from 0); columns are from 0 to %lld",
                (long long)row_of(csr, shape, k), (long long)csr->col[k],
                (long long)csr->cols.total - 1);
        }
        if (!isfinite(gs_value(shape, k))) {
            return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                               "the entry in row %lld and column %lld (counted from 0) is %g; "
                               "values must be finite",
                               (long long)row_of(csr, shape, k), (long long)csr->col[k],
                               gs_value(shape, k));
        }
    }
    return GSOLVE_OK;
}

gsolve_status gs_dist_shape(gsolve_csr *shape, gsolve_context *ctx, const gsolve_dist_csr *csr)
{
    *shape = (gsolve_csr){.nrows = csr->rows.count,
                          .ncols = INT32_MAX,
                          .start = csr->start,
                          .value = csr->value,
                          .offset = csr->offset,
                          .type = csr->type};
    for (int32_t i = 0; i < csr->rows.count; i++) {
        if (gs_start(shape, i + 1) >= gs_start(shape, i)) continue;
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "row %lld begins at entry %lld of its rank but ends at entry %lld; row "
                           "offsets must not decrease",
                           (long long)csr->rows.first + i, (long long)gs_start(shape, i),
                           (long long)gs_start(shape, i + 1));
    }
    if (gs_start(shape, 0) == 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX, "the first row offset is %lld; it must be 0",
                       (long long)gs_start(shape, 0));
}

uint64_t gs_dist_pattern(const gsolve_context *ctx, const gsolve_csr *shape, const int64_t *col)
{
    const size_t entries = (size_t)gs_start(shape, shape->nrows);
    const uint64_t starts =
        gs_hash(ctx, shape->start, ((size_t)shape->nrows + 1) * gs_offset_size(shape->offset), 1);

    return gs_hash(ctx, col, entries * sizeof *col, starts);
}

bool gs_dist_rows_ascend(const gsolve_dist_csr *csr)
{
    for (int32_t i = 0; i < csr->rows.count; i++) {
        for (int64_t k = gs_dist_start(csr, i) + 1; k < gs_dist_start(csr, i + 1); k++) {
            if (csr->col[k] <= csr->col[k - 1]) return false;
        }
    }
    return true;
}

gsolve_status gs_dist_sort(gsolve_dist_csr *sorted, gsolve_context *ctx, const gsolve_dist_csr *csr,
                           const gsolve_csr *shape)
{
    const int64_t entries = gs_start(shape, shape->nrows);
    gs_column_map map = {0};
    gsolve_csr rows = *shape, clean = {0};
    int32_t *col = NULL;
    gsolve_status status;

    TRY(gs_column_map_new(&map, ctx, csr->cols, entries, csr->col));
    ALLOC(ctx, GSOLVE_HOST, col, entries);
    gs_column_compact_all(&map, ctx, entries, csr->col, col);
    rows.col = col;
    rows.ncols = gs_column_count(&map);
    TRY(gs_csr_clean(&clean, ctx, &rows, false, NULL));
    TRY(gs_dist_name_columns(sorted, ctx, &clean, &map, csr->rows));
    clean.value = NULL; /* sorted owns it */
done:
    gsolve_csr_free(&clean, ctx);
    gsolve_free(ctx, GSOLVE_HOST, col);
    gs_column_map_drop(&map, ctx);
    return status;
}

gsolve_status gs_dist_name_columns(gsolve_dist_csr *C, gsolve_context *ctx, const gsolve_csr *local,
                                   const gs_column_map *map, gsolve_row_range rows)
{
    const int64_t entries = gs_start(local, local->nrows);
    int64_t *start = NULL, *col = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, start, (size_t)local->nrows + 1);
    ALLOC(ctx, GSOLVE_HOST, col, entries);
    for (int32_t i = 0; i <= local->nrows; i++) start[i] = gs_start(local, i);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (entries > 10000)
    for (int64_t k = 0; k < entries; k++) col[k] = gs_column_global(map, local->col[k]);
    *C = (gsolve_dist_csr){.rows = rows,
                           .cols = map->own,
                           .start = start,
                           .col = col,
                           .value = local->value,
                           .offset = GSOLVE_O64,
                           .type = local->type};
    start = col = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, start);
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

void gsolve_dist_csr_free(gsolve_dist_csr *csr, gsolve_context *ctx)
{
    gsolve_free(ctx, csr->location, (void *)(uintptr_t)csr->start);
    gsolve_free(ctx, csr->location, (void *)(uintptr_t)csr->col);
    gsolve_free(ctx, csr->location, (void *)(uintptr_t)csr->value);
    memset(csr, 0, sizeof *csr);
}
