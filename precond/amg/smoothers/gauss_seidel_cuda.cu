// gauss_seidel_cuda.cu: multicolour Gauss-Seidel on a GPU.
//
// The colouring (Jones and Plassmann): in each round every row is coloured that has no uncoloured
// neighbour of higher priority. The host tests only after several rounds whether a row is left. A
// row may still appear uncoloured to its neighbours after it was coloured; that costs a round and
// changes no colour.
//
// The sweeps, for one column and for several: a launch updates the rows of one colour; L threads
// own a row. A sweep reads the matrix, b and d once, and reads and writes x. Rows of one colour are
// not neighbours, so that the order within a launch does not change the bits.
#include "core/pdl.cuh"
#include "precond/amg/smoothers/row_lanes.cuh"
#include "precond/batched.cuh"
#include "vector/each.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/smoothers/gauss_seidel.h"
}

#define INLINE __device__ inline
#define SMALL  __device__ inline
#include "matrix/row_rule.h"
#include "precond/random.h"

namespace
{

// --- colours -------------------------------------------------------------------------------------

constexpr int first_rounds = 12, further_rounds = 8;

template <class O>
struct pattern {
    const O *start;
    const int32_t *col;
};

template <class O>
pattern<O> pattern_of(const gsolve_csr *A)
{
    return {(const O *)A->start, A->col};
}

// The numbers that the kernels write for the host: whether a row is left, the number of colours,
// whether the pattern is not symmetric.
enum { UNCOLOURED, COUNT, ONE_SIDED, RESULTS };

// results[ONE_SIDED] = 1 if a row has an entry (i, j) without (j, i). L threads own a row, and look
// up each entry by binary search.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_one_sided(int32_t n, pattern<O> A, int32_t *results)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit;

    if (i >= n) return;
    for (O k = A.start[i] + g.lane; k < A.start[i + 1]; k += L) {
        const int32_t j = A.col[k];
        const int64_t at = gs_row_find(A.col, A.start[j], A.start[j + 1], (int32_t)i);
        if (at < 0) results[ONE_SIDED] = 1;
    }
}

// This lane's share of the neighbours of row i. *used: the colours base to base + 63 that they
// have. *blocked: one of them has a higher priority and no colour.
template <int L, class O>
__device__ void inspect_neighbours(pattern<O> A, int64_t i, int lane, const int32_t *colour,
                                   int32_t base, unsigned long long *used, bool *blocked)
{
    const uint64_t own = gs_colour_priority(i);

    for (O k = A.start[i] + lane; k < A.start[i + 1]; k += L) {
        const int32_t j = A.col[k], c = __ldcg(&colour[j]);
        if (j == i) continue;
        if (c < 0 && gs_colour_priority(j) > own) *blocked = true;
        if (c >= base && c < base + 64) *used |= 1ull << (c - base);
    }
}

// One round. L threads own a row: they collect the colours of its neighbours, 64 at a time, and
// take the smallest that is free. Reads the patterns of A and B and the colours of the neighbours.
// last: also sets results[UNCOLOURED] if a row is left.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    colour_rows(int32_t n, pattern<O> A, pattern<O> B, bool last, int32_t *colour, int32_t *results)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit;
    bool searching = i < n && colour[i] < 0;
    int32_t found = -1;

    const bool open = searching;
    for (int32_t base = 0; __any_sync(gs_all_lanes, searching); base += 64) {
        unsigned long long used = 0;
        bool blocked = false;
        if (searching) {
            inspect_neighbours<L>(A, i, g.lane, colour, base, &used, &blocked);
            if (B.start) inspect_neighbours<L>(B, i, g.lane, colour, base, &used, &blocked);
        }
        for (int d = L / 2; d > 0; d /= 2) used |= __shfl_xor_sync(gs_all_lanes, used, d);
        blocked = g.ballot(blocked) != 0;
        if (searching && !blocked && ~used) found = base + __ffsll((long long)~used) - 1;
        searching = searching && !blocked && found < 0;
    }
    if (g.lane == 0 && found >= 0) {
        __stcg(&colour[i], found);
        if (found >= __ldcg(&results[COUNT])) atomicMax(&results[COUNT], found + 1);
    }
    if (last && open && found < 0) results[UNCOLOURED] = 1;
}

