// triple_kept_cuda.cu: new values of R A P on a GPU. The first update goes through the rows as they
// were made and keeps the place of each product; those to come add the products at their places,
// each row by a few lanes, one row of A after the other and then one row of P after the other.
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

    if (i <= nrows) bytes[i] = n > 0 ? kept_bytes(size[i]) : 0;
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
gsolve_status weigh(kept_rows *kept, gsolve_context *ctx, const gsolve_csr *C, bool *fits,
                    int64_t *bytes)
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
    TRY(gsolve_copy(ctx, bytes, GSOLVE_HOST, kept->begin + n, GSOLVE_DEVICE, sizeof *bytes));
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
                        const gsolve_csr *C)
{
    bool fits = false;
    int64_t bytes = 0, entries = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, kept->begin, (size_t)kept->nrows + 1);
    ALLOC_DEVICE(ctx, kept->rows, (size_t)kept->nrows * classes);
    TRY(weigh(kept, ctx, C, &fits, &bytes));
    if (fits) {
        ALLOC_DEVICE(ctx, kept->all, bytes);
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

// --- values by the places ---------------------------------------------------------------------

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

// Rows of one class by G lanes each; U, V: elements of a row of A and of P that a lane takes at
// once.
template <class T, int G, int U, int V>
__global__ void __launch_bounds__(gs_block_size)
    add_at_places(operands o, const int32_t *rows, int32_t nrows, int bytes, places_of_rows kept,
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
    const int32_t *column = i < 0 ? nullptr : kept.columns(i);
    const uint16_t *outer = reinterpret_cast<const uint16_t *>(column + z.columns);
    T *const ra = reinterpret_cast<T *>(gs_triple_space + (int64_t)slot * bytes);
    T *const c = ra + z.columns;

    for (int k = lane; k < z.columns + n; k += G) ra[k] = 0;
    __syncwarp();
    add_rows<T, G, U>(o.A, count, outer, ra, [&](int k, T *factor) {
        *factor = o.R.number<T>(asked + k);
        return o.R.col[asked + k];
    });
    add_rows<T, G, V>(o.P, z.columns, outer + z.outer, c, [&](int k, T *factor) {
        *factor = ra[k];
        return column[k];
    });
    for (int k = lane; k < n; k += G) value[first + k] = c[k];
}

template <class T, int G, int U, int V>
gsolve_status add_class(const kept_rows *kept, gsolve_context *ctx, const operands &o, int k,
                        const gsolve_csr *C)
{
    constexpr int enough = 40 << 10; // bytes of a block, of which some share a multiprocessor
    const int bytes = most_sums(k) * (int)sizeof(T) + apart;
    int threads = gs_block_size;

    while (threads > 32 && threads / G * bytes > enough) threads /= 2;
    const int64_t per_block = threads / G;
    return launch_with(ctx->queue, "new values of R A P", add_at_places<T, G, U, V>,
                       (kept->count[k] + per_block - 1) / per_block, threads,
                       (int)per_block * bytes, o, kept->rows + (int64_t)k * kept->nrows,
                       kept->count[k], bytes, places_of_rows{kept->size, kept->begin, kept->all},
                       rows_of(C), (T *)(uintptr_t)C->value);
}

// Few rows leave lanes for a warp each; long ones leave no room for more than one in a warp.
template <class T>
gsolve_status by_places(const kept_rows *kept, gsolve_context *ctx, const operands &o,
                        const gsolve_csr *C)
{
    constexpr int32_t many = 16384;
    constexpr int longer = 3; // classes from there on
    gsolve_status status = GSOLVE_OK;

    for (int k = classes - 1; k >= 0; k--) { // the longest first
        const bool wide = k >= longer || kept->nrows < many;
        if (kept->count[k] == 0) continue;
        TRY((wide               ? add_class<T, 32, 1, 1>(kept, ctx, o, k, C)
             : kept->mean <= 8  ? add_class<T, 8, 1, 1>(kept, ctx, o, k, C)
             : kept->mean <= 16 ? add_class<T, 8, 2, 1>(kept, ctx, o, k, C)
                                : add_class<T, 8, 4, 1>(kept, ctx, o, k, C)));
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

    if (kept->all) return by_places<T>(kept, ctx, o, C);
    if (kept->size) TRY(make_room(kept, ctx, A, C));
    if (!kept->size) return by_tables<T, false>(plan, kept, ctx, o, R->nrows, C);
    status = by_tables<T, true>(plan, kept, ctx, o, R->nrows, C);
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
