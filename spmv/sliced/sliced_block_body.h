/* sliced_block_body.h: the product with several columns on the CPU for a value type T, see
 * sliced_block_slices.h. */
#define V        T
#define ON(name) FN(name##_own)
#include "spmv/sliced/sliced_block_slices.h"
#undef V
#undef ON
#define V        float
#define ON(name) FN(name##_single)
#include "spmv/sliced/sliced_block_slices.h"
#undef V
#undef ON

static gsolve_status FN(apply_block)(gs_sliced *s, gsolve_context *ctx, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    const FN(block_form) form = {s, s->single ? FN(columns_single) : FN(columns_own), s->tasks,
                                 &s->windows, long_rows_of(s)};
    int32_t done;
    gsolve_status status;

    TRY(gs_cache_windows_prepare(&s->windows, &s->space, ctx, x, &x));
    done = FN(multiply_block)(gsolve_threads(ctx), &form, alpha, x, beta, y);
    if (done < x.ncols) {
        TRY(FN(apply)(ctx->queue, s, alpha, gs_column_of(x, done).value, beta,
                      gs_column_of(y, done).value, NULL));
    }
done:
    return status;
}

#undef OF
