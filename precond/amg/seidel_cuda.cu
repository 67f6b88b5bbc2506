// seidel_cuda.cu: Gauss-Seidel by colours on a GPU, and the colours: in rounds, in each of which
// the rows are coloured that wait for no other; of several the host looks at the last one's end. A
// row that is seen as not coloured though it is costs a round and changes nothing.
#include "core/each.cuh"
#include "precond/amg/row_lanes.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/seidel.h"
}

#define INLINE __device__ inline
#define SMALL  __device__ inline
#include "precond/mix.h"
#include "precond/row_rule.h"

#include "precond/amg/seidel_rule.h"

namespace
{

constexpr int first_rounds = 12, further_rounds = 8;
constexpr int most_alone = 65536; // entries of a matrix of which one block sweeps all colours
constexpr int block_alone = 1024;

// --- colours ----------------------------------------------------------------------------------

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

enum { LEFT, COUNT, ONE_SIDED, FACTS };

template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_one_sided(int32_t n, pattern<O> A, int32_t *facts)
{
    const gs_lanes<L> g;
    const int64_t i = g.unit;

    if (i >= n) return;
    for (O k = A.start[i] + g.lane; k < A.start[i + 1]; k += L) {
        const int32_t j = A.col[k];
        const int64_t at = gs_row_find(A.col, A.start[j], A.start[j + 1], (int32_t)i);
        if (at < 0) facts[ONE_SIDED] = 1;
    }
}

// What this lane sees of row i: the colours from base on that are in use; whether i has to wait.
template <int L, class O>
__device__ void look_around(pattern<O> A, int64_t i, int lane, const int32_t *colour, int32_t base,
                            unsigned long long *used, bool *waits)
{
    const uint64_t own = gs_colour_priority(i);

    for (O k = A.start[i] + lane; k < A.start[i + 1]; k += L) {
        const int32_t j = A.col[k], c = __ldcg(&colour[j]);
        if (j == i) continue;
        if (c < 0 && gs_colour_priority(j) > own) *waits = true;
        if (c >= base && c < base + 64) *used |= 1ull << (c - base);
    }
}

template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    colour_rows(int32_t n, pattern<O> A, pattern<O> B, bool last, int32_t *colour, int32_t *facts)
{
    const gs_lanes<L> g;
    const int64_t i = g.unit;
    bool searches = i < n && colour[i] < 0;
    int32_t found = -1;

    const bool open = searches;
    for (int32_t base = 0; __any_sync(gs_all_lanes, searches); base += 64) {
        unsigned long long used = 0;
        bool waits = false;
        if (searches) {
            look_around<L>(A, i, g.lane, colour, base, &used, &waits);
            if (B.start) look_around<L>(B, i, g.lane, colour, base, &used, &waits);
        }
        for (int d = L / 2; d > 0; d /= 2) used |= __shfl_xor_sync(gs_all_lanes, used, d);
        waits = g.ballot(waits) != 0;
        if (searches && !waits && ~used) found = base + __ffsll((long long)~used) - 1;
        searches = searches && !waits && found < 0;
    }
    if (g.lane == 0 && found >= 0) {
        __stcg(&colour[i], found);
        if (found >= __ldcg(&facts[COUNT])) atomicMax(&facts[COUNT], found + 1);
    }
    if (last && open && found < 0) facts[LEFT] = 1;
}

// Rounds until none is left.
template <class O, class Round>
gsolve_status colour_all(gsolve_context *ctx, int32_t *facts, int32_t *seen, Round round)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    for (int rounds = first_rounds;; rounds = further_rounds) {
        TRY(gs_cuda(q, cudaMemsetAsync(&facts[LEFT], 0, sizeof *facts, q->stream), "colours"));
        for (int r = 1; r <= rounds; r++) TRY(round(r == rounds));
        TRY(gsolve_copy(ctx, seen, GSOLVE_HOST, facts, GSOLVE_DEVICE, FACTS * sizeof *seen));
        if (!seen[LEFT] || seen[ONE_SIDED]) break;
    }
done:
    return status;
}

template <class O>
gsolve_status colour_in(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B, double mean,
                        int32_t *colour, int32_t *facts, int32_t *seen)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    const pattern<O> rows = pattern_of<O>(A);
    const pattern<O> columns = B ? pattern_of<O>(B) : pattern<O>{nullptr, nullptr};

    return gs_with_lanes(mean / 2, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        const int grid = gs_lane_blocks(n, L);
        gsolve_status status = GSOLVE_OK;
        if (!B) {
            status = gs_launch(q, "one-sided entries", find_one_sided<L, O>, grid, gs_block_size, n,
                               rows, facts);
        }
        if (status != GSOLVE_OK) return status;
        return colour_all<O>(ctx, facts, seen, [&](bool last) {
            return gs_launch(q, "colours", colour_rows<L, O>, grid, gs_block_size, n, rows, columns,
                             last, colour, facts);
        });
    });
}

gsolve_status colour(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B, int32_t *colour,
                     int32_t *count)
{
    gs_queue *q = ctx->queue;
    const size_t bytes = (size_t)A->nrows * sizeof *colour;
    int32_t *facts = nullptr, seen[FACTS] = {};
    int64_t entries = 0;
    double mean;
    gsolve_status status;

    ALLOC_DEVICE(ctx, facts, FACTS);
    TRY(gs_csr_entries(ctx, A, &entries));
    mean = (double)entries / (A->nrows > 0 ? A->nrows : 1);
    TRY(gs_cuda(q, cudaMemsetAsync(facts, 0, FACTS * sizeof *facts, q->stream), "colours"));
    TRY(gs_cuda(q, cudaMemsetAsync(colour, 0xff, bytes, q->stream), "colours")); // -1
    TRY(A->offset == GSOLVE_O64 ? colour_in<int64_t>(ctx, A, B, mean, colour, facts, seen)
                                : colour_in<int32_t>(ctx, A, B, mean, colour, facts, seen));
    *count = seen[ONE_SIDED] ? -1 : seen[COUNT];
done:
    gsolve_free(ctx, GSOLVE_DEVICE, facts);
    return status;
}

