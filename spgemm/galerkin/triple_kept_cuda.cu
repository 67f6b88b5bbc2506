// triple_kept_cuda.cu: new values of R A P on a GPU. The first update goes through the rows as they
// were made and keeps what each product is added to; those to come add the products there, each row
// by a few lanes: those with A one row of A after the other; those with P either some at a time, as
// they come, or, where a row has lanes enough, sorted by entries of C, each a lane's.
#include <cub/device/device_scan.cuh>
#include <string.h>

#include "spgemm/galerkin/triple_kernels.cuh"

namespace gs_triple_rows
{
namespace
{

// Classes of rows by their sums, those of R A and those of C.
__host__ __device__ constexpr int most_sums(int k)
{
    return k < classes - 1 ? 256 << k : 8192;
}

// --- the places
// -----------------------------------------------------------------------------------

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
    int mine = n > 0 ? 0 : -1;

    if (i <= nrows) bytes[i] = n > 0 ? kept_bytes(size[i], n) : 0;
    while (mine >= 0 && mine < classes && sums > most_sums(mine)) mine++;
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
    const places_of_rows places = {KEEP ? kept->size : nullptr, KEEP ? kept->begin : nullptr,
                                   KEEP ? kept->all : nullptr};
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

// Classes from there on have a warp a row, as all have where there are few rows.
constexpr int longer = 3;
constexpr int32_t many = 16384;

__host__ __device__ constexpr bool by_warps(int k, int32_t nrows)
{
    return k >= longer || nrows < many;
}

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
    for (int t = lane_of(); t < z.inner; t += 32) atomicAdd(&at[from.inner[t].c], 1);
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
        const term x = is_one ? from.inner[t] : term{0, 0, 0};
        const unsigned alike = __match_any_sync(all_lanes, is_one ? (int)x.c : -1 - lane_of());
        const int place = is_one ? at[x.c] + __popc(alike & below) : 0;
        __syncwarp();
        if (is_one) to.inner[place] = x;
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
    for (int k = lane_of(); k < z.outer; k += 32) b.outer[k] = a.outer[k];
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
    places_of_rows from = {kept->size, kept->begin, kept->all}, to = from;
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

// --- values by what is kept --------------------------------------------------------------------

constexpr int apart = 64; // bytes between the sums of rows, so that their banks differ

__device__ inline double times(double a, double b)
{
    return __dmul_rn(a, b); // rounded before it is added, as a table's are
}

__device__ inline float times(float a, float b)
{
    return __fmul_rn(a, b);
}

// What of a row a lane takes at once: every G-th, from its own on, which all have other places.
template <class T, int G, int U>
struct share {
    T value[U];
    uint16_t place[U];

    __device__ __forceinline__ void load(const T *b, const uint16_t *p, int left)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            value[u] = u * G < left ? b[u * G] : T(0);
            place[u] = u * G < left ? p[u * G] : uint16_t(0);
        }
    }
    __device__ __forceinline__ void add(T factor, T *sum, int left)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (u * G < left) sum[place[u]] += times(factor, value[u]);
        }
    }
};

// sum[place] += the elements of rows of B times factors, one row after the other, `count` of them
// by G lanes: ask(k, &factor) is the k-th row. All of a warp come here.
template <class T, int G, int U, class Ask>
__device__ __forceinline__ void add_rows(const rows_of &B, int count, const uint16_t *place, T *sum,
                                         Ask ask)
{
    constexpr int at_once = 4; // rows whose elements are asked for before the first is used
    const int lane = (int)threadIdx.x % G;

    place += lane;
    for (int first = 0; __any_sync(all_lanes, first < count); first += G) {
        int64_t begin = 0;
        int length = 0;
        T factor = 0;
        if (first + lane < count) {
            const int64_t j = ask(first + lane, &factor);
            begin = B.begin(j);
            length = (int)(B.begin(j + 1) - begin);
        }
        const int rows = (int)__reduce_max_sync(all_lanes, (unsigned)max(min(count - first, G), 0));
        const int longest = (int)__reduce_max_sync(all_lanes, (unsigned)length);
        for (int r = 0; r < rows; r += at_once) {
            const T *from[at_once];
            const uint16_t *to[at_once];
            int n[at_once];
            share<T, G, U> x[at_once];
#pragma unroll
            for (int i = 0; i < at_once; i++) {
                from[i] = static_cast<const T *>(B.value) + lane +
                          __shfl_sync(all_lanes, begin, r + i, G);
                n[i] = __shfl_sync(all_lanes, length, r + i, G);
                to[i] = place;
                place += n[i];
                x[i].load(from[i], to[i], n[i] - lane);
            }
#pragma unroll
            for (int i = 0; i < at_once; i++) {
                const T f = __shfl_sync(all_lanes, factor, r + i, G);
                x[i].add(f, sum, n[i] - lane);
                for (int e = U * G; e < longest; e += U * G) {
                    x[i].load(from[i] + e, to[i] + e, n[i] - lane - e);
                    x[i].add(f, sum, n[i] - lane - e);
                }
                __syncwarp();
            }
        }
    }
}

