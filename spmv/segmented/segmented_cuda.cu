// segmented_cuda.cu: the product with segments on a GPU, see segmented.h.
//
// sum=thread: a warp sums a group, each of its threads a segment, eight entries at a time so that
// their reads overlap. sum=reduce: a few threads a segment, several segments at a time. In the same
// launch, first of all, the parts of rows too long for segments: a block sums one, and the block
// that ends a row's last part adds them up. Where rows of several segments are left, a second,
// small launch adds those.
//
// finish=host: the sums travel to the host, where one thread adds them as in the paper, and those
// of the rows come back; a function that the stream calls does it, so that steps can be recorded.
#include "spmv/segmented/segmented.cuh"

extern "C" {
#include "core/vector.h"
}

using namespace gs_segments;

struct gs_segmented_far { // on the host, pages locked; begin as in gs_segmented
    void *partial, *sum;
    int32_t *begin, many;
    void *row_sum; // many, on the device
    bool locked[2];
};

namespace
{

constexpr int at_once = 8; // entries that a thread reads at once
constexpr int group_warps = gs_block_size / 32;

template <class T>
constexpr int segments_at_once = 16 / (int)sizeof(T); // of several threads each

template <class T>
struct product {
    const int32_t *target; // NULL: segment i is row i
    int32_t segments, parts;
    T *partial;
    const gs_segmented_part *part;
    T *part_sum;
    unsigned *done;
    const int32_t *rows_col; // the rows as they are
    const T *rows_value;
    const T *x; // or expanded
    T *y, alpha, beta;
    const T *w;
    double *out[2]; // w'y; y'y
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const product<T> &a, int64_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// The sum of the segment whose target that is.
template <class T>
__device__ void put(const product<T> &a, int32_t to, T sum)
{
    if (to >= 0) {
        finish(a, to, sum);
    } else {
        a.partial[~to] = sum;
    }
}

// The sum over the aligned group of lanes threads, in all of them.
template <class T>
__device__ T lanes_sum(T sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

// --- parts of long rows -----------------------------------------------------------------------

// This thread's share of a part.
template <class T>
__device__ T share_of(const product<T> &a, const gs_segmented_part &p, const T *x)
{
    const int32_t *col = a.rows_col + p.from;
    const T *value = a.rows_value + p.from;
    T sum = 0;

    for (int64_t base = threadIdx.x; base < p.entries; base += at_once * gs_block_size) {
        int32_t c[at_once];
        T v[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t k = base + u * gs_block_size;
            c[u] = k < p.entries ? __ldcs(&col[k]) : -1;
            v[u] = k < p.entries ? __ldcs(&value[k]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&x[c[u]]);
        }
    }
    return sum;
}

template <class T>
__device__ void sum_part(const product<T> &a, const gs_segmented_part p, const T *x)
{
    __shared__ bool last;
    T sum = gs_block_sum(share_of(a, p, x));

    if (p.parts == 1) {
        if (threadIdx.x == 0) finish(a, p.row, sum);
        return;
    }
    if (threadIdx.x == 0) {
        a.part_sum[p.slot] = sum;
        __threadfence();
        last = atomicAdd(&a.done[p.done], 1u) == (unsigned)p.parts - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    static_assert(most_parts <= gs_block_size, "a thread adds one part");
    sum = (int)threadIdx.x < p.parts ? __ldcg(&a.part_sum[p.first + (int)threadIdx.x]) : T(0);
    sum = gs_block_sum(sum);
    if (threadIdx.x == 0) {
        finish(a, p.row, sum);
        a.done[p.done] = 0;
    }
}

// --- a thread a segment -----------------------------------------------------------------------

template <class T>
struct stored { // the groups
    const int64_t *first;
    const int32_t *col;
    const T *value;
    int groups;
};

// sum += N products, 32 apart, whose reads all begin before the first is needed.
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

// The sum of entries at, at + 32, ... before end, of which all threads of the warp have as many.
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

// SUMS: of w'y and y'y, where segments are rows. expanded: the vector, else NULL.
template <class T, bool EXPANDED, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    by_threads(product<T> a, stored<T> s, const T *expanded, double *partial, unsigned *arrived,
               const int *ended)
{
    const int lane = (int)threadIdx.x % 32;
    double terms[SUMS > 0 ? SUMS : 1] = {};

    if (ended && *ended) return;
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
        if (next < s.groups) { // is there by the time it is needed
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

// --- several threads a segment ----------------------------------------------------------------

template <class T, class O, bool EXPANDED, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    by_lanes(product<T> a, segments_of<O> s, int lanes, const T *expanded, double *partial,
             unsigned *arrived, const int *ended)
{
    constexpr int many = segments_at_once<T>;
    const int groups = gs_block_size / lanes;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;
    const int64_t blocks = (int)gridDim.x - a.parts;
    double terms[SUMS > 0 ? SUMS : 1] = {};

    if (ended && *ended) return;
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
        while (more) {
            int32_t c[many];
            T v[many];
#pragma unroll
            for (int r = 0; r < many; r++) {
                const bool in = at[r] < end[r];
                if constexpr (!EXPANDED) c[r] = in ? __ldg(&a.rows_col[at[r]]) : -1;
                v[r] = in ? __ldg(&a.rows_value[at[r]]) : T(0);
            }
            more = false;
#pragma unroll
            for (int r = 0; r < many; r++) {
                if constexpr (EXPANDED) {
                    if (at[r] < end[r]) sum[r] += v[r] * __ldcs(&expanded[at[r]]);
                } else {
                    if (c[r] >= 0) sum[r] += v[r] * __ldg(&a.x[c[r]]);
                }
                at[r] += lanes;
                more = more || at[r] < end[r];
            }
        }
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

// About one for two entries, since the second pass over a cache line costs little.
int lanes_for(const gs_segmented *s)
{
    int lanes = 1;

    while (lanes < 32 && 2 * (int64_t)lanes * s->segments < s->entries - s->in_parts) lanes *= 2;
    return lanes;
}

// --- the rest ---------------------------------------------------------------------------------

// expanded[k] = x[col[k]]
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    expand(int64_t n, const int32_t *col, const T *x, T *expanded, const int *ended)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (ended && *ended) return;
#pragma unroll 4
    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        const int32_t c = __ldcs(&col[k]);
        expanded[k] = c >= 0 ? __ldg(&x[c]) : T(0);
    }
}

// The rows of several segments, by lanes threads each.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    finish_rows(product<T> a, int32_t many, const int32_t *row, const int32_t *begin, int lanes,
                const int *ended)
{
    const int64_t m = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / lanes;
    const int lane = (int)threadIdx.x % lanes;
    T sum = 0;

    if (ended && *ended) return;
    const int32_t end = m < many ? begin[m + 1] : 0;
    const int32_t i = m < many ? row[m] : 0;
#pragma unroll 8
    for (int32_t k = m < many ? begin[m] + lane : 0; k < end; k += lanes) sum += a.partial[k];
    sum = lanes_sum(sum, lanes);
    if (m < many && lane == 0) finish(a, i, sum);
}

template <class T>
__global__ void __launch_bounds__(gs_block_size)
    put_rows(product<T> a, int32_t many, const int32_t *row, const T *sum, const int *ended)
{
    const int64_t m = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (ended && *ended) return;
    if (m < many) finish(a, row[m], sum[m]);
}

template <class T>
void CUDART_CB add_on_host(void *given)
{
    const gs_segmented_far *far = (const gs_segmented_far *)given;

    for (int32_t m = 0; m < far->many; m++) {
        T sum = 0;
        for (int32_t k = far->begin[m]; k < far->begin[m + 1]; k++) sum += ((T *)far->partial)[k];
        ((T *)far->sum)[m] = sum;
    }
}

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

template <class T>
gsolve_status finish_on_host(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    gs_segmented_far *far = s->far;
    const char *what = "the sums on the host";
    gsolve_status status;

    TRY(gs_cuda(q,
                cudaMemcpyAsync(far->partial, s->partial, (size_t)s->partials * sizeof(T),
                                cudaMemcpyDeviceToHost, q->stream),
                what));
    TRY(gs_cuda(q, cudaLaunchHostFunc(q->stream, add_on_host<T>, far), what));
    TRY(gs_cuda(q,
                cudaMemcpyAsync(far->row_sum, far->sum, (size_t)s->many * sizeof(T),
                                cudaMemcpyHostToDevice, q->stream),
                what));
    TRY(gs_launch(q, what, put_rows<T>, blocks_for(s->many), gs_block_size, a, s->many, s->row,
                  (const T *)far->row_sum, q->guard));
done:
    return status;
}

template <class T>
gsolve_status finish_all(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    const int lanes = s->partials / 24 >= s->many ? 32 : 8;

    if (s->many == 0) return GSOLVE_OK;
    if (s->far) return finish_on_host(q, s, a);
    return gs_launch(q, "the sums of cut rows", finish_rows<T>,
                     blocks_for((int64_t)s->many * lanes), gs_block_size, a, s->many, s->row,
                     s->begin, lanes, q->guard);
}

// Blocks for items of work, so many to a block: one each, or with sums on the way, and where all
// items are alike, those that run at once.
template <auto KERNEL>
int grid_for(const gs_queue *q, const gs_segmented *s, int64_t items, int to_a_block)
{
    const int64_t blocks = (items + to_a_block - 1) / to_a_block;
    const int64_t most = s->target ? INT32_MAX : (int64_t)q->processors * gs_at_once<KERNEL>();

    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most) + s->parts;
}

template <class T, bool EXPANDED, int SUMS>
gsolve_status launch_threads(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    constexpr auto kernel = by_threads<T, EXPANDED, SUMS>;
    const stored<T> groups = {s->first, s->col, (const T *)s->value, s->groups};

    return gs_launch(q, "the product by segments", kernel,
                     grid_for<kernel>(q, s, s->groups, group_warps), gs_block_size, a, groups,
                     (const T *)s->expanded, q->partial, q->arrived, q->guard);
}

template <class T, class O, bool EXPANDED, int SUMS>
gsolve_status launch_lanes(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    constexpr auto kernel = by_lanes<T, O, EXPANDED, SUMS>;
    const int lanes = lanes_for(s);
    const int to_a_block = gs_block_size / lanes * segments_at_once<T>;

    return gs_launch(q, "the product by segments, reduced", kernel,
                     grid_for<kernel>(q, s, s->segments, to_a_block), gs_block_size, a,
                     segments_of<O>(s), lanes, (const T *)s->expanded, q->partial, q->arrived,
                     q->guard);
}

template <class T, bool EXPANDED, int SUMS>
gsolve_status launch(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    if (!s->reduce) return launch_threads<T, EXPANDED, SUMS>(q, s, a);
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

template <class T>
gsolve_status apply(gs_queue *q, const gs_segmented *s, double alpha, const void *x, double beta,
                    void *y, const gs_segmented_dots *dots)
{
    const gs_vector_kernels *vector = &gs_vector_cuda[s->csr.type];
    const int32_t n = s->csr.nrows;
    product<T> a = {s->target,       s->segments, s->parts,
                    (T *)s->partial, s->part,     (T *)s->part_sum,
                    s->done,         s->csr.col,  (const T *)s->csr.value,
                    (const T *)x,    (T *)y,      (T)alpha,
                    (T)beta,         nullptr,     {}};
    gsolve_status status = GSOLVE_OK;

    if (n == 0 && !dots) return status;
    if (dots && !s->target) { // segments are rows
        a.w = (const T *)dots->w;
        a.out[0] = dots->wy;
        a.out[1] = dots->yy;
    }
    if (s->expanded) {
        TRY(gs_launch(q, "the expanded vector", expand<T>, gs_grid(q, s->stored), gs_block_size,
                      s->stored, s->reduce ? s->csr.col : s->col, (const T *)x, (T *)s->expanded,
                      q->guard));
    }
    TRY(s->expanded ? (multiply<T, true>(q, s, a)) : (multiply<T, false>(q, s, a)));
    TRY(finish_all(q, s, a));
    if (!dots || a.out[0]) return status;
    TRY(dots->yy ? vector->dot2(q, n, y, dots->w, dots->wy, dots->yy)
                 : vector->dot(q, n, dots->w, y, dots->wy));
done:
    return status;
}

// --- what finish=host takes -------------------------------------------------------------------

void drop(gs_segmented *s, gsolve_context *ctx)
{
    gs_segmented_far *far = s->far;

    if (!far) return;
    cudaStreamSynchronize(ctx->queue->stream); // the host may still be adding
    if (far->locked[0]) cudaHostUnregister(far->partial);
    if (far->locked[1]) cudaHostUnregister(far->sum);
    gsolve_free(ctx, GSOLVE_HOST, far->partial);
    gsolve_free(ctx, GSOLVE_HOST, far->sum);
    gsolve_free(ctx, GSOLVE_HOST, far->begin);
    gsolve_free(ctx, GSOLVE_DEVICE, far->row_sum);
    gsolve_free(ctx, GSOLVE_HOST, far);
}

// count values on the host in locked pages.
template <class T>
gsolve_status lock_pages(gsolve_context *ctx, int64_t count, void **block, bool *locked)
{
    const size_t bytes = (size_t)count * sizeof(T);

    *block = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof(T));
    if (!*block) return GSOLVE_NO_MEMORY;
    const cudaError_t code = cudaHostRegister(*block, bytes, cudaHostRegisterDefault);
    *locked = code == cudaSuccess;
    return gs_cuda(ctx->queue, code, "locking pages for sums");
}

template <class T>
gsolve_status prepare(gs_segmented *s, gsolve_context *ctx)
{
    gs_segmented_far *far = nullptr;
    gsolve_status status = GSOLVE_OK;

    if (s->chosen.finish != GS_FINISH_HOST || s->many == 0) return status;
    far = (gs_segmented_far *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *far);
    if (!far) return GSOLVE_NO_MEMORY;
    *far = gs_segmented_far();
    s->far = far; // destroy releases it
    far->many = s->many;
    TRY(lock_pages<T>(ctx, s->partials, &far->partial, &far->locked[0]));
    TRY(lock_pages<T>(ctx, s->many, &far->sum, &far->locked[1]));
    far->begin = (int32_t *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)s->many + 1, sizeof(int32_t));
    TRY(far->begin ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    far->row_sum = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)s->many, sizeof(T));
    TRY(far->row_sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, far->begin, GSOLVE_HOST, s->begin, GSOLVE_DEVICE,
                    ((size_t)s->many + 1) * sizeof(int32_t)));
done:
    return status;
}

// A group is a warp; with more than 32 entries a thread has long to go alone; 4096 warps are about
// half of those that run at once.
template <class T>
constexpr gs_segmented_kernels table()
{
    return {32,
            32,
            4096,
            GS_SEGMENT_MOST,
            false,
            gs_segmented_measure_rows_cuda,
            gs_segmented_cut_cuda,
            gs_segmented_look_cuda,
            gs_segmented_sort_cuda,
            gs_segmented_measure_groups_cuda,
            gs_segmented_fill_cuda,
            prepare<T>,
            drop,
            apply<T>};
}

} // namespace

extern "C" const gs_segmented_kernels gs_segmented_cuda[GSOLVE_TYPE_COUNT] = {table<float>(),
                                                                              table<double>()};
