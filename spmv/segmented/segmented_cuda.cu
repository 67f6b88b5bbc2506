// segmented_cuda.cu: the product with segments on a GPU, see segmented.h. The first blocks of a
// launch sum the parts of rows that are too long for segments, one part per block; the block that
// finishes last adds the parts of the row in their order. The other blocks sum segments: several
// threads sum one (sum=reduce), or one thread does (sum=thread). If there are cut rows, a second,
// small launch adds the sums of their segments.
//
// One product moves 12 bytes per stored entry (8 in single precision), the tables, and x and y
// once.
#include "spmv/segmented/segmented_product.cuh"

using namespace gs_segments;

namespace
{

// Blocks for `items` items with to_a_block items per block: enough for one item each; for kernels
// with sums, where segments are rows, at most as many as run at once. The blocks for parts are
// added.
template <auto KERNEL>
int grid_for(const gs_queue *q, const gs_segmented *s, int64_t items, int to_a_block)
{
    const int64_t blocks = (items + to_a_block - 1) / to_a_block;
    const int64_t most = s->target ? INT32_MAX : (int64_t)q->processors * gs_at_once<KERNEL>();

    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most) + s->parts;
}

// --- sum=reduce -------------------------------------------------------------------------------
//
// A group of `lanes` threads of a warp sums a segment from the rows: thread l adds entries l,
// l + lanes, ..., and shuffles add the threads' sums. A group works on segments_at_once segments at
// a time, so that their loads overlap.

template <class T>
constexpr int segments_at_once = 16 / (int)sizeof(T); // segments of a group

// Adds the products of entries at, at + lanes, ... below end to sum, for each segment of the group.
// at: this thread's first entry. The loads of all segments overlap.
template <class T, class O, int N>
__device__ __forceinline__ void add_products(const product<T> &a, int lanes, O (&at)[N],
                                             const O (&end)[N], T (&sum)[N])
{
    bool more = true;

    while (more) {
        int32_t c[N];
        T v[N];
#pragma unroll
        for (int r = 0; r < N; r++) {
            const bool in = at[r] < end[r];
            c[r] = in ? __ldg(&a.col[at[r]]) : -1;
            v[r] = in ? __ldg(&a.value[at[r]]) : T(0);
        }
        more = false;
#pragma unroll
        for (int r = 0; r < N; r++) {
            if (c[r] >= 0) sum[r] += v[r] * __ldg(&a.x[c[r]]);
            at[r] += lanes;
            more = more || at[r] < end[r];
        }
    }
}

