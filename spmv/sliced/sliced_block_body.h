/* sliced_block_body.h: the product with several columns of x by rows on the CPU for a value type T,
 * see sliced_block_slices.h. */
#include "spmv/row_blocks.h"

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

/* Column j of the long rows, whose parts are summed as for one column. */
static void FN(long_rows_of_column)(gs_queue *q, const gs_sliced *s, double alpha, gsolve_dense x,
                                    int32_t j, double beta, const FN(rows_of_y) * y)
{
    const T *px = (const T *)x.value + j;
    T *sum = s->sum;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t p = 0; p < s->parts; p++) {
        const gs_sliced_part *part = &s->part[p];
        GS_PASTE(FN(numbers), 1) of_part;
        GS_PASTE(FN(row_sums), 1)
        (part->entries, (const T *)s->csr.value + part->from, s->csr.col + part->from, px, x.stride,
         0, &of_part);
        sum[p] = of_part.v[0][0];
    }
    for (int32_t p = 0; p < s->parts; p += s->part[p].parts) {
        const int64_t i = s->part[p].row;
        T total = 0;
        for (int32_t k = 0; k < s->part[p].parts; k++) total += sum[p + k];
        FN(finish_row)(alpha, total, beta, &y->value[i * y->row + j * y->column]);
    }
}

static gsolve_status FN(apply_block)(gs_sliced *s, gsolve_context *ctx, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    const FN(rows_of_y) out = FN(rows_of)(y);
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_block_turn(&s->space, 0, ctx, GSOLVE_BY_ROWS, x, true, &x));
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (s->tasks > 2)
    for (int32_t t = 0; t < s->tasks; t++) {
        (s->light ? FN(block_task_light) : FN(block_task_own))(s, t, alpha, x, beta, &out);
    }
    for (int32_t j = 0; s->nlong > 0 && j < x.ncols; j++) {
        FN(long_rows_of_column)(q, s, alpha, x, j, beta, &out);
    }
done:
    return status;
}

#undef OF
