// triple_add_cuda.cu: new values of R A P on a GPU by what is kept of each product: a row of C by a
// few lanes, which add the products with A one row of A after the other; then those with P one row
// of P after the other, or, by a warp, sorted by entries of C, each a lane's.
#include "spgemm/galerkin/triple_kept.cuh"

namespace gs_triple_rows
{
namespace
{

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
template <class T, class P, int G, int U>
struct share {
    T value[U];
    P place[U];

    __device__ __forceinline__ void load(const T *b, const P *p, int left)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            value[u] = u * G < left ? b[u * G] : T(0);
            place[u] = u * G < left ? p[u * G] : P(0);
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
template <int G, int U, class T, class P, class Ask>
__device__ __forceinline__ void add_rows(const rows_of &B, int count, const P *place, T *sum,
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
            const P *to[at_once];
            int n[at_once];
            share<T, P, G, U> x[at_once];
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
                const term x = row.terms[min(t + u, end - 1)];
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

// Rows by G lanes each, all if `rows` is NULL; P: of the places; U: elements of a row of A that a
// lane takes at once.
template <class T, class P, int G, int U>
__global__ void __launch_bounds__(gs_block_size)
    add_kept(operands o, const int32_t *rows, int32_t nrows, int bytes, places_of_rows kept,
             rows_of C, T *value)
{
    extern __shared__ __align__(16) char gs_triple_space[];
    const int lane = (int)threadIdx.x % G, slot = (int)threadIdx.x / G;
    const int64_t nth = (int64_t)blockIdx.x * (blockDim.x / G) + slot;
    const int64_t i = nth >= nrows ? -1 : rows ? rows[nth] : nth;
    const int64_t first = i < 0 ? 0 : C.begin(i), asked = i < 0 ? 0 : o.R.begin(i);
    const int n = i < 0 ? 0 : (int)(C.begin(i + 1) - first);
    const row_size z = n > 0 ? kept.size[i] : row_size{0, 0, 0};
    const int count = n == 0 ? 0 : (int)(o.R.begin(i + 1) - asked);
    const kept_row row = n > 0 ? kept.row(i, n) : kept_row{};
    T *const ra = reinterpret_cast<T *>(gs_triple_space + (int64_t)slot * bytes);
    T *const c = ra + z.columns;

    for (int k = lane; k < z.columns + n; k += G) ra[k] = 0;
    __syncwarp();
    add_rows<G, U>(o.A, count, reinterpret_cast<const P *>(row.outer), ra, [&](int k, T *factor) {
        *factor = o.R.number<T>(asked + k);
        return o.R.col[asked + k];
    });
    if constexpr (G == 32) {
        sum_terms(static_cast<const T *>(o.P.value), row, n, ra, value + first);
    } else {
        add_rows<G, 1>(o.P, z.columns, reinterpret_cast<const P *>(row.inner), c,
                       [&](int k, T *factor) {
                           *factor = ra[k];
                           return row.column[k];
                       });
        for (int k = lane; k < n; k += G) value[first + k] = c[k];
    }
}

// Those of class k, or all.
template <class T, class P, int G, int U>
gsolve_status add_class(const kept_rows *kept, gsolve_context *ctx, const operands &o, int k,
                        bool all, const gsolve_csr *C)
{
    constexpr int enough = 40 << 10; // bytes of a block, of which some share a multiprocessor
    const int bytes = most_sums(k) * (int)sizeof(T) + apart;
    const int32_t nrows = all ? kept->nrows : kept->count[k];
    int threads = gs_block_size;

    while (threads > 32 && threads / G * bytes > enough) threads /= 2;
    const int64_t per_block = threads / G;
    return launch_with(ctx->queue, "new values of R A P", add_kept<T, P, G, U>,
                       (nrows + per_block - 1) / per_block, threads, (int)per_block * bytes, o,
                       all ? nullptr : kept->rows + (int64_t)k * kept->nrows, nrows, bytes,
                       places_of_rows{kept->nrows, kept->size, kept->begin, kept->all}, rows_of(C),
                       (T *)(uintptr_t)C->value);
}

// By the mean length of a row of A.
template <class T, class P>
gsolve_status add_by_lanes(const kept_rows *kept, gsolve_context *ctx, const operands &o, int k,
                           const gsolve_csr *C)
{
    return kept->mean <= 8    ? add_class<T, P, 8, 1>(kept, ctx, o, k, false, C)
           : kept->mean <= 16 ? add_class<T, P, 8, 2>(kept, ctx, o, k, false, C)
                              : add_class<T, P, 8, 4>(kept, ctx, o, k, false, C);
}

} // namespace

// Few rows, of all classes, at once.
template <class T>
gsolve_status add_kept_rows(const kept_rows *kept, gsolve_context *ctx, const operands &o,
                            const gsolve_csr *C)
{
    const bool all = by_warps(0, kept->nrows);
    gsolve_status status = GSOLVE_OK;

    for (int k = classes - 1; k >= 0; k--) { // the longest first
        if (kept->count[k] == 0) continue;
        TRY((by_warps(k, kept->nrows) ? add_class<T, uint16_t, 32, 2>(kept, ctx, o, k, all, C)
             : k <= byte_class        ? add_by_lanes<T, uint8_t>(kept, ctx, o, k, C)
                                      : add_by_lanes<T, uint16_t>(kept, ctx, o, k, C)));
        if (all) break;
    }
done:
    return status;
}

template gsolve_status add_kept_rows<float>(const kept_rows *, gsolve_context *, const operands &,
                                            const gsolve_csr *);
template gsolve_status add_kept_rows<double>(const kept_rows *, gsolve_context *, const operands &,
                                             const gsolve_csr *);

} // namespace gs_triple_rows