// The first a.parts blocks sum one part of a long row each. The others stride over the segments: a
// group of `lanes` threads owns segments_at_once segments, `groups` apart, and its first thread
// writes their sums. SUMS 1: w'y, 2: w'y and y'y, for segments that are rows. Memory moved: 12
// bytes per entry (8 in single precision), the tables, x by gathers, y once.
template <class T, class O, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    sum_segments(product<T> a, segments_of<O> s, int lanes, double *partial, unsigned *arrived,
                 gs_guard guard)
{
    constexpr int many = segments_at_once<T>;
    const int groups = gs_block_size / lanes;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;
    const int64_t blocks = (int)gridDim.x - a.parts;
    double terms[SUMS > 0 ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if ((int)blockIdx.x < a.parts) {
        sum_part(a, a.part[blockIdx.x]);
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
        if (more) add_products(a, lanes, at, end, sum);
#pragma unroll
        for (int r = 0; r < many; r++) {
            const int64_t i = base + r * groups + group;
            const T all = lanes_sum(sum[r], lanes);
            if (i < s.count && lane == 0) {
                put(a, a.target ? a.target[i] : (int32_t)i, all);
                if constexpr (SUMS > 0) gs_add_terms<SUMS>(terms, a.w[i], all);
            }
        }
    }
    if constexpr (SUMS > 0) gs_store_sums<SUMS>(a, terms, partial, arrived);
}

// Threads per segment: about one for two entries, since the second pass over a cache line costs
// little.
int lanes_for(const gs_segmented *s)
{
    int lanes = 1;

    while (lanes < 32 && 2 * (int64_t)lanes * s->segments < s->entries - s->in_parts) lanes *= 2;
    return lanes;
}

template <class T, class O, int SUMS>
gsolve_status launch_lanes(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    constexpr auto kernel = sum_segments<T, O, SUMS>;
    const int lanes = lanes_for(s);
    const int to_a_block = gs_block_size / lanes * segments_at_once<T>;

    return gs_launch_pdl(q, "the product by segments, reduced", kernel,
                         grid_for<kernel>(q, s, s->segments, to_a_block), gs_block_size, a,
                         segments_of<O>(s), lanes, q->partial, q->arrived);
}

// --- sum=thread -------------------------------------------------------------------------------
//
// A warp sums one group at a time and strides over the groups; each thread sums one segment. The
// entries of a group are interleaved, so every load of the warp is contiguous.

constexpr int group_warps = gs_block_size / 32;

template <class T>
struct stored { // the stored groups
    const int64_t *first;
    const int32_t *col;
    const T *value;
    int groups;
};

// sum += N products, 32 apart. All loads are issued before the first is used.
template <int N, class T>
__device__ __forceinline__ void add_products(const stored<T> &s, const T *x, int64_t at, T &sum)
{
    int32_t c[N];
    T v[N], read[N];

#pragma unroll
    for (int u = 0; u < N; u++) {
        c[u] = __ldcs(&s.col[at + 32 * u]);
        v[u] = __ldcs(&s.value[at + 32 * u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) read[u] = c[u] >= 0 ? __ldg(&x[c[u]]) : T(0);
#pragma unroll
    for (int u = 0; u < N; u++) sum += v[u] * read[u];
}

// The sum of entries at, at + 32, ... below end. All threads of the warp have equally many.
template <class T>
__device__ T thread_sum(const stored<T> &s, const T *x, int64_t at, int64_t end)
{
    T sum = 0;

    for (; end - at > 32 * (at_once - 1); at += 32 * at_once) {
        add_products<at_once>(s, x, at, sum);
    }
    switch ((int)(end - at + 31) / 32) {
    case 7: add_products<7>(s, x, at, sum); break;
    case 6: add_products<6>(s, x, at, sum); break;
    case 5: add_products<5>(s, x, at, sum); break;
    case 4: add_products<4>(s, x, at, sum); break;
    case 3: add_products<3>(s, x, at, sum); break;
    case 2: add_products<2>(s, x, at, sum); break;
    case 1: add_products<1>(s, x, at, sum); break;
    }
    return sum;
}

// The first a.parts blocks sum one part of a long row each; see the head of the file for the
// others. SUMS 1: w'y, 2: w'y and y'y, for segments that are rows. The begin of the next group is
// loaded while the present one is summed.
template <class T, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    sum_groups(product<T> a, stored<T> s, double *partial, unsigned *arrived, gs_guard guard)
{
    const int lane = (int)threadIdx.x % 32;
    double terms[SUMS > 0 ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if ((int)blockIdx.x < a.parts) {
        sum_part(a, a.part[blockIdx.x]);
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
        const T sum = thread_sum(s, a.x, at + lane, end);
        if (real) {
            put(a, to, sum);
            gs_add_terms<SUMS>(terms, w, sum);
        }
        at = next_at;
        end = next_end;
    }
    if constexpr (SUMS > 0) gs_store_sums<SUMS>(a, terms, partial, arrived);
}

template <class T, int SUMS>
gsolve_status launch_threads(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    constexpr auto kernel = sum_groups<T, SUMS>;
    const stored<T> groups = {s->first, s->col, (const T *)s->value, s->groups};

    return gs_launch_pdl(q, "the product by segments", kernel,
                         grid_for<kernel>(q, s, s->groups, group_warps), gs_block_size, a, groups,
                         q->partial, q->arrived);
}

// --- cut rows ---------------------------------------------------------------------------------

// A group of `lanes` threads adds the segments of one cut row: thread l adds segments l, l + lanes,
// ..., and shuffles add the threads' sums.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    add_rows(product<T> a, int32_t many, const int32_t *row, const int32_t *begin, int lanes,
             gs_guard guard)
{
    const int64_t m = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / lanes;
    const int lane = (int)threadIdx.x % lanes;
    T sum = 0;

    if (guard.has_ended()) return;
    const int32_t end = m < many ? begin[m + 1] : 0;
    const int32_t i = m < many ? row[m] : 0;
#pragma unroll 8
    for (int32_t k = m < many ? begin[m] + lane : 0; k < end; k += lanes) sum += a.partial[k];
    sum = lanes_sum(sum, lanes);
    if (m < many && lane == 0) gs_finish(a, i, sum);
}

template <class T>
gsolve_status finish_rows(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    const int lanes = s->partials / 24 >= s->many ? 32 : 8;

    if (s->many == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the sums of cut rows", add_rows<T>,
                         blocks_for((int64_t)s->many * lanes), gs_block_size, a, s->many, s->row,
                         s->begin, lanes);
}

// --- the product ------------------------------------------------------------------------------

template <class T, int SUMS>
gsolve_status launch(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    if (!s->reduce) return launch_threads<T, SUMS>(q, s, a);
    return s->csr.offset == GSOLVE_O64 ? launch_lanes<T, int64_t, SUMS>(q, s, a)
                                       : launch_lanes<T, int32_t, SUMS>(q, s, a);
}

template <class T>
gsolve_status multiply(gs_queue *q, const gs_segmented *s, double alpha, gsolve_dense x,
                       double beta, gsolve_dense y, const gs_product_sums *dots)
{
    const bool fused = dots && !s->target; // segments are rows
    const product<T> a = {
        gs_row_operands_of<T>(&s->csr, alpha, x.value, beta, y.value, fused ? dots : nullptr),
        s->target,
        s->segments,
        s->parts,
        (T *)s->partial,
        s->part,
        (T *)s->part_sum,
        s->done};
    gsolve_status status = GSOLVE_OK;

    if (y.nrows == 0 && !dots) return status;
    TRY((!fused     ? launch<T, 0>(q, s, a)
         : a.out[1] ? launch<T, 2>(q, s, a)
                    : launch<T, 1>(q, s, a)));
    TRY(finish_rows(q, s, a));
    if (!dots || fused) return status;
    TRY(gs_sum_product(&gs_vector_cuda[x.type], q, y.nrows, y.value, dots));
done:
    return status;
}

} // namespace

gsolve_status gs_segmented_multiply(const gs_segmented *s, gsolve_context *ctx, double alpha,
                                    gsolve_dense x, double beta, gsolve_dense y,
                                    const gs_product_sums *dots)
{
    return x.type == GSOLVE_F32 ? multiply<float>(ctx->queue, s, alpha, x, beta, y, dots)
                                : multiply<double>(ctx->queue, s, alpha, x, beta, y, dots);
}