// Runs rounds until no row is left.
template <class O, class Round>
gsolve_status colour_all(gsolve_context *ctx, int32_t *results, int32_t *host_facts, Round round)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    for (int rounds = first_rounds;; rounds = further_rounds) {
        TRY(gs_cuda(q, cudaMemsetAsync(&results[UNCOLOURED], 0, sizeof *results, q->stream),
                    "colours"));
        for (int r = 1; r <= rounds; r++) TRY(round(r == rounds));
        TRY(gsolve_copy(ctx, host_facts, GSOLVE_HOST, results, GSOLVE_DEVICE,
                        RESULTS * sizeof *host_facts));
        if (!host_facts[UNCOLOURED] || host_facts[ONE_SIDED]) break;
    }
done:
    return status;
}

template <class O>
gsolve_status colour_in(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B, double mean,
                        int32_t *colour, int32_t *results, int32_t *host_facts)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    const pattern<O> rows = pattern_of<O>(A);
    const pattern<O> columns = B ? pattern_of<O>(B) : pattern<O>{nullptr, nullptr};

    return gs_with_subwarp(mean / 2, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        const int grid = gs_subwarp_blocks(n, L);
        gsolve_status status = GSOLVE_OK;
        if (!B) {
            status = gs_launch(q, "one-sided entries", find_one_sided<L, O>, grid, gs_block_size, n,
                               rows, results);
        }
        if (status != GSOLVE_OK) return status;
        return colour_all<O>(ctx, results, host_facts, [&](bool last) {
            return gs_launch(q, "colours", colour_rows<L, O>, grid, gs_block_size, n, rows, columns,
                             last, colour, results);
        });
    });
}

gsolve_status find_colours(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                           int32_t *colour, int32_t *count)
{
    gs_queue *q = ctx->queue;
    const size_t bytes = (size_t)A->nrows * sizeof *colour;
    int32_t *results = nullptr, host_facts[RESULTS] = {};
    int64_t entries = 0;
    double mean;
    gsolve_status status;

    ALLOC_DEVICE(ctx, results, RESULTS);
    TRY(gs_csr_entries(ctx, A, &entries));
    mean = (double)entries / (A->nrows > 0 ? A->nrows : 1);
    TRY(gs_cuda(q, cudaMemsetAsync(results, 0, RESULTS * sizeof *results, q->stream), "colours"));
    TRY(gs_cuda(q, cudaMemsetAsync(colour, 0xff, bytes, q->stream), "colours")); // -1
    TRY(A->offset == GSOLVE_O64 ? colour_in<int64_t>(ctx, A, B, mean, colour, results, host_facts)
                                : colour_in<int32_t>(ctx, A, B, mean, colour, results, host_facts));
    *count = host_facts[ONE_SIDED] ? -1 : host_facts[COUNT];
done:
    gsolve_free(ctx, GSOLVE_DEVICE, results);
    return status;
}

// --- sweeps --------------------------------------------------------------------------------------

constexpr int max_one_block_entries =
    65536; // entries times columns up to which one thread block sweeps all colours
constexpr int one_block_threads = 1024;

// x = d * b in the rows of one colour, 0 elsewhere. A thread owns W neighbouring elements.
template <class T>
struct begin_one : gs_plain {
    gs_row_of_element row;
    const int32_t *colour;
    int32_t which;
    const T *d, *b;
    T *x;
    template <int W>
    __device__ void at(int64_t k, double *)
    {
        const auto B = gs_load<W>(b, k);
        gs_pack<T, W> X;
        for (int w = 0; w < W; w++) {
            const int64_t i = row(k + w);
            X.v[w] = colour[i] == which ? d[i] * B.v[w] : T(0);
        }
        gs_store<W>(x, k, X);
    }
};

template <class T>
gsolve_status begin(gs_queue *q, int64_t n, int32_t columns, const int32_t *colour, int32_t which,
                    const void *d, const void *b, void *x)
{
    const gs_row_of_element row(n, columns);
    const begin_one<T> op = {{}, row, colour, which, (const T *)d, (const T *)b, (T *)x};
    return gs_each<T>(q, n * columns, gs_all_aligned(op.b, op.x), op, "Gauss-Seidel");
}

template <class T>
struct vectors {
    const T *d, *b;
    T *x;
};

