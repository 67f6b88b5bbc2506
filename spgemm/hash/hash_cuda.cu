// hash_cuda.cu: the method on a GPU. It bins the rows by their products, counts their columns, bins
// them again by their entries, and fills them. The host waits twice: for the first bins, and for
// the size of C.
#include <string.h>

#include "core/scan.cuh"
#include "spgemm/hash/hash_job.cuh"

using namespace gs_hash_rows;

namespace
{

// start[0..n] = the exclusive prefix sums of count[0..n].
template <class O>
gsolve_status number_entries(gsolve_context *ctx, const int32_t *count, int64_t n, O *start)
{
    gs_queue *q = ctx->queue;
    size_t bytes = 0;
    char *space = nullptr;
    gsolve_status status;

    TRY(gs_cuda(q, gs_exclusive_sum(nullptr, bytes, count, start, n + 1, q->stream),
                "numbering entries"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q, gs_exclusive_sum(space, bytes, count, start, n + 1, q->stream),
                "numbering entries"));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// Allocates C and sets its offsets; columns and values are unset.
gsolve_status make_rows(gsolve_csr *C, const job *j, int32_t ncols, gsolve_type type)
{
    const int64_t entries = (int64_t)j->stats.entries;
    const bool wide = entries > INT32_MAX;
    gsolve_context *ctx = j->ctx;
    int32_t *narrow_start = nullptr, *col = nullptr;
    int64_t *wide_start = nullptr;
    gsolve_status status;

    *C = {};
    C->nrows = j->nrows;
    C->ncols = ncols;
    C->offset = wide ? GSOLVE_O64 : GSOLVE_O32;
    C->type = type;
    C->location = GSOLVE_DEVICE;
    if (wide) {
        ALLOC_DEVICE(ctx, wide_start, (size_t)j->nrows + 1);
        C->start = wide_start;
        TRY(number_entries(ctx, j->count, j->nrows, wide_start));
    } else {
        ALLOC_DEVICE(ctx, narrow_start, (size_t)j->nrows + 1);
        C->start = narrow_start;
        TRY(number_entries(ctx, j->count, j->nrows, narrow_start));
    }
    ALLOC_DEVICE(ctx, col, entries);
    C->col = col;
    C->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)entries, gs_type_size(type));
    TRY(C->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

gsolve_status multiply(gsolve_csr *out, void **plan, gs_product_work *stats, gsolve_context *ctx,
                       const gsolve_csr *A, const gsolve_csr *B)
{
    job j = {ctx, rows_of(A), rows_of(B), A->nrows};
    gsolve_csr C = {};
    gsolve_status status;

    TRY(open_job(&j));
    TRY(bin_rows_to_count(&j));
    stats->products = (int64_t)j.stats.products;
    stats->bands = 1;
    TRY(count_rows(&j));
    TRY(bin_rows_to_fill(&j, A->type));
    TRY(make_rows(&C, &j, B->ncols, A->type));
    TRY(fill_bitmap_rows(&j, &C));
    TRY(fill_table_rows(&j, &C));
    TRY(fill_short_rows(&j, &C));
    close_job(&j);
    if (plan) TRY(make_plan(plan, ctx, A, B, &C, &j));
    stats->entries = (int64_t)j.stats.entries;
    *out = C;
    C = {};
done:
    close_job(&j);
    C.location = GSOLVE_DEVICE;
    gsolve_csr_free(&C, ctx);
    return status;
}

} // namespace

extern "C" const gs_hash_kernels gs_hash_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply, run_plan, drop_plan}, {multiply, run_plan, drop_plan}};
