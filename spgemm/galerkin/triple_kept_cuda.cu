// triple_kept_cuda.cu: what updates of R A P on a GPU go by. The first goes through the rows as
// they were made and keeps what each product is added to.
#include <cub/device/device_scan.cuh>
#include <string.h>

#include "spgemm/galerkin/triple_kernels.cuh"

namespace gs_triple_rows
{
namespace
{

// --- the places ---------------------------------------------------------------------------------

struct found {
    unsigned of[classes + 1]; // rows of each class; the last: rows that are in none
};

// bytes[i] that row i keeps, bytes[nrows] = 0; and the rows of each class, nearly ascending.
__global__ void __launch_bounds__(gs_block_size)
    weigh_rows(int32_t nrows, rows_of C, const row_size *size, int64_t *bytes, int32_t *rows,
               found *f)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t n = i < nrows ? C.begin(i + 1) - C.begin(i) : 0;
    const int64_t sums = n > 0 ? size[i].columns + n : 0;
    const int mine = n > 0 ? class_of(sums) : -1;

    if (i <= nrows) bytes[i] = n > 0 ? kept_bytes(size[i], n, nrows) : 0;
    for (int k = 0; k <= classes; k++) {
        const unsigned those = __ballot_sync(all_lanes, mine == k);
        unsigned at = 0;
        if (those == 0) continue;
        if (lane_of() == 0) at = atomicAdd(&f->of[k], (unsigned)__popc(those));
        at = __shfl_sync(all_lanes, at, 0) + __popc(those & ((1u << lane_of()) - 1));
        if (mine == k && k < classes) rows[(int64_t)k * nrows + at] = (int32_t)i;
    }
}

// The room that the places take; *fits false: they are not kept.
gsolve_status weigh(kept_rows *kept, gsolve_context *ctx, const gsolve_csr *C, bool *fits)
{
    gs_queue *q = ctx->queue;
    const int64_t n = kept->nrows;
    size_t space_bytes = 0;
    char *space = nullptr;
    found *f = nullptr, seen;
    gsolve_status status;

    ALLOC_DEVICE(ctx, f, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(f, 0, sizeof *f, q->stream), "weighing rows"));
    TRY(gs_launch(q, "weighing rows", weigh_rows, (int)(n / gs_block_size + 1), gs_block_size,
                  kept->nrows, rows_of(C), kept->size, kept->begin, kept->rows, f));
    TRY(gs_cuda(q,
                cub::DeviceScan::ExclusiveSum(nullptr, space_bytes, kept->begin, n + 1, q->stream),
                "numbering places"));
    ALLOC_DEVICE(ctx, space, space_bytes);
    TRY(gs_cuda(q, cub::DeviceScan::ExclusiveSum(space, space_bytes, kept->begin, n + 1, q->stream),
                "numbering places"));
    TRY(gsolve_copy(ctx, &seen, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof seen));
    TRY(gsolve_copy(ctx, &kept->bytes, GSOLVE_HOST, kept->begin + n, GSOLVE_DEVICE,
                    sizeof kept->bytes));
    for (int k = 0; k < classes; k++) kept->count[k] = (int32_t)seen.of[k];
    *fits = seen.of[classes] == 0;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

// Without what an update makes.
void drop_places(kept_rows *kept, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, kept->begin);
    gsolve_free(ctx, GSOLVE_DEVICE, kept->all);
    gsolve_free(ctx, GSOLVE_DEVICE, kept->rows);
    kept->begin = nullptr;
    kept->all = nullptr;
    kept->rows = nullptr;
}

// Room for the places, where rows are not too long for them.
gsolve_status make_room(kept_rows *kept, gsolve_context *ctx, const gsolve_csr *A,
                        const gsolve_csr *P, const gsolve_csr *C)
{
    bool fits = false;
    int64_t entries = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, kept->begin, (size_t)kept->nrows + 1);
    ALLOC_DEVICE(ctx, kept->rows, (size_t)kept->nrows * classes);
    TRY(weigh(kept, ctx, C, &fits));
    TRY(gs_csr_entries(ctx, P, &entries));
    if (fits && entries <= INT32_MAX) {
        ALLOC_DEVICE(ctx, kept->all, kept->bytes);
        TRY(gs_csr_entries(ctx, A, &entries));
        kept->mean = (double)entries / A->nrows;
    } else {
        drop_places(kept, ctx);
        gsolve_free(ctx, GSOLVE_DEVICE, kept->size);
        kept->size = nullptr;
    }
done:
    if (status != GSOLVE_OK) drop_places(kept, ctx);
    return status;
}

// --- values as they were made -----------------------------------------------------------------

template <class T, bool KEEP>
gsolve_status by_tables(const gs_triple *plan, const kept_rows *kept, gsolve_context *ctx,
                        const operands &o, int32_t nrows, const gsolve_csr *C)
{
    const places_of_rows places = {nrows, kept->size, kept->begin, kept->all};
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < plan->parts; k++) {
        const shape s = {plan->bits, part_bits[k]};
        const int more = KEEP ? index_bytes(s.ra_bits, s.bits + 1) : 0;
        TRY(launch_rows(ctx->queue, "new values of R A P", renew_rows<T, KEEP>, nrows,
                        warp_bytes<T>(s) + more, o, nrows, s, k ? 1 << part_bits[k - 1] : 0,
                        rows_of(C), (T *)(uintptr_t)C->value, places));
    }
done:
    return status;
}

// --- terms sorted by entries ---------------------------------------------------------------------

constexpr int longest_row = 1 << part_bits[parts - 1]; // of C