// Updates the listed rows unit, unit + groups, ... below count. All threads of a warp run through
// the same rounds, because the sums involve the whole warp.
template <class M, class T, class O>
__device__ void sweep_rows(const gs_rows<T, O> &A, const int32_t *row, int32_t count, const M &m,
                           int64_t unit, int64_t groups, vectors<T> v)
{
    constexpr int at_once = M::template rows<T>;

    for (int64_t base = 0; base < count; base += groups * at_once) {
        int64_t i[at_once];
        gs_pack<T, 1> sum[at_once];
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            const int64_t at = base + r * groups + unit;
            i[r] = at < count ? row[at] : -1;
        }
        gs_row_sums(A, m, i, v.x, sum);
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            if (i[r] < 0 || m.share > 0 || m.idle) continue;
            const int64_t k = m.at(i[r]);
            v.x[k] += v.d[i[r]] * (v.b[k] - sum[r].v[0]);
        }
    }
}

// The lanes of a row own one column, or one of up to 8 columns; see sweep_rows.
template <class M, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    sweep_colour(gs_rows<T, O> A, const int32_t *row, int32_t count, gs_column_group group,
                 vectors<T> v, gs_guard guard)
{
    const gs_subwarp<M::lanes> g;

    if (guard.has_ended()) return;
    sweep_rows(A, row, count, M(group, g.lane), g.unit,
               (int64_t)gridDim.x * (gs_block_size / M::lanes), v);
}

struct colour_order { // the colours from, from + step, ... within 0 to count - 1
    int32_t count, from, step;
};

// One thread block sweeps all colours, with a barrier between them. For few entries this is faster
// than a launch per colour.
template <class M, class T, class O>
__global__ void __launch_bounds__(one_block_threads)
    sweep_all_colours(gs_rows<T, O> A, const int32_t *row, const int32_t *first, colour_order o,
                      gs_column_group group, vectors<T> v, gs_guard guard)
{
    const M part(group, (int)threadIdx.x % M::lanes);

    if (guard.has_ended()) return;
    for (int32_t c = o.from; c >= 0 && c < o.count; c += o.step) {
        const int32_t at = first[c];
        sweep_rows(A, row + at, first[c + 1] - at, part, (int64_t)threadIdx.x / M::lanes,
                   one_block_threads / M::lanes, v);
        __syncthreads();
    }
}

template <class M, class T, class O>
gsolve_status run_colours(gs_queue *q, const gs_rows<T, O> &A, const gs_colours *C, colour_order o,
                          int32_t columns, const vectors<T> &v)
{
    constexpr int at_once = M::template rows<T>;
    const gs_column_group group = gs_column_group_from<1>(columns, 0);
    gsolve_status status = GSOLVE_OK;

    if (C->entries * columns <= max_one_block_entries) {
        return gs_launch_pdl(q, "Gauss-Seidel", sweep_all_colours<M, T, O>, 1, one_block_threads, A,
                             C->row, C->first, o, group, v);
    }
    for (int32_t c = o.from; c >= 0 && c < o.count; c += o.step) {
        const int32_t rows = C->begin[c + 1] - C->begin[c];
        const int64_t groups = ((int64_t)rows + at_once - 1) / at_once;
        TRY(gs_launch_pdl(q, "Gauss-Seidel", sweep_colour<M, T, O>,
                          gs_subwarp_blocks(groups, M::lanes), gs_block_size, A,
                          C->row + C->begin[c], rows, group, v));
    }
done:
    return status;
}

template <class T>
gsolve_status colours(gs_queue *q, const gsolve_csr *A, const gs_colours *C, int32_t columns,
                      int32_t from, bool back, gs_sweep_vectors w)
{
    const vectors<T> v = {(const T *)w.d, (const T *)w.b, (T *)w.x};
    const colour_order o = {C->count, from, back ? -1 : 1};

    if (A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const gs_rows<T, O> rows = {start, A->col, (const T *)A->value};
        const double mean = (double)C->entries / A->nrows;
        if (columns == 1) {
            return gs_with_subwarp(mean / 2, [&](auto lanes) {
                return run_colours<gs_one_column<decltype(lanes)::value>>(q, rows, C, o, columns,
                                                                          v);
            });
        }
        const int subwarp = gs_column_group_from<1>(columns, 0).subwarp;
        return gs_with_subwarp((mean > 4 ? mean / 4 : 1) * subwarp, [&](auto lanes) {
            return run_colours<gs_column_lane<decltype(lanes)::value, 1>>(q, rows, C, o, columns,
                                                                          v);
        });
    });
}

} // namespace

extern "C" const gs_gauss_seidel_kernels gs_gauss_seidel_cuda[GSOLVE_TYPE_COUNT] = {
    {find_colours, begin<float>, colours<float>, nullptr, nullptr, nullptr},
    {find_colours, begin<double>, colours<double>, nullptr, nullptr, nullptr}};
