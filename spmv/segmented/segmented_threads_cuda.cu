// segmented_threads_cuda.cu: sum=thread on a GPU. A warp sums one group at a time and strides over
// the groups; each thread sums one segment. The entries of a group are interleaved, so every load
// of the warp is contiguous.
#include "core/pdl.cuh"
#include "spmv/segmented/segmented_product.cuh"

using namespace gs_segments;

namespace
{

constexpr int group_warps = gs_block_size / 32;

template <class T>
struct stored { // the stored groups
    const int64_t *first;
    const int32_t *col;
    const T *value;
    int groups;
};

// sum += N products, 32 apart. All loads are issued before the first is used.
template <int N, bool EXPANDED, class T>
__device__ __forceinline__ void add_products(const stored<T> &s, const T *x, int64_t at, T &sum)
{
    int32_t c[N];
    T v[N], read[N];

#pragma unroll
    for (int u = 0; u < N; u++) {
        if constexpr (!EXPANDED) c[u] = __ldcs(&s.col[at + 32 * u]);
        v[u] = __ldcs(&s.value[at + 32 * u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        if constexpr (EXPANDED) {
            read[u] = __ldcs(&x[at + 32 * u]);
        } else {
            read[u] = c[u] >= 0 ? __ldg(&x[c[u]]) : T(0);
        }
    }
#pragma unroll
    for (int u = 0; u < N; u++) sum += v[u] * read[u];
}

// The sum of entries at, at + 32, ... below end. All threads of the warp have equally many.
template <class T, bool EXPANDED>
__device__ T thread_sum(const stored<T> &s, const T *x, int64_t at, int64_t end)
{
    T sum = 0;

    for (; end - at > 32 * (at_once - 1); at += 32 * at_once) {
        add_products<at_once, EXPANDED>(s, x, at, sum);
    }
    switch ((int)(end - at + 31) / 32) {
    case 7: add_products<7, EXPANDED>(s, x, at, sum); break;
    case 6: add_products<6, EXPANDED>(s, x, at, sum); break;
    case 5: add_products<5, EXPANDED>(s, x, at, sum); break;
    case 4: add_products<4, EXPANDED>(s, x, at, sum); break;
    case 3: add_products<3, EXPANDED>(s, x, at, sum); break;
    case 2: add_products<2, EXPANDED>(s, x, at, sum); break;
    case 1: add_products<1, EXPANDED>(s, x, at, sum); break;
    }
    return sum;
}

// The first a.parts blocks sum one part of a long row each; see the head of the file for the
// others. SUMS 1: w'y, 2: w'y and y'y, for segments that are rows. expanded: the expanded vector,
// or NULL. The begin of the next group is loaded while the present one is summed.
template <class T, bool EXPANDED, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    sum_groups(product<T> a, stored<T> s, const T *expanded, double *partial, unsigned *arrived,
               gs_guard guard)
{
    const int lane = (int)threadIdx.x % 32;
    double terms[SUMS > 0 ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if ((int)blockIdx.x < a.parts) {
        sum_part(a, a.part[blockIdx.x], a.x);
        return;
    }
    const int64_t step = (int64_t)((int)gridDim.x - a.parts) * group_warps;
    int64_t g = (int64_t)((int)blockIdx.x - a.parts) * group_warps + threadIdx.x / 32;
    int64_t at = g < s.groups ? s.first[g] : 0, end = g < s.groups ? s.first[g + 1] : 0;
    for (int64_t next; g < s.groups; g = next) {
        const int64_t i = g * 32 + lane;
        const bool real = i < a.segments;
        const int32_t to = !real ? 0 : a.target ? __ldcs(&a.target[i]) : (int32_t)i;
        int64_t next_at = 0, next_end = 0;
        T w = 0;
        next = g + step;
        if (next < s.groups) { // loaded while this group is summed
            next_at = s.first[next];
            next_end = s.first[next + 1];
        }
        if constexpr (SUMS > 0) w = real ? a.w[i] : T(0);
        const T sum = thread_sum<T, EXPANDED>(s, EXPANDED ? expanded : a.x, at + lane, end);
        if (real) {
            put(a, to, sum);
            if constexpr (SUMS > 0) terms[0] += (double)w * (double)sum;
            if constexpr (SUMS > 1) terms[1] += (double)sum * (double)sum;
        }
        at = next_at;
        end = next_end;
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived,
                    [&](int t, double total) { *(t == 0 ? a.out[0] : a.out[1]) = total; });
    }
}

template <class T, bool EXPANDED, int SUMS>
gsolve_status launch(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    constexpr auto kernel = sum_groups<T, EXPANDED, SUMS>;
    const stored<T> groups = {s->first, s->col, (const T *)s->value, s->groups};

    return gs_launch_pdl(q, "the product by segments", kernel,
                         grid_for<kernel>(q, s, s->groups, group_warps), gs_block_size, a, groups,
                         (const T *)s->expanded, q->partial, q->arrived);
}

template <class T, bool EXPANDED>
gsolve_status multiply(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    return !a.out[0]  ? launch<T, EXPANDED, 0>(q, s, a)
           : a.out[1] ? launch<T, EXPANDED, 2>(q, s, a)
                      : launch<T, EXPANDED, 1>(q, s, a);
}

} // namespace

template <class T>
gsolve_status gs_segments::by_threads(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    return s->expanded ? multiply<T, true>(q, s, a) : multiply<T, false>(q, s, a);
}

template gsolve_status gs_segments::by_threads(gs_queue *, const gs_segmented *,
                                               const product<float> &);
template gsolve_status gs_segments::by_threads(gs_queue *, const gs_segmented *,
                                               const product<double> &);
