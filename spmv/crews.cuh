// crews.cuh: products with x and y by rows on a GPU. A team of 1, 2, 4, ... 32 neighbouring threads
// shares a row (or a segment or block row, as the form has it): all of them read the same entries,
// and each the part of x's row that it answers for, W numbers by one read; together they read all
// of it. A thread block goes through a stretch of rows, so that the rows of x that neighbours share
// stay in its multiprocessor's first cache.
//
// A form is what says which entries a team has:
//     static constexpr int rows       results of a team
//     static constexpr int threads    most of a block
//     static constexpr int blocks     of so many threads that a multiprocessor is to run at least
//     template <int W> kernel()       multiply_rows<T, W, Form>, or another one with its parameters
//     int64_t units                   jobs for teams
//     template <int W> void sum_up(unit, in, x, stride, shift, sums)    all threads of a warp call
//     it int32_t row(unit, r)            row of y, or ~place in partial, or nobody
#ifndef GS_CREWS_CUH
#define GS_CREWS_CUH

#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/crews.h"
}

namespace gs_crews
{

constexpr int32_t nobody = INT32_MIN; // there is no result

// x and y of one pass.
template <class T>
struct dense_rows {
    const T *x;
    T *y, *partial; // partial: pitch of them for each place
    int64_t xstride, ystride;
    T alpha, beta;
    int columns, pitch, shift; // a team has 1 << shift threads
};

// log2 of the threads of a team for so many pieces.
inline int shift_for(int pieces)
{
    int shift = 0;

    while (1 << shift < pieces) shift++;
    return shift;
}

// W numbers side by side, by one read where they are 16 bytes.
template <int W, class T>
__device__ __forceinline__ void read_piece(const T *x, T (&piece)[W])
{
    if constexpr (W * sizeof(T) == 16) {
        const uint4 got = __ldg((const uint4 *)x);
        memcpy(piece, &got, sizeof got);
    } else {
#pragma unroll
        for (int w = 0; w < W; w++) piece[w] = __ldg(&x[w]);
    }
}

// N elements side by side, aligned to all of them, that nobody else will read.
template <int N, class E>
__device__ __forceinline__ void read_once(const E *from, E (&to)[N])
{
    if constexpr (N * sizeof(E) == 32) {
        const uint4 got[2] = {__ldcs((const uint4 *)from), __ldcs((const uint4 *)from + 1)};
        memcpy(to, got, sizeof got);
    } else if constexpr (N * sizeof(E) == 16) {
        const uint4 got = __ldcs((const uint4 *)from);
        memcpy(to, &got, sizeof got);
    } else if constexpr (N * sizeof(E) == 8) {
        const uint2 got = __ldcs((const uint2 *)from);
        memcpy(to, &got, sizeof got);
    } else if constexpr (N * sizeof(E) == 4) {
        const unsigned got = __ldcs((const unsigned *)from);
        memcpy(to, &got, sizeof got);
    } else {
        static_assert(N == 1, "elements of two bytes come in pairs");
        to[0] = __ldcs(from);
    }
}

// y_i = alpha sum + beta y_i for W columns from `first` on.
template <int W, class T>
__device__ void finish(const dense_rows<T> &d, int32_t i, int first, const T (&sum)[W])
{
    T *y = d.y + (int64_t)i * d.ystride + first;
    gs_pack<T, W> out;

#pragma unroll
    for (int w = 0; w < W; w++) out.v[w] = d.alpha * sum[w];
    if (d.beta != 0) {
        const gs_pack<T, W> old = gs_load<W>(y, 0);
#pragma unroll
        for (int w = 0; w < W; w++) out.v[w] = d.alpha * sum[w] + d.beta * old.v[w];
    }
    gs_store<W>(y, 0, out);
}

// How units are dealt: so many neighbouring ones to a block at a time, and neighbouring stretches
// to blocks that are likely to run on one multiprocessor: every processors-th.
struct stretches {
    int32_t units, processors;
    __device__ int64_t first() const
    {
        const int32_t each = (int32_t)gridDim.x / processors; // blocks of a multiprocessor
        const int32_t b = (int32_t)blockIdx.x;
        return (int64_t)(b % processors * each + b / processors) * units;
    }
};

// The units of a team, one after the other: a stretch of them by the teams of a block, then the
// next stretch that is the block's. A warp goes on until none of its teams has one left.
struct walk {
    int64_t tile; // its first unit
    int32_t done; // of it, before those that teams have now

