// triple_cuda.cu: R A P at once on a GPU. A warp makes each row in a table of few columns and puts
// it, in order, where it has room for as many; rows that have more are made again in larger ones.
// Then the rows' sizes are known, and they are packed into C: no pass counts beforehand, and the
// host waits once, unless rows are long.
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "spgemm/galerkin/triple_kernels.cuh"

using namespace gs_triple_rows;

namespace
{

// --- on the host --------------------------------------------------------------------------------

struct job {
    gsolve_context *ctx;
    operands o;
    int32_t nrows;
    int ra_bits;
    part of[parts + 1]; // the last: rows that are longer than all
    int used;
    int32_t *count;
    facts *found, seen;
    kept_rows *kept; // NULL: nothing is
};

void close_job(job *j)
{
    for (const part &p : j->of) {
        gsolve_free(j->ctx, GSOLVE_DEVICE, p.rows);
        gsolve_free(j->ctx, GSOLVE_DEVICE, p.col);
        gsolve_free(j->ctx, GSOLVE_DEVICE, p.value);
    }
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->count);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->found);
    drop_kept(j->kept, j->ctx);
}

// The rows of class k; those that do not fit become class k + 1.
template <class T>
gsolve_status make_part(job *j, int k)
{
    gsolve_context *ctx = j->ctx;
    const shape s = {j->ra_bits, part_bits[k]};
    part *p = &j->of[k];
    gsolve_status status;

    p->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)p->nrows << s.bits, sizeof(T));
    TRY(p->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    ALLOC_DEVICE(ctx, p->col, (size_t)p->nrows << s.bits);
    ALLOC_DEVICE(ctx, p[1].rows, (size_t)p->nrows);
    TRY(launch_rows(ctx->queue, "the rows of R A P", make_rows<T>, p->nrows, warp_bytes<T>(s), j->o,
                    *p, s, j->count, p[1].rows, j->found, j->kept ? j->kept->size : nullptr));
    TRY(gsolve_copy(ctx, &j->seen, GSOLVE_HOST, j->found, GSOLVE_DEVICE, sizeof j->seen));
    p[1].nrows = (int32_t)j->seen.left;
    j->used = k + 1;
done:
    return status;
}

template <class T>
gsolve_status make_parts(job *j, bool *fits)
{
    gsolve_context *ctx = j->ctx;
    gsolve_status status;

    ALLOC_DEVICE(ctx, j->found, 1);
    ALLOC_DEVICE(ctx, j->count, (size_t)j->nrows + 1);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(j->found, 0, sizeof *j->found, ctx->queue->stream),
                "R A P"));
    j->of[0].nrows = j->nrows;
    for (int k = 0; k < parts && j->of[k].nrows > 0 && j->seen.refused == 0; k++) {
        if (k > 0) {
            TRY(gs_cuda(
                ctx->queue,
                cudaMemsetAsync(&j->found->left, 0, sizeof j->found->left, ctx->queue->stream),
                "R A P"));
        }
        TRY(make_part<T>(j, k));
    }
    *fits = j->seen.left == 0 && j->seen.refused == 0;
done:
    return status;
}

// start[0..n] = the sums before each of count[0..n).
template <class O>
gsolve_status number_entries(gsolve_context *ctx, const int32_t *count, int64_t n, O *start)
{
    gs_queue *q = ctx->queue;
    const auto scan = [&](void *space, size_t *bytes) {
        return gs_cuda(q,
                       cub::DeviceScan::ExclusiveScan(space, *bytes, count, start,
                                                      cuda::std::plus<O>(), O(0), n + 1, q->stream),
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

template <class T>
gsolve_status pack(job *j, const gsolve_csr *C)
{
    gsolve_status status;

    TRY(C->offset == GSOLVE_O64
            ? number_entries(j->ctx, j->count, j->nrows, (int64_t *)(uintptr_t)C->start)
            : number_entries(j->ctx, j->count, j->nrows, (int32_t *)(uintptr_t)C->start));
    for (int k = 0; k < j->used; k++) {
        TRY(launch_with(j->ctx->queue, "packing rows", pack_rows<T>,
                        ((int64_t)j->of[k].nrows * 32 + gs_block_size - 1) / gs_block_size,
                        gs_block_size, 0, j->of[k], part_bits[k], k ? 1 << part_bits[k - 1] : 0,
                        rows_of(C), (int32_t *)(uintptr_t)C->col, (T *)(uintptr_t)C->value));
    }
done:
    return status;
}

// Few rows leave room for larger tables, by which less of A P is summed twice.
int table_bits(int32_t nrows)
{
    constexpr int32_t many = 16384;
    return nrows < many ? 10 : 8;
}

template <class T>
gsolve_status multiply(gsolve_csr *out, gs_triple *plan, void **kept, gs_tally_of_product *tally,
                       bool *fits, gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                       const gsolve_csr *P)
{
    job j = {ctx, {R, A, P}, R->nrows, table_bits(R->nrows)};
    gsolve_csr C = {};
    gsolve_status status = GSOLVE_OK;

    *fits = R->nrows > 0;
    if (*fits && kept) TRY(keep_sizes(&j.kept, ctx, R->nrows));
    if (*fits) TRY(make_parts<T>(&j, fits));
    if (!*fits) goto done;
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, R->nrows, P->ncols, (int64_t)j.seen.entries,
                      R->type));
    TRY(pack<T>(&j, &C));
    *plan = {j.ra_bits, j.used};
    tally->products = (int64_t)j.seen.products;
    tally->bands = 1;
    if (kept) *kept = j.kept;
    j.kept = nullptr;
    *out = C;
    C = {};
done:
    close_job(&j);
    C.place = GSOLVE_DEVICE;
    gsolve_csr_free(&C, ctx);
    return status;
}

} // namespace

extern "C" const gs_triple_kernels gs_triple_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply<float>, renew<float>, drop_kept}, {multiply<double>, renew<double>, drop_kept}};
