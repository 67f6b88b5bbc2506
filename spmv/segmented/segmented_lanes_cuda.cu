// segmented_lanes_cuda.cu: sum=reduce on a GPU. A group of `lanes` threads of a warp sums a segment
// from the rows: thread l adds entries l, l + lanes, ..., and shuffles add the threads' sums. A
// group works on segments_at_once segments at a time, so that their loads overlap.
#include "core/pdl.cuh"
#include "spmv/segmented/segmented_product.cuh"

using namespace gs_segments;

namespace
{

template <class T>
constexpr int segments_at_once = 16 / (int)sizeof(T); // segments of a group

// Adds the products of entries at, at + lanes, ... below end to sum, for each segment of the group.
// at: this thread's first entry. The loads of all segments overlap.
template <bool EXPANDED, class T, class O, int N>
__device__ __forceinline__ void add_products(const product<T> &a, const T *expanded, int lanes,
                                             O (&at)[N], const O (&end)[N], T (&sum)[N])
{
    bool more = true;

    while (more) {
        int32_t c[N];
        T v[N];
#pragma unroll
        for (int r = 0; r < N; r++) {
            const bool in = at[r] < end[r];
            if constexpr (!EXPANDED) c[r] = in ? __ldg(&a.rows_col[at[r]]) : -1;
            v[r] = in ? __ldg(&a.rows_value[at[r]]) : T(0);
        }
        more = false;
#pragma unroll
        for (int r = 0; r < N; r++) {
            if constexpr (EXPANDED) {
                if (at[r] < end[r]) sum[r] += v[r] * __ldcs(&expanded[at[r]]);
            } else {
                if (c[r] >= 0) sum[r] += v[r] * __ldg(&a.x[c[r]]);
            }
            at[r] += lanes;
            more = more || at[r] < end[r];
        }
    }
}

// The first a.parts blocks sum one part of a long row each. The others stride over the segments: a
// group of `lanes` threads owns segments_at_once segments, `groups` apart, and its first thread
// writes their sums. SUMS 1: w'y, 2: w'y and y'y, for segments that are rows. Memory moved: 12
// bytes per entry (8 in single precision), the tables, x by gathers, y once.
template <class T, class O, bool EXPANDED, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    sum_segments(product<T> a, segments_of<O> s, int lanes, const T *expanded, double *partial,
                 unsigned *arrived, gs_guard guard)
{
    constexpr int many = segments_at_once<T>;
    const int groups = gs_block_size / lanes;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;
    const int64_t blocks = (int)gridDim.x - a.parts;
    double terms[SUMS > 0 ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if ((int)blockIdx.x < a.parts) {
        sum_part(a, a.part[blockIdx.x], a.x);
        return;
    }
    for (int64_t base = (int64_t)((int)blockIdx.x - a.parts) * groups * many; base < s.count;
         base += blocks * groups * many) {
        O at[many], end[many];
        T sum[many];
        bool more = false;
#pragma unroll
        for (int r = 0; r < many; r++) {
            const int64_t i = base + r * groups + group;
            at[r] = i < s.count ? s.begin((int32_t)i) : 0;
            end[r] = i < s.count ? at[r] + s.entries((int32_t)i) : 0;
            at[r] += lane;
            sum[r] = 0;
            more = more || at[r] < end[r];
        }
        if (more) add_products<EXPANDED>(a, expanded, lanes, at, end, sum);
#pragma unroll
        for (int r = 0; r < many; r++) {
            const int64_t i = base + r * groups + group;
            const T all = lanes_sum(sum[r], lanes);
            if (i < s.count && lane == 0) {
                put(a, a.target ? a.target[i] : (int32_t)i, all);
                if constexpr (SUMS > 0) terms[0] += (double)a.w[i] * (double)all;
                if constexpr (SUMS > 1) terms[1] += (double)all * (double)all;
            }
        }
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived,
                    [&](int t, double total) { *(t == 0 ? a.out[0] : a.out[1]) = total; });
    }
}

// Threads per segment: about one for two entries, since the second pass over a cache line costs
// little.
int lanes_for(const gs_segmented *s)
{
    int lanes = 1;

    while (lanes < 32 && 2 * (int64_t)lanes * s->segments < s->entries - s->in_parts) lanes *= 2;
    return lanes;
}

template <class T, class O, bool EXPANDED, int SUMS>
gsolve_status launch_lanes(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    constexpr auto kernel = sum_segments<T, O, EXPANDED, SUMS>;
    const int lanes = lanes_for(s);
    const int to_a_block = gs_block_size / lanes * segments_at_once<T>;

    return gs_launch_pdl(q, "the product by segments, reduced", kernel,
                         grid_for<kernel>(q, s, s->segments, to_a_block), gs_block_size, a,
                         segments_of<O>(s), lanes, (const T *)s->expanded, q->partial, q->arrived);
}

template <class T, bool EXPANDED, int SUMS>
gsolve_status launch(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    return s->csr.offset == GSOLVE_O64 ? launch_lanes<T, int64_t, EXPANDED, SUMS>(q, s, a)
                                       : launch_lanes<T, int32_t, EXPANDED, SUMS>(q, s, a);
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
gsolve_status gs_segments::by_lanes(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    return s->expanded ? multiply<T, true>(q, s, a) : multiply<T, false>(q, s, a);
}

template gsolve_status gs_segments::by_lanes(gs_queue *, const gs_segmented *,
                                             const product<float> &);
template gsolve_status gs_segments::by_lanes(gs_queue *, const gs_segmented *,
                                             const product<double> &);
