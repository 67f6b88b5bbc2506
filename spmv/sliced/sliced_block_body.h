/* sliced_block_body.h: the product with several columns of x by rows on the CPU for a value type T,
 * see sliced_block_slices.h. */
#include "spmv/multi_rhs/row_blocks.h"

/* after row_blocks.h, whose functions it calls */
#include "spmv/multi_rhs/cache_windows_body.h"

#define V        T
#define ON(name) FN(name##_own)
#include "spmv/sliced/sliced_block_slices.h"
#undef V
#undef ON
#define V        float
#define ON(name) FN(name##_light)
#include "spmv/sliced/sliced_block_slices.h"
#undef V
#undef ON

#define GS_COLUMNS_BODY "spmv/sliced/sliced_block_long.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY

/* The long rows, w columns. */
static void FN(some_long)(gs_queue *q, const gs_sliced *s, int32_t w, double alpha,
                          const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                          int32_t first)
{
    static void (*const by[])(gs_queue *, const gs_sliced *, double, const FN(rows_of_x) *, double,
                              const FN(rows_of_y) *, int32_t) = {
        [1] = GS_PASTE(FN(long_rows), 1),
        [2] = GS_PASTE(FN(long_rows), 2),
        [4] = GS_PASTE(FN(long_rows), 4),
        [8] = GS_PASTE(FN(long_rows), 8),
    };

    by[w](q, s, alpha, x, beta, y, first);
}

/* x by rows: a task's slices come from the memory once and are near for all columns. */
static void FN(block_by_rows)(gs_queue *q, const gs_sliced *s, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y)
{
    const FN(rows_of_x) in = FN(by_stride)(x.value, x.stride);
    const FN(rows_of_y) out = FN(rows_of)(y);

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (s->tasks > 2)
    for (int32_t t = 0; t < s->tasks; t++) {
        for (int32_t j = 0, w; j < x.ncols; j += w) {
            w = gs_columns_in(x.ncols - j);
            (s->light ? FN(some_columns_light) : FN(some_columns_own))(s, t, w, alpha, &in, beta,
                                                                       &out, j);
        }
    }
    for (int32_t j = 0, w; s->nlong > 0 && j < x.ncols; j += w) {
        w = gs_columns_in(x.ncols - j);
        FN(some_long)(q, s, w, alpha, &in, beta, &out, j);
    }
}

/* x by columns, as many as a ring takes; there are no long rows. */
static void FN(block_by_rings)(gs_queue *q, const gs_sliced *s, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y)
{
    const int32_t w = gs_cache_window_columns(x.ncols);
    const FN(rows_of_y) out = FN(rows_of)(y);

#pragma omp parallel num_threads(gs_queue_threads(q)) if (s -> tasks > 2)
    {
        FN(window_buffer) buffer = FN(window_buffer_of)(&s->windows, w, omp_get_thread_num());
#pragma omp for schedule(static)
        for (int32_t t = 0; t < s->tasks; t++) {
            FN(load_window)(&buffer, &s->windows, t, x);
            (s->light ? FN(some_columns_light) : FN(some_columns_own))(s, t, w, alpha, &buffer.x,
                                                                       beta, &out, 0);
        }
    }
}

static gsolve_status FN(apply_block)(gs_sliced *s, gsolve_context *ctx, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_cache_windows_prepare(&s->windows, &s->space, ctx, x, &x));
    if (x.layout == GSOLVE_ROW_MAJOR) FN(block_by_rows)(q, s, alpha, x, beta, y);
    for (int32_t j = 0; x.layout == GSOLVE_COLUMN_MAJOR && j < x.ncols;
         j += GS_CACHE_WINDOW_COLUMNS) {
        const gsolve_dense in = gs_cache_window_pass(x, j), out = gs_cache_window_pass(y, j);
        if (in.ncols == 1) {
            TRY(FN(apply)(q, s, alpha, in.value, beta, out.value, NULL));
        } else {
            FN(block_by_rings)(q, s, alpha, in, beta, out);
        }
    }
done:
    return status;
}

#undef OF