// c[..] += the terms in their order, G at a time; those among these that go to one entry are added
// one after the other. All of a warp come here.
template <class T, int G>
__device__ __forceinline__ void add_terms(const T *p, const term *terms, int count, const T *ra,
                                          T *c)
{
    constexpr int at_once = 4;
    const int lane = (int)threadIdx.x % G, group = (int)(threadIdx.x % 32) / G;
    const unsigned below = (1u << threadIdx.x % 32) - 1;

    for (int first = 0; __any_sync(all_lanes, first < count); first += G * at_once) {
        term x[at_once];
        T value[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int t = first + u * G + lane;
            x[u] = t < count ? terms[t] : term{-1, 0, 0};
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) value[u] = x[u].at >= 0 ? p[x[u].at] : T(0);
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const bool is_one = x[u].at >= 0;
            const int key = is_one ? group << 16 | x[u].c : -1 - (int)(threadIdx.x % 32);
            const unsigned alike = __match_any_sync(all_lanes, key);
            const int most = (int)__reduce_max_sync(all_lanes, (unsigned)__popc(alike));
            const bool leads = is_one && !(alike & below);
            const T product = is_one ? times(ra[x[u].k], value[u]) : T(0);
            T mine = leads ? c[x[u].c] : T(0);
            unsigned rest = alike;
            for (int k = 0; k < most; k++) {
                const T other = __shfl_sync(all_lanes, product, (__ffs((int)rest) - 1) & 31);
                if (rest) mine += other;
                rest &= rest - 1;
            }
            if (leads) c[x[u].c] = mine;
            __syncwarp();
        }
    }
}

// value[e] = the terms of entry e, of n, in their order.
template <class T>
__device__ __forceinline__ void sum_terms(const T *p, const kept_row &row, int n, const T *ra,
                                          T *value)
{
    constexpr int at_once = 4;

    for (int e = lane_of(); e < n; e += 32) {
        const int end = row.start[e + 1];
        T sum = 0;
        for (int t = row.start[e]; t < end; t += at_once) {
            T product[at_once];
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                const term x = row.inner[min(t + u, end - 1)];
                product[u] = times(ra[x.k], p[x.at]);
            }
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                if (t + u < end) sum += product[u];
            }
        }
        value[e] = sum;
    }
}

// Rows of one class by G lanes each; U: elements of a row of A that a lane takes at once.
template <class T, int G, int U>
__global__ void __launch_bounds__(gs_block_size)
    add_kept(operands o, const int32_t *rows, int32_t nrows, int bytes, places_of_rows kept,
             rows_of C, T *value)
{
    extern __shared__ __align__(16) char gs_triple_space[];
    const int lane = (int)threadIdx.x % G, slot = (int)threadIdx.x / G;
    const int64_t nth = (int64_t)blockIdx.x * (blockDim.x / G) + slot;
    const int64_t i = nth < nrows ? rows[nth] : -1;
    const row_size z = i < 0 ? row_size{0, 0, 0} : kept.size[i];
    const int64_t first = i < 0 ? 0 : C.begin(i), asked = i < 0 ? 0 : o.R.begin(i);
    const int n = i < 0 ? 0 : (int)(C.begin(i + 1) - first);
    const int count = i < 0 ? 0 : (int)(o.R.begin(i + 1) - asked);
    const kept_row row = i < 0 ? kept_row{} : kept.row(i, n);
    const T *const p = static_cast<const T *>(o.P.value);
    T *const ra = reinterpret_cast<T *>(gs_triple_space + (int64_t)slot * bytes);
    T *const c = ra + z.columns;

    for (int k = lane; k < z.columns + n; k += G) ra[k] = 0;
    __syncwarp();
    add_rows<T, G, U>(o.A, count, row.outer, ra, [&](int k, T *factor) {
        *factor = o.R.number<T>(asked + k);
        return o.R.col[asked + k];
    });
    if constexpr (G == 32) {
        sum_terms(p, row, n, ra, value + first);
    } else {
        add_terms<T, G>(p, row.inner, z.inner, ra, c);
        for (int k = lane; k < n; k += G) value[first + k] = c[k];
    }
}

template <class T, int G, int U>
gsolve_status add_class(const kept_rows *kept, gsolve_context *ctx, const operands &o, int k,
                        const gsolve_csr *C)
{
    constexpr int enough = 40 << 10; // bytes of a block, of which some share a multiprocessor
    const int bytes = most_sums(k) * (int)sizeof(T) + apart;
    int threads = gs_block_size;

    while (threads > 32 && threads / G * bytes > enough) threads /= 2;
    const int64_t per_block = threads / G;
    return launch_with(ctx->queue, "new values of R A P", add_kept<T, G, U>,
                       (kept->count[k] + per_block - 1) / per_block, threads,
                       (int)per_block * bytes, o, kept->rows + (int64_t)k * kept->nrows,
                       kept->count[k], bytes, places_of_rows{kept->size, kept->begin, kept->all},
                       rows_of(C), (T *)(uintptr_t)C->value);
}

template <class T>
gsolve_status by_kept(const kept_rows *kept, gsolve_context *ctx, const operands &o,
                      const gsolve_csr *C)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = classes - 1; k >= 0; k--) { // the longest first
        if (kept->count[k] == 0) continue;
        TRY((by_warps(k, kept->nrows) ? add_class<T, 32, 2>(kept, ctx, o, k, C)
             : kept->mean <= 8        ? add_class<T, 8, 1>(kept, ctx, o, k, C)
             : kept->mean <= 16       ? add_class<T, 8, 2>(kept, ctx, o, k, C)
                                      : add_class<T, 8, 4>(kept, ctx, o, k, C)));
    }
done:
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

    if (kept->all) return by_kept<T>(kept, ctx, o, C);
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