// The terms of a row of n entries in their order for each entry, by a warp; at: of the n entries,
// where their next term goes.
__device__ void sort_terms(const row_size &z, const kept_row &from, const kept_row &to, int n,
                           int32_t *at)
{
    const unsigned below = (1u << lane_of()) - 1;
    int before = 0;

    for (int e = lane_of(); e < n; e += 32) at[e] = 0;
    __syncwarp();
    for (int t = lane_of(); t < z.inner; t += 32) atomicAdd(&at[from.terms[t].c], 1);
    __syncwarp();
    for (int first = 0; first < n; first += 32) {
        const int e = first + lane_of(), count = e < n ? at[e] : 0;
        const int upto = running_sum(count, 32);
        if (e < n) to.start[e] = at[e] = before + upto - count;
        before += __shfl_sync(all_lanes, upto, 31);
    }
    if (lane_of() == 0) to.start[n] = before;
    __syncwarp();
    for (int first = 0; first < z.inner; first += 32) {
        const int t = first + lane_of();
        const bool is_one = t < z.inner;
        const term x = is_one ? from.terms[t] : term{0, 0, 0};
        const unsigned alike = __match_any_sync(all_lanes, is_one ? (int)x.c : -1 - lane_of());
        const int place = is_one ? at[x.c] + __popc(alike & below) : 0;
        __syncwarp();
        if (is_one) to.terms[place] = x;
        if (is_one && !(alike & below)) at[x.c] += __popc(alike);
        __syncwarp();
    }
}

__global__ void __launch_bounds__(128) sort_class(const int32_t *rows, int32_t nrows, rows_of C,
                                                  places_of_rows from, places_of_rows to)
{
    __shared__ int32_t at[4][longest_row];
    const int64_t nth = warp_of_grid();
    if (nth >= nrows) return; // the whole warp
    const int64_t i = rows[nth];
    const int n = (int)(C.begin(i + 1) - C.begin(i));
    const row_size z = from.size[i];
    const kept_row a = from.row(i, n), b = to.row(i, n);

    sort_terms(z, a, b, n, at[threadIdx.x / 32]);
    for (int k = lane_of(); k < 2 * z.outer; k += 32) b.outer[k] = a.outer[k];
}

__global__ void __launch_bounds__(gs_block_size)
    copy_class(const int32_t *rows, int32_t nrows, places_of_rows from, places_of_rows to)
{
    const int64_t nth = warp_of_grid();
    if (nth >= nrows) return;
    const int64_t begin = from.begin[rows[nth]], end = from.begin[(int64_t)rows[nth] + 1];
    for (int64_t k = begin / 8 + lane_of(); k < end / 8; k += 32) {
        reinterpret_cast<int64_t *>(to.all)[k] = reinterpret_cast<const int64_t *>(from.all)[k];
    }
}

// Those of the rows that have a warp each.
gsolve_status sort_all(kept_rows *kept, gsolve_context *ctx, const gsolve_csr *C)
{
    places_of_rows from = {kept->nrows, kept->size, kept->begin, kept->all}, to = from;
    bool any = false;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < classes; k++) {
        any = any || (kept->count[k] > 0 && by_warps(k, kept->nrows));
    }
    if (!any) return GSOLVE_OK;
    to.all = nullptr;
    ALLOC_DEVICE(ctx, to.all, kept->bytes);
    for (int k = 0; k < classes; k++) {
        const int32_t *rows = kept->rows + (int64_t)k * kept->nrows, n = kept->count[k];
        if (n == 0) continue;
        if (by_warps(k, kept->nrows)) {
            TRY(gs_launch(ctx->queue, "sorting products", sort_class, (n + 3) / 4, 128, rows, n,
                          rows_of(C), from, to));
        } else {
            TRY(gs_launch(ctx->queue, "copying products", copy_class, (n + 7) / 8, gs_block_size,
                          rows, n, from, to));
        }
    }
    kept->all = to.all;
    to.all = from.all;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, to.all);
    return status;
}

} // namespace

gsolve_status keep_sizes(kept_rows **out, gsolve_context *ctx, int32_t nrows)
{
    kept_rows *kept = static_cast<kept_rows *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *kept));
    gsolve_status status = kept ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    TRY(status);
    memset(kept, 0, sizeof *kept);
    kept->nrows = nrows;
    ALLOC_DEVICE(ctx, kept->size, (size_t)nrows);
    *out = kept;
    kept = nullptr;
done:
    drop_kept(kept, ctx);
    return status;
}

void drop_kept(void *kept, gsolve_context *ctx)
{
    kept_rows *rows = static_cast<kept_rows *>(kept);

    if (!rows) return;
    drop_places(rows, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, rows->size);
    gsolve_free(ctx, GSOLVE_HOST, rows);
}

template <class T>
gsolve_status renew(const gs_triple *plan, void *all, gsolve_context *ctx, const gsolve_csr *R,
                    const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C)
{
    const operands o = {R, A, P};
    kept_rows *kept = static_cast<kept_rows *>(all);
    gsolve_status status;

    if (kept->all) return add_kept_rows<T>(kept, ctx, o, C);
    if (kept->size) TRY(make_room(kept, ctx, A, P, C));
    if (!kept->size) return by_tables<T, false>(plan, kept, ctx, o, R->nrows, C);
    status = by_tables<T, true>(plan, kept, ctx, o, R->nrows, C);
    if (status == GSOLVE_OK) status = sort_all(kept, ctx, C);
    if (status != GSOLVE_OK) drop_places(kept, ctx);
done:
    return status;
}

template gsolve_status renew<float>(const gs_triple *, void *, gsolve_context *, const gsolve_csr *,
                                    const gsolve_csr *, const gsolve_csr *, gsolve_csr *);
template gsolve_status renew<double>(const gs_triple *, void *, gsolve_context *,
                                     const gsolve_csr *, const gsolve_csr *, const gsolve_csr *,
                                     gsolve_csr *);

} // namespace gs_triple_rows