    __device__ explicit walk(const stretches &by) : tile(by.first()), done(0) {}
    __device__ int64_t unit(int shift) const { return tile + done + ((int)threadIdx.x >> shift); }
    __device__ bool more(int64_t units) const { return tile < units; }
    // Whether the team has one.
    __device__ bool in(int64_t units, const stretches &by, int shift) const
    {
        const int32_t at = done + ((int)threadIdx.x >> shift);
        return at < by.units && tile + at < units;
    }
    __device__ void go_on(int64_t units, const stretches &by, int shift)
    {
        const int32_t first = ((int)threadIdx.x & ~31) >> shift; // team of the warp

        done += (int)blockDim.x >> shift;
        while (tile < units && (done + first >= by.units || tile + done + first >= units)) {
            tile += (int64_t)gridDim.x * by.units;
            done = 0;
        }
    }
};

template <class T, int W, class Form>
__global__ void __launch_bounds__(Form::threads, Form::blocks)
    multiply_rows(Form form, dense_rows<T> d, stretches by, const int *ended)
{
    const int own = ((int)threadIdx.x & ((1 << d.shift) - 1)) * W; // this thread's first column
    const bool on = own < d.columns;
    const T *x = d.x + (on ? own : 0);

    if (ended && *ended) return;
    for (walk at(by); at.more(form.units); at.go_on(form.units, by, d.shift)) {
        const bool in = at.in(form.units, by, d.shift);
        const int64_t unit = at.unit(d.shift);
        T sum[Form::rows][W] = {};
        form.template sum_up<W>(unit, in, x, d.xstride, d.shift, sum);
#pragma unroll
        for (int r = 0; r < Form::rows; r++) {
            const int32_t to = in && on ? form.row(unit, r) : nobody;
            if (to >= 0) {
                finish<W>(d, to, own, sum[r]);
            } else if (to != nobody) {
                T *partial = d.partial + (int64_t)~to * d.pitch + own;
#pragma unroll
                for (int w = 0; w < W; w++) partial[w] = sum[r][w];
            }
        }
    }
}

// --- sums of parts ----------------------------------------------------------------------------

// Rows whose sums are in parts: row(m) (-1: none) of `parts(m)` parts, first(m) and every step-th
// after it, which are added in their order, a column by a thread.
template <class T, class Items>
__global__ void __launch_bounds__(gs_block_size)
    add_parts(Items items, dense_rows<T> d, const int *ended)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int64_t m = at / d.columns;
    const int c = (int)(at % d.columns);

    if ((ended && *ended) || m >= items.count) return;
    const int32_t i = items.row(m), parts = i >= 0 ? items.parts(m) : 0;
    const T *partial = d.partial + (int64_t)items.first(m) * d.pitch + c;
    T sum[1] = {};
#pragma unroll 8
    for (int32_t k = 0; k < parts; k++) sum[0] += partial[(int64_t)k * items.step * d.pitch];
    if (i >= 0) finish<1>(d, i, c, sum);
}

template <class T, class Items>
gsolve_status add_all_parts(gs_queue *q, const Items &items, const dense_rows<T> &d)
{
    const int64_t threads = items.count * d.columns;

    if (threads == 0) return GSOLVE_OK;
    return gs_launch(q, "adding parts of rows", add_parts<T, Items>,
                     (int)((threads + gs_block_size - 1) / gs_block_size), gs_block_size, items, d,
                     q->guard);
}

// Parts of long rows, read where they lie: a block sums one, whose teams share its entries.
template <class T, class Part>
__global__ void __launch_bounds__(gs_block_size)
    sum_long_parts(const Part *part_of, const int32_t *all_col, const T *all_value, dense_rows<T> d,
                   const int *ended)
{
    constexpr int at_once = 4;
    __shared__ T space[gs_block_size];
    const int width = 1 << d.shift, teams = gs_block_size >> d.shift;
    const int team = (int)threadIdx.x >> d.shift, own = (int)threadIdx.x & (width - 1);
    const bool on = own < d.columns;
    const Part part = part_of[blockIdx.x];
    const int32_t *col = all_col + part.from;
    const T *value = all_value + part.from, *x = d.x + (on ? own : 0);
    T sum = 0;

    if (ended && *ended) return;
    for (int64_t k = team; k < part.entries; k += at_once * teams) {
        int32_t c[at_once];
        T v[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const bool in = k + u * teams < part.entries;
            c[u] = in ? __ldcs(&col[k + u * teams]) : -1;
            v[u] = in ? __ldcs(&value[k + u * teams]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&x[c[u] * d.xstride]);
        }
    }
    space[threadIdx.x] = sum;
    for (int half = teams / 2; half > 0; half /= 2) {
        __syncthreads();
        if (team < half) space[threadIdx.x] += space[threadIdx.x + half * width];
    }
    if (team == 0 && on) d.partial[(int64_t)blockIdx.x * d.pitch + own] = space[threadIdx.x];
}

// The long rows of which part_of tells: count parts on ctx's device.
template <class Part>
struct long_rows {
    const Part *part;
    int64_t count;
    static constexpr int step = 1;
    __device__ int32_t row(int64_t m) const { return part[m].first == m ? part[m].row : -1; }
    __device__ int32_t first(int64_t m) const { return (int32_t)m; }
    __device__ int32_t parts(int64_t m) const { return part[m].parts; }
};

