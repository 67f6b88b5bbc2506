/* long_rows.c: see long_rows.h. */
#include "spmv/multi_rhs/long_rows.h"

#include "core/try.h"
#include "vector/blocks.h"

static int64_t row_length(const gsolve_csr *A, int32_t i)
{
    return gs_start(A, i + 1) - gs_start(A, i);
}

static int32_t parts_of(int64_t length)
{
    return (int32_t)((length + GS_LONG_ROW_PART - 1) / GS_LONG_ROW_PART);
}

gsolve_status gs_row_parts_make(gs_row_parts *parts, gsolve_context *ctx, const gsolve_csr *csr,
                                int64_t most)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int32_t rows = 0, all = 0, at = 0, l = 0;
    gsolve_status status = GSOLVE_OK;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : rows, all)
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t length = row_length(csr, i);
        rows += length > most;
        if (length > most) all += parts_of(length);
    }
    *parts = (gs_row_parts){.csr = csr, .rows = rows, .count = all};
    if (parts->rows == 0) return GSOLVE_OK;
    ALLOC(ctx, gs_location(ctx), parts->part, parts->count);
    parts->sum = gsolve_alloc(ctx, gs_location(ctx), 8 * (size_t)parts->count, sizeof(double));
    TRY(parts->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    for (int32_t i = 0; i < csr->nrows && l < parts->rows; i++) {
        const int64_t length = row_length(csr, i);
        const int32_t first = at, count = parts_of(length);
        if (length <= most) continue;
        for (int64_t from = 0; from < length; from += GS_LONG_ROW_PART) {
            const int64_t left = length - from;
            parts->part[at++] =
                (gs_row_part){gs_start(csr, i) + from,
                              left < GS_LONG_ROW_PART ? (int32_t)left : GS_LONG_ROW_PART,
                              i,
                              l,
                              first,
                              count,
                              0};
        }
        l++;
    }
done:
    return status;
}

void gs_row_parts_drop(gs_row_parts *parts, gsolve_context *ctx)
{
    gsolve_free(ctx, gs_location(ctx), parts->part);
    gsolve_free(ctx, gs_location(ctx), parts->sum);
}
