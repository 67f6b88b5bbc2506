/* cache_windows.c: see cache_windows.h. */
#include "spmv/multi_rhs/cache_windows.h"

#include <string.h>

#include "core/try.h"

static gs_cache_window window_of(const gsolve_csr *csr, int32_t from, int32_t to,
                                 const int32_t *order)
{
    gs_cache_window found = {INT32_MAX, 0};

    for (int32_t place = from; place < to; place++) {
        const int32_t i = order ? order[place] : place;
        const int64_t at = i < 0 ? 0 : gs_start(csr, i), end = i < 0 ? 0 : gs_start(csr, i + 1);
        if (at == end) continue;
        if (csr->col[at] < found.first) found.first = csr->col[at];
        if (csr->col[end - 1] >= found.end) found.end = csr->col[end - 1] + 1;
    }
    return found;
}

gsolve_status gs_cache_windows_find(gs_cache_windows *windows, gsolve_context *ctx,
                                    const gsolve_csr *csr, int32_t tasks, const int32_t *begin,
                                    const int32_t *order)
{
    gs_cache_window held = {0, 0};
    int32_t widest = 1;
    gsolve_status status = GSOLVE_OK;

    ALLOC(ctx, GSOLVE_HOST, windows->of, (size_t)tasks + 1);
#pragma omp parallel for schedule(static) reduction(max : widest) \
    num_threads(gsolve_threads(ctx)) if (tasks > 2)
    for (int32_t t = 0; t < tasks; t++) {
        const gs_cache_window w = window_of(csr, begin[t], begin[t + 1], order);
        windows->of[t] = w;
        if (w.end - w.first > widest) widest = w.end - w.first;
    }
    windows->rows = 1;
    while (windows->rows < widest && windows->rows < 1 << 30) windows->rows *= 2;
    for (int32_t t = 0; t < tasks; t++) {
        const gs_cache_window fresh = gs_cache_window_move(&held, windows->of[t], windows->rows);
        windows->copied += fresh.end - fresh.first;
    }
done:
    return status;
}

/* Whether windows pay: all threads together transpose less than twice the rows of x. In its first
 * window, each thread also transposes rows that others have. windows->rows is 2^30 where a window
 * is wider than the largest buffer; then windows do not pay. */
static bool pay(const gs_cache_windows *windows, int threads, int32_t nrows)
{
    const int64_t all = windows->copied + (threads - 1) * (int64_t)windows->rows;

    return windows->of && windows->rows < 1 << 30 && all < 2 * (int64_t)nrows;
}

gsolve_status gs_cache_windows_prepare(gs_cache_windows *windows, gs_block_space *space,
                                       gsolve_context *ctx, gsolve_dense x, gsolve_dense *used)
{
    const int threads = gsolve_threads(ctx);
    const size_t size = GS_CACHE_WINDOW_COLUMNS * gs_type_size(x.type);
    const size_t need = (size_t)threads * (size_t)windows->rows * size;

    if (x.layout == GSOLVE_ROW_MAJOR || !pay(windows, threads, x.nrows)) {
        return gs_block_convert(space, 0, ctx, GSOLVE_ROW_MAJOR, x, true, used);
    }
    *used = x;
    if (need <= windows->bytes) return GSOLVE_OK;
    gsolve_free(ctx, GSOLVE_HOST, windows->buffer);
    windows->bytes = 0;
    windows->buffer = gsolve_alloc(ctx, GSOLVE_HOST, need, 1);
    if (!windows->buffer) return GSOLVE_NO_MEMORY;
    memset(windows->buffer, 0,
           need); /* the additional columns are multiplied too and must be finite */
    windows->bytes = need;
    return GSOLVE_OK;
}

void gs_cache_windows_drop(gs_cache_windows *windows, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, windows->of);
    gsolve_free(ctx, GSOLVE_HOST, windows->buffer);
}