// --- sweeps -----------------------------------------------------------------------------------

template <class T>
struct begin_one : gs_plain {
    const int32_t *colour;
    int32_t which;
    const T *d, *b;
    T *x;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto D = gs_load<W>(d, i), B = gs_load<W>(b, i);
        gs_pack<T, W> X;
        for (int w = 0; w < W; w++) X.v[w] = colour[i + w] == which ? D.v[w] * B.v[w] : T(0);
        gs_store<W>(x, i, X);
    }
};

template <class T>
gsolve_status begin(gs_queue *q, int64_t n, const int32_t *colour, int32_t which, const void *d,
                    const void *b, void *x)
{
    const begin_one<T> op = {{}, colour, which, (const T *)d, (const T *)b, (T *)x};
    return gs_each<T>(q, n, gs_all_aligned(op.d, op.b, op.x), op, "Gauss-Seidel");
}

template <class T>
struct vectors {
    const T *d, *b;
    T *x;
};

// The listed rows that fall to this group: unit, unit + groups, ... below count. All of a warp make
// the same rounds.
template <int L, class T, class O>
__device__ void sweep_rows(const gs_rows<T, O> &A, const int32_t *row, int32_t count, int lane,
                           int64_t unit, int64_t groups, vectors<T> v)
{
    constexpr int at_once = gs_rows_at_once<T>;

    for (int64_t base = 0; base < count; base += groups * at_once) {
        int64_t i[at_once];
        T sum[at_once];
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            const int64_t at = base + r * groups + unit;
            i[r] = at < count ? row[at] : -1;
        }
        gs_row_sums<L>(A, lane, i, v.x, sum);
#pragma unroll
        for (int r = 0; r < at_once; r++) {
            for (int s = L / 2; s > 0; s /= 2) {
                sum[r] += __shfl_xor_sync(gs_all_lanes, sum[r], s);
            }
            if (i[r] >= 0 && lane == 0) v.x[i[r]] += v.d[i[r]] * (v.b[i[r]] - sum[r]);
        }
    }
}

template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    sweep_colour(gs_rows<T, O> A, const int32_t *row, int32_t count, vectors<T> v, const int *ended)
{
    const gs_lanes<L> g;

    if (ended && *ended >= GS_ENDS) return;
    sweep_rows<L>(A, row, count, g.lane, g.unit, (int64_t)gridDim.x * (gs_block_size / L), v);
}

// Colour after colour by one block, where a launch for each would take longer.
template <int L, class T, class O>
__global__ void __launch_bounds__(block_alone)
    sweep_alone(gs_rows<T, O> A, const int32_t *row, const int32_t *first, int32_t count,
                int32_t from, int32_t step, vectors<T> v, const int *ended)
{
    const int lane = (int)threadIdx.x % L;

    if (ended && *ended >= GS_ENDS) return;
    for (int32_t c = from; c >= 0 && c < count; c += step) {
        const int32_t at = first[c];
        sweep_rows<L>(A, row + at, first[c + 1] - at, lane, (int64_t)threadIdx.x / L,
                      block_alone / L, v);
        __syncthreads();
    }
}

template <int L, class T, class O>
gsolve_status colours_by(gs_queue *q, const gs_rows<T, O> &A, const gs_colours *C, int32_t from,
                         int32_t step, const vectors<T> &v)
{
    gsolve_status status = GSOLVE_OK;

    if (C->entries <= most_alone) {
        return gs_launch(q, "Gauss-Seidel", sweep_alone<L, T, O>, 1, block_alone, A, C->row,
                         C->first, C->count, from, step, v, q->guard);
    }
    for (int32_t c = from; c >= 0 && c < C->count; c += step) {
        const int32_t rows = C->begin[c + 1] - C->begin[c];
        const int64_t groups = ((int64_t)rows + gs_rows_at_once<T> - 1) / gs_rows_at_once<T>;
        TRY(gs_launch(q, "Gauss-Seidel", sweep_colour<L, T, O>, gs_lane_blocks(groups, L),
                      gs_block_size, A, C->row + C->begin[c], rows, v, q->guard));
    }
done:
    return status;
}

template <class T>
gsolve_status colours(gs_queue *q, const gsolve_csr *A, const gs_colours *C, int32_t from,
                      bool back, const void *d, const void *b, void *x)
{
    const vectors<T> v = {(const T *)d, (const T *)b, (T *)x};

    if (A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const gs_rows<T, O> rows = {start, A->col, (const T *)A->value};
        return gs_with_lanes((double)C->entries / A->nrows / 2, [&](auto lanes) {
            return colours_by<decltype(lanes)::value, T, O>(q, rows, C, from, back ? -1 : 1, v);
        });
    });
}

} // namespace

extern "C" const gs_seidel_kernels gs_seidel_cuda[GSOLVE_TYPE_COUNT] = {
    {colour, begin<float>, colours<float>, nullptr, nullptr, nullptr},
    {colour, begin<double>, colours<double>, nullptr, nullptr, nullptr}};
