// triple_ap_cuda.cu: A P in two passes: the first counts the entries, the second fills them. A
// thread owns a row if rows have few products on average, else 4, 8 or 16 lanes do. If rows are too
// long for that, the method hash computes A P.
#include "spgemm/galerkin/triple_short.cuh"

namespace gs_triple_rows
{
namespace
{

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
        const gs_blocked a = gs_plain_blocks(A), b = gs_plain_blocks(B);
        gs_blocked C = {};
        gsolve_free(ctx, GSOLVE_DEVICE, row_count);
        status = gs_hash_cuda[A->type].multiply(&C, nullptr, &stats, ctx, &a, &b, nullptr);
        *out = C.csr;
        *products = stats.products;
        return status;
    }
    *products = (int64_t)m.found.products;
    TRY(gs_csr_new_at(&M, ctx, GSOLVE_DEVICE, A->nrows, B->ncols, (int64_t)m.found.entries,
                      A->type));
    TRY(number_rows(ctx, row_count, &M));
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