// The sums of parts of long rows and, from them, these rows.
template <class T, class Part>
gsolve_status sum_long_rows(gs_queue *q, const Part *part, int32_t parts, const gsolve_csr *csr,
                            dense_rows<T> d)
{
    const long_rows<Part> rows = {part, parts};
    gsolve_status status = GSOLVE_OK;

    if (parts == 0) return status;
    d.shift = shift_for(d.columns);
    TRY(gs_launch(q, "parts of long rows", sum_long_parts<T, Part>, parts, gs_block_size, part,
                  csr->col, (const T *)csr->value, d, q->guard));
    TRY(add_all_parts(q, rows, d));
done:
    return status;
}

// --- launches ---------------------------------------------------------------------------------

// How the units are dealt to blocks; as wished: 0 for what is to be chosen.
struct deal {
    int threads;   // of a block
    int64_t units; // that a block goes through before it goes on elsewhere, about
    bool shared;   // as little first cache as can be: the rest is shared memory, which nobody uses
};

constexpr int64_t usual_units = 1024;
constexpr int least_threads = 64;

struct dealt {
    int threads, grid;
    stretches by;
};

// As many threads of a block as there are units for on every multiprocessor, and stretches that
// come out even; together, those of a multiprocessor are as long as wished. at_once: blocks of so
// many threads that run on one.
template <class AtOnce>
dealt deal_units(const gs_queue *q, int64_t units, int shift, int most, const deal &wished,
                 AtOnce at_once)
{
    const int64_t about = wished.units > 0 ? wished.units : usual_units;
    dealt d = {wished.threads > 0 && wished.threads < most ? wished.threads : most, 1, {32, 1}};

    while (wished.threads == 0 && d.threads > least_threads &&
           (units << shift) < (int64_t)2 * q->processors * d.threads) {
        d.threads /= 2;
    }
    const int64_t blocks = (int64_t)q->processors * at_once(d.threads);
    const int64_t rounds = units / ((int64_t)q->processors * about) + 1;
    d.by.units = (int32_t)(units / (blocks * rounds) / 32 + 1) * 32;
    const int64_t tiles = (units + d.by.units - 1) / d.by.units;
    d.grid = (int)(tiles < blocks ? tiles : blocks);
    if (d.grid == blocks) d.by.processors = q->processors;
    return d;
}

// Whether x and y of d can be read and written 16 bytes at a time.
template <class T>
bool is_wide(const dense_rows<T> &d)
{
    constexpr int W = gs_wide<T>;

    return d.columns % W == 0 && d.xstride % W == 0 && d.ystride % W == 0 && gs_aligned(d.x) &&
           gs_aligned(d.y);
}

// Blocks of that many threads, a power of two, that a multiprocessor runs at once.
template <auto KERNEL>
int blocks_at_once(int threads)
{
    static int known[11];
    int *blocks = &known[shift_for(threads)];

    if (*blocks == 0) cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, KERNEL, threads, 0);
    return *blocks > 0 ? *blocks : 1;
}

template <auto KERNEL, class T, class Form>
gsolve_status launch_rows(gs_queue *q, const Form &form, const dense_rows<T> &d, const deal &wished)
{
    const auto share = cudaFuncAttributePreferredSharedMemoryCarveout;
    gsolve_status status;

    if (form.units == 0) return GSOLVE_OK;
    const dealt by =
        deal_units(q, form.units, d.shift, Form::threads, wished, blocks_at_once<KERNEL>);
    if (wished.shared) cudaFuncSetAttribute(KERNEL, share, cudaSharedmemCarveoutMaxShared);
    status =
        gs_launch(q, "the product by rows", KERNEL, by.grid, by.threads, form, d, by.by, q->guard);
    if (wished.shared) cudaFuncSetAttribute(KERNEL, share, cudaSharedmemCarveoutDefault);
    return status;
}

// The units' sums; the widest team is of most threads. Form::kernel<W>() is the kernel for it.
template <class T, class Form>
gsolve_status sum_units(gs_queue *q, const Form &form, const dense_rows<T> &all, int most,
                        const deal &wished)
{
    constexpr int W = gs_wide<T>;
    gsolve_status status = GSOLVE_OK;

    for (int first = 0, now; first < all.columns && status == GSOLVE_OK; first += now) {
        dense_rows<T> d = all;
        const bool wide = is_wide(all);
        const int fit = most * (wide ? W : 1), left = all.columns - first;
        now = left < fit ? left : fit;
        d.x += first;
        d.y += first;
        d.partial += first;
        d.columns = now;
        d.shift = shift_for(wide ? (now + W - 1) / W : now);
        status = wide ? launch_rows<Form::template kernel<W>()>(q, form, d, wished)
                      : launch_rows<Form::template kernel<1>()>(q, form, d, wished);
    }
    return status;
}

} // namespace gs_crews

#endif
