// triple_ap_cuda.cu: A P in two passes: the first counts the entries, the second fills them. A
// thread owns a row if rows have few products on average, else 4, 8 or 16 lanes do. If rows are too
// long for that, the method hash computes A P.
#include "core/scan.cuh"
#include "spgemm/galerkin/triple_short.cuh"

extern "C" {
#include "spgemm/hash/hash.h"
}

namespace gs_triple_rows
{
namespace
{

// to[0..n] = the exclusive prefix sums of count[0..n].
template <class O>
gsolve_status number_as(gsolve_context *ctx, const int32_t *count, int64_t n, const void *to)
{
    gs_queue *q = ctx->queue;
    O *start = static_cast<O *>(gs_owned_block(ctx, to));
    const auto scan = [&](void *space, size_t *bytes) {
        return gs_cuda(q, gs_exclusive_sum(space, *bytes, count, start, n + 1, q->stream),
                       "numbering entries");
    };
    size_t bytes = 0;
    char *space = nullptr;
    gsolve_status status;

    TRY(scan(nullptr, &bytes));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(scan(space, &bytes));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// The number of lanes for a row of A B: about the mean number of entries of a row of B.
int lanes_for(unsigned long long entries, int32_t nrows)
{
    const unsigned long long rows = (unsigned long long)nrows;
    return entries <= 4 * rows ? 4 : entries <= 8 * rows ? 8 : 16;
}

// The statistics of the rows, and the number of lanes for a row.
struct row_layout {
    int lanes; // 1: a thread owns a row
    row_statistics found;
};

gsolve_status count_by(row_layout *m, int lanes, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, int32_t *row_count, row_statistics *f)
{
    gsolve_status status;

    m->lanes = lanes;
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(f, 0, sizeof *f, ctx->queue->stream), "A P"));
    TRY(lanes == 1 ? count_by_threads(ctx, A, B, row_count, f)
                   : count_by_lanes(ctx, lanes, A, B, row_count, f));
    TRY(gsolve_copy(ctx, &m->found, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof m->found));
done:
    return status;
}

gsolve_status count(row_layout *m, gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                    int32_t *row_count)
{
    row_statistics *f = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, f, 1);
    TRY(count_by(m, 1, ctx, A, B, row_count, f));
    if (m->found.longest == too_long) {
        TRY(count_by(m, lanes_for(m->found.of_B, B->nrows), ctx, A, B, row_count, f));
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

} // namespace

gsolve_status number_entries(gsolve_context *ctx, const int32_t *count, const gsolve_csr *C)
{
    return (C->offset == GSOLVE_O64 ? number_as<int64_t> : number_as<int32_t>)(ctx, count, C->nrows,
                                                                               C->start);
}

template <class T>
gsolve_status multiply_short(gsolve_csr *out, int64_t *products, gsolve_context *ctx,
                             const gsolve_csr *A, const gsolve_csr *B)
{
    gs_product_work stats = {};
    gsolve_csr M = {};
    int32_t *row_count = nullptr;
    row_layout m = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, row_count, (size_t)A->nrows + 1);
    TRY(count(&m, ctx, A, B, row_count));
    if (m.found.longest == too_long) {
        gsolve_free(ctx, GSOLVE_DEVICE, row_count);
        status = gs_hash_cuda[A->type].multiply(out, nullptr, &stats, ctx, A, B);
        *products = stats.products;
        return status;
    }
    *products = (int64_t)m.found.products;
    TRY(gs_csr_new_at(&M, ctx, GSOLVE_DEVICE, A->nrows, B->ncols, (int64_t)m.found.entries,
                      A->type));
    TRY(number_entries(ctx, row_count, &M));
    if (m.found.entries > 0) {
        TRY(m.lanes == 1 ? fill_by_threads<T>(&M, m.found.longest, ctx, A, B)
                         : fill_by_lanes<T>(&M, m.found.longest, m.lanes, ctx, A, B));
    }
    *out = M;
    M = {};
done:
    M.location = GSOLVE_DEVICE;
    gsolve_csr_free(&M, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, row_count);
    return status;
}

template gsolve_status multiply_short<float>(gsolve_csr *, int64_t *, gsolve_context *,
                                             const gsolve_csr *, const gsolve_csr *);
template gsolve_status multiply_short<double>(gsolve_csr *, int64_t *, gsolve_context *,
                                              const gsolve_csr *, const gsolve_csr *);

} // namespace gs_triple_rows
