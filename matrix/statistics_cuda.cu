// statistics_cuda.cu: the statistics of compressed rows on a GPU, see statistics.h.
//
// One kernel reads all rows for their values and their pattern, another looks for the mirror image
// of each entry above the diagonal. A row's sums are made in the order of its entries, as on the
// host, by one thread, or if the row is long by all lanes of a warp alike. What is combined over
// rows are sums of integers, minima and maxima, in 64 bits: a magnitude is stored by its bits,
// whose order as an integer is that of the numbers. So the findings depend neither on the order of
// the rows nor on the device. The host reads them once. The file is compiled without fused
// multiply-adds.
#include <cmath>
#include <cstring>

#include "matrix/row_walk.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/statistics.h"
}

#define SMALL static __device__ inline
#include "matrix/statistics_rule.h"
#include "matrix/symmetry_rule.h"

namespace
{

typedef unsigned long long count_t;
constexpr count_t none = ~(count_t)0;
constexpr unsigned all_lanes = 0xffffffffu;

enum sums {
    EMPTY_ROWS,
    ZERO_DIAGONALS,
    NEGATIVE_DIAGONALS,
    DOMINANT_ROWS,
    ZERO_SUM_ROWS,
    FIXED_ROWS,
    POSITIVE_OFF,
    SQUARES,
    SHARES,
    PATTERN,
    SUMS
};
enum minima {
    FIRST_EMPTY,
    FIRST_ZERO,
    SHORTEST,
    DOMINANCE,
    LEAST,
    DIAGONAL_LEAST,
    ROW_LEAST,
    MINIMA
};
enum maxima { LONGEST, BANDWIDTH, LARGEST, DIAGONAL_MOST, ROW_MOST, MAXIMA };

struct row_totals {
    count_t least[MINIMA]; // none: there is none
    count_t sum[SUMS], most[MAXIMA];
};

struct findings {
    row_totals rows;
    unsigned length[32];        // the histogram
    unsigned lost;              // bit b: the rows do not consist of dense b x b blocks
    unsigned unpaired, unequal; // an entry above the diagonal has no mirror image, or another value
    unsigned unskew;            // the values of a pair, or a diagonal entry, are not skew
    count_t above, below;
};

__device__ count_t bits_of(double x)
{
    return (count_t)__double_as_longlong(x);
}

struct add {
    __device__ count_t operator()(count_t a, count_t b) const { return a + b; }
};
struct lesser {
    __device__ count_t operator()(count_t a, count_t b) const { return a < b ? a : b; }
};
struct greater {
    __device__ count_t operator()(count_t a, count_t b) const { return a > b ? a : b; }
};

// --- values of a row --------------------------------------------------------------------------

// The values of a row that a thread owns, or that all lanes of a warp own: they read 32 entries at
// a time, and each lane adds all of them in their order.
template <int LANES, class T>
__device__ gs_row_values sum_row(const int32_t *col, const T *value, int64_t from, int64_t to,
                                 int32_t diagonal, int lane)
{
    gs_row_values r = gs_row_values_of_none();

    for (int64_t k = from; k < to; k += LANES) {
        const bool here = k + lane < to;
        const T own = here ? value[k + lane] : T(0);
        const bool own_diagonal = here && col[k + lane] == diagonal;
        if constexpr (LANES == 1) {
            gs_row_values_add(&r, (double)own, own_diagonal);
        } else {
            const int count = to - k < LANES ? (int)(to - k) : LANES;
            const unsigned is_diagonal = __ballot_sync(all_lanes, own_diagonal);
            for (int u = 0; u < count; u++) {
                gs_row_values_add(&r, (double)__shfl_sync(all_lanes, own, u), is_diagonal >> u & 1);
            }
        }
    }
    return r;
}

// The positive entries off the diagonal that are no rounding errors, of those that this lane reads.
template <int LANES, class T>
__device__ count_t count_positive(const int32_t *col, const T *value, int64_t from, int64_t to,
                                  int32_t diagonal, double most, int lane)
{
    const double bound = gs_sign_tolerance(sizeof(T) == sizeof(float)) * most;
    count_t positive = 0;

    for (int64_t k = from + lane; k < to; k += LANES) {
        const double v = (double)value[k];
        positive += col[k] != diagonal && v > 0 && v >= bound;
    }
    return positive;
}

__device__ void add_facts(row_totals *f, const gs_row_values *r, const gs_row_facts *facts,
                          int32_t i)
{
    f->sum[ZERO_DIAGONALS] += facts->zero_diagonal;
    f->sum[NEGATIVE_DIAGONALS] += facts->negative_diagonal;
    f->sum[DOMINANT_ROWS] += facts->dominant;
    f->sum[ZERO_SUM_ROWS] += facts->zero_sum;
    f->sum[FIXED_ROWS] += facts->fixed;
    f->sum[SHARES] += facts->share;
    f->least[DOMINANCE] = min(f->least[DOMINANCE], bits_of(facts->dominance));
    f->least[LEAST] = min(f->least[LEAST], bits_of(r->least));
    f->most[LARGEST] = max(f->most[LARGEST], bits_of(r->most));
    if (facts->zero_diagonal) f->least[FIRST_ZERO] = min(f->least[FIRST_ZERO], (count_t)i);
    if (r->most > 0) {
        f->least[ROW_LEAST] = min(f->least[ROW_LEAST], bits_of(r->most));
        f->most[ROW_MOST] = max(f->most[ROW_MOST], bits_of(r->most));
    }
    if (facts->diagonal > 0) {
        f->least[DIAGONAL_LEAST] = min(f->least[DIAGONAL_LEAST], bits_of(facts->diagonal));
        f->most[DIAGONAL_MOST] = max(f->most[DIAGONAL_MOST], bits_of(facts->diagonal));
    }
}

// --- pattern of a row -------------------------------------------------------------------------

// a - b, or 0 if that is negative.
__device__ count_t distance(int64_t a, int64_t b)
{
    return a > b ? (count_t)(a - b) : 0;
}

__device__ void add_pattern(row_totals *f, const int32_t *col, int64_t from, int64_t to, int32_t i)
{
    const count_t length = (count_t)(to - from);

    f->sum[SQUARES] += length * length;
    f->least[SHORTEST] = min(f->least[SHORTEST], length);
    f->most[LONGEST] = max(f->most[LONGEST], length);
    if (length > 0) {
        f->most[BANDWIDTH] = max(f->most[BANDWIDTH], distance(i, col[from]));
        f->most[BANDWIDTH] = max(f->most[BANDWIDTH], distance(col[to - 1], i));
    } else {
        f->sum[EMPTY_ROWS]++;
        f->least[FIRST_EMPTY] = min(f->least[FIRST_EMPTY], (count_t)i);
    }
}

// Whether all lanes that own a row return true.
template <int LANES>
__device__ bool all_of(bool x)
{
    if constexpr (LANES == 1) {
        return x;
    } else {
        return __all_sync(all_lanes, x);
    }
}

// Whether the columns [before, from) and [from, to) are equal.
template <int LANES>
__device__ bool equal_rows(const int32_t *col, int64_t before, int64_t from, int64_t to, int lane)
{
    bool equal = from - before == to - from;

    for (int64_t k = lane; equal && k < to - from; k += LANES) {
        equal = col[before + k] == col[from + k];
    }
    return all_of<LANES>(equal);
}

// The hash of row i, whose owner is a thread or a warp. All lanes of a warp hash all columns, of
// which they read 32 at a time.
template <int LANES>
__device__ count_t hash_row(const int32_t *col, int32_t i, int64_t from, int64_t to, int lane)
{
    uint64_t hash = gs_hash_begin(i, to - from);

    for (int64_t k = from; k < to; k += LANES) {
        const int32_t own = k + lane < to ? col[k + lane] : 0;
        if constexpr (LANES == 1) {
            hash = gs_hash_column(hash, own);
        } else {
            const int count = to - k < LANES ? (int)(to - k) : LANES;
            for (int u = 0; u < count; u++) {
                hash = gs_hash_column(hash, __shfl_sync(all_lanes, own, u));
            }
        }
    }
    return gs_hash_end(hash);
}

// Those sizes of blocks that row i and the row before it allow: the rows of a block are equal, and
// the first has runs.
template <int LANES, class O>
__device__ unsigned keep_sizes(unsigned sizes, const O *start, const int32_t *col, int32_t i,
                               int64_t from, int64_t to, int lane)
{
    const bool equal =
        sizes && i > 0 && equal_rows<LANES>(col, (int64_t)start[i - 1], from, to, lane);

    for (int b = 2; b <= GS_LARGEST_BLOCK; b++) {
        if (!(sizes >> b & 1)) continue;
        const bool keeps =
            i % b ? equal : all_of<LANES>(gs_has_runs(col, from, to - from, b, lane, LANES));
        if (!keeps) sizes &= ~(1u << b);
    }
    return sizes;
}

// --- all rows ---------------------------------------------------------------------------------

// Adds the totals of each thread to *f: a block combines them, and its first thread adds them by
// atomics.
__device__ void add_totals(row_totals *f, const row_totals &mine)
{
    count_t x;

#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        x = gs_block_combine(mine.sum[k], add());
        if (threadIdx.x == 0) atomicAdd(&f->sum[k], x);
    }
#pragma unroll
    for (int k = 0; k < MINIMA; k++) {
        x = gs_block_combine(mine.least[k], lesser());
        if (threadIdx.x == 0) atomicMin(&f->least[k], x);
    }
#pragma unroll
    for (int k = 0; k < MAXIMA; k++) {
        x = gs_block_combine(mine.most[k], greater());
        if (threadIdx.x == 0) atomicMax(&f->most[k], x);
    }
}

// Adds all rows to f->rows, f->length and f->lost. sizes: gs_possible_block_sizes. The lanes of a
// warp that own a row together must take the same branches, so they test all sizes; a thread that
// owns a row tests those that it has not excluded. See gs_each_row for who owns a row; loads of
// short rows by adjacent threads share cache lines.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_rows(int32_t nrows, int32_t ncols, const O *start, const int32_t *col, const T *value,
                 unsigned sizes, findings *f)
{
    __shared__ unsigned length[32], lost;
    row_totals mine = {};
    unsigned kept = sizes;

#pragma unroll
    for (int k = 0; k < MINIMA; k++) mine.least[k] = none;
    if (threadIdx.x < 32) length[threadIdx.x] = 0;
    if (threadIdx.x == 0) lost = 0;
    __syncthreads();
    gs_each_row(nrows, start, [&](auto lanes, int32_t i, int64_t from, int64_t to, int lane) {
        constexpr int LANES = decltype(lanes)::value;
        const int32_t diagonal = i < ncols ? i : INT32_MAX;
        const gs_row_values r = sum_row<LANES>(col, value, from, to, diagonal, lane);
        const count_t hash = hash_row<LANES>(col, i, from, to, lane);
        mine.sum[POSITIVE_OFF] +=
            count_positive<LANES>(col, value, from, to, diagonal, r.most, lane);
        kept &= keep_sizes<LANES>(LANES == 1 ? kept : sizes, start, col, i, from, to, lane);
        if (lane == 0) {
            const gs_row_facts facts = gs_row_facts_of(&r, to - from, i < ncols);
            add_facts(&mine, &r, &facts, i);
            add_pattern(&mine, col, from, to, i);
            mine.sum[PATTERN] += hash;
            atomicAdd(&length[facts.bucket], 1u);
        }
    });
    if (kept != sizes) atomicOr(&lost, sizes & ~kept);
    add_totals(&f->rows, mine); // synchronises the block
    if (threadIdx.x == 0 && lost) atomicOr(&f->lost, lost);
    if (threadIdx.x < 32 && length[threadIdx.x]) {
        atomicAdd(&f->length[threadIdx.x], length[threadIdx.x]);
    }
}

// --- symmetry ---------------------------------------------------------------------------------

// Adds the entries of all rows to f->above to f->unskew. Rows are skipped after an entry without a
// mirror image has been found.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_symmetry(const __grid_constant__ gsolve_csr A, findings *f)
{
    const volatile unsigned *unpaired = &f->unpaired;
    gs_symmetry s = {true, true, true, 0, 0};

    gs_each_row(A.nrows, static_cast<const O *>(A.start),
                [&](auto lanes, int32_t i, int64_t from, int64_t to, int lane) {
                    if (!s.paired || *unpaired) return;
                    for (int64_t k = from + lane; k < to; k += decltype(lanes)::value) {
                        const int32_t j = A.col[k];
                        s.below += j < i;
                        s.above += j > i;
                        if (j == i) s.skew = s.skew && gs_value_at(&A, k) == 0;
                        if (j > i) {
                            s.paired &= gs_match_entry(&s.symmetric, &s.skew, &A, i, from, k);
                        }
                    }
                    if (!s.paired) atomicOr(&f->unpaired, 1u);
                });
    if (!s.symmetric) atomicOr(&f->unequal, 1u);
    if (!s.skew) atomicOr(&f->unskew, 1u);
    const count_t above = gs_block_combine((count_t)s.above, add());
    const count_t below = gs_block_combine((count_t)s.below, add());
    if (threadIdx.x == 0) {
        atomicAdd(&f->above, above);
        atomicAdd(&f->below, below);
    }
}

// --- the findings -----------------------------------------------------------------------------

double number_of(count_t bits)
{
    double x;

    if (bits == none) return INFINITY;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int32_t row_of(count_t first)
{
    return first == none ? -1 : (int32_t)first;
}

// What the kernels have found, as the host would have found it.
gs_row_findings findings_of(const findings *f, unsigned sizes, bool square)
{
    const count_t *sum = f->rows.sum, *least = f->rows.least, *most = f->rows.most;
    gs_row_findings all = gs_row_findings_of_none();
    gsolve_statistics *t = &all.t;

    t->empty_rows = (int32_t)sum[EMPTY_ROWS];
    t->zero_diagonals = (int32_t)sum[ZERO_DIAGONALS];
    t->negative_diagonals = (int32_t)sum[NEGATIVE_DIAGONALS];
    t->dominant_rows = (int32_t)sum[DOMINANT_ROWS];
    t->zero_sum_rows = (int32_t)sum[ZERO_SUM_ROWS];
    t->positive_off = (int64_t)sum[POSITIVE_OFF];
    t->first_empty_row = row_of(least[FIRST_EMPTY]);
    t->first_zero_diagonal = row_of(least[FIRST_ZERO]);
    t->shortest_row = least[SHORTEST] < INT32_MAX ? (int32_t)least[SHORTEST] : INT32_MAX;
    t->longest_row = (int32_t)most[LONGEST];
    t->bandwidth = (int32_t)most[BANDWIDTH];
    t->dominance = number_of(least[DOMINANCE]);
    t->least = number_of(least[LEAST]);
    t->largest = number_of(most[LARGEST]);
    for (int k = 0; k < 32; k++) t->length[k] = f->length[k];
    all.diagonal_least = number_of(least[DIAGONAL_LEAST]);
    all.diagonal_most = number_of(most[DIAGONAL_MOST]);
    all.row_least = number_of(least[ROW_LEAST]);
    all.row_most = number_of(most[ROW_MOST]);
    all.squares = sum[SQUARES];
    all.shares = sum[SHARES];
    all.pattern = sum[PATTERN];
    all.sizes = sizes & ~f->lost;
    all.fixed = (int32_t)sum[FIXED_ROWS];
    all.symmetry.paired = square && !f->unpaired;
    all.symmetry.symmetric = !f->unequal;
    all.symmetry.skew = !f->unskew;
    all.symmetry.above = (int64_t)f->above;
    all.symmetry.below = (int64_t)f->below;
    return all;
}

template <class T, class O>
gsolve_status launch_all(gs_queue *q, const gsolve_csr *A, unsigned sizes, findings *f)
{
    const int grid = gs_grid(q, A->nrows);
    gsolve_status status;

    TRY(gs_launch(q, "the statistics of the rows", inspect_rows<T, O>, grid, gs_block_size,
                  A->nrows, A->ncols, (const O *)A->start, A->col, (const T *)A->value, sizes, f));
    if (A->nrows == A->ncols) {
        TRY(gs_launch(q, "testing the symmetry", inspect_symmetry<O>, grid, gs_block_size, *A, f));
    }
done:
    return status;
}

template <class T>
gsolve_status rows(gs_row_findings *all, gsolve_context *ctx, const gsolve_csr *A, int64_t entries)
{
    const unsigned sizes = gs_possible_block_sizes(A, entries);
    gs_queue *q = ctx->queue;
    findings *f = nullptr, found;
    gsolve_status status;

    gs_range_push(ctx, "inspection: statistics");
    ALLOC_DEVICE(ctx, f, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(f, 0, sizeof *f, q->stream), "statistics"));
    TRY(gs_cuda(q, cudaMemsetAsync(f->rows.least, 0xff, sizeof f->rows.least, q->stream),
                "statistics"));
    TRY(A->offset == GSOLVE_O64 ? (launch_all<T, int64_t>(q, A, sizes, f))
                                : (launch_all<T, int32_t>(q, A, sizes, f)));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof found));
    *all = findings_of(&found, sizes, A->nrows == A->ncols);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    gs_range_pop(ctx);
    return status;
}

// --- the hash of the pattern ------------------------------------------------------------------

// *sum += the hashes of all rows.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    hash_rows(int32_t nrows, const O *start, const int32_t *col, count_t *sum)
{
    count_t mine = 0;

    gs_each_row(nrows, start, [&](auto lanes, int32_t i, int64_t from, int64_t to, int lane) {
        const count_t hash = hash_row<decltype(lanes)::value>(col, i, from, to, lane);
        if (lane == 0) mine += hash;
    });
    mine = gs_block_combine(mine, add());
    if (threadIdx.x == 0) atomicAdd(sum, mine);
}

gsolve_status pattern(uint64_t *hash, gsolve_context *ctx, const gsolve_csr *A)
{
    gs_queue *q = ctx->queue;
    const int grid = gs_grid(q, A->nrows);
    count_t *sum = reinterpret_cast<count_t *>(q->partial), found; // free between kernels
    gsolve_status status;

    gs_range_push(ctx, "inspection of the pattern");
    TRY(gs_cuda(q, cudaMemsetAsync(sum, 0, sizeof *sum, q->stream), "hashing the pattern"));
    TRY(A->offset == GSOLVE_O64
            ? gs_launch(q, "hashing the pattern", hash_rows<int64_t>, grid, gs_block_size, A->nrows,
                        (const int64_t *)A->start, A->col, sum)
            : gs_launch(q, "hashing the pattern", hash_rows<int32_t>, grid, gs_block_size, A->nrows,
                        (const int32_t *)A->start, A->col, sum));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof found));
    *hash = found;
done:
    gs_range_pop(ctx);
    return status;
}

// --- empty columns ----------------------------------------------------------------------------

// used[j] = 1 for each column j of the entries.
__global__ void __launch_bounds__(gs_block_size)
    mark_columns(int64_t entries, const int32_t *col, char *used)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < entries; k += step) {
        if (!used[col[k]]) used[col[k]] = 1;
    }
}

// *empty += the number of zeros of used[0..ncols).
__global__ void __launch_bounds__(gs_block_size)
    count_unused(int32_t ncols, const char *used, count_t *empty)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    count_t mine = 0;

    for (int64_t j = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; j < ncols; j += step) {
        mine += !used[j];
    }
    mine = gs_block_combine(mine, add());
    if (threadIdx.x == 0 && mine > 0) atomicAdd(empty, mine);
}

gsolve_status empty_columns(int32_t *empty, gsolve_context *ctx, const gsolve_csr *A,
                            int64_t entries)
{
    gs_queue *q = ctx->queue;
    char *used = nullptr;
    count_t *count = nullptr, found;
    gsolve_status status;

    gs_range_push(ctx, "inspection: empty columns");
    ALLOC_DEVICE(ctx, used, A->ncols);
    ALLOC_DEVICE(ctx, count, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(used, 0, (size_t)A->ncols, q->stream), "empty columns"));
    TRY(gs_cuda(q, cudaMemsetAsync(count, 0, sizeof *count, q->stream), "empty columns"));
    TRY(gs_launch(q, "marking the columns", mark_columns, gs_grid(q, entries), gs_block_size,
                  entries, A->col, used));
    TRY(gs_launch(q, "counting empty columns", count_unused, gs_grid(q, A->ncols), gs_block_size,
                  A->ncols, used, count));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, count, GSOLVE_DEVICE, sizeof found));
    *empty = (int32_t)found;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, used);
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    gs_range_pop(ctx);
    return status;
}

// --- symmetry without fixed rows --------------------------------------------------------------

struct rest {
    count_t balance; // nonzero entries above the diagonal less those below it, modulo 2^64
    unsigned different;
};

// fixed[i] = whether the only nonzero entry of row i is on the diagonal. A thread owns a row, and
// reads it up to the second nonzero entry.
__global__ void __launch_bounds__(gs_block_size)
    find_fixed_rows(const __grid_constant__ gsolve_csr A, char *fixed)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < A.nrows; i += step) {
        fixed[i] = gs_row_is_fixed(&A, (int32_t)i);
    }
}

// Adds all rows that are not fixed to *r, up to a difference.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    match_rest(const __grid_constant__ gsolve_csr A, const char *fixed, rest *r)
{
    const volatile unsigned *different = &r->different;
    int64_t balance = 0;

    gs_each_row(A.nrows, static_cast<const O *>(A.start),
                [&](auto lanes, int32_t i, int64_t from, int64_t to, int lane) {
                    bool same = true;
                    if (fixed[i] || *different) return;
                    for (int64_t k = from + lane; same && k < to; k += decltype(lanes)::value) {
                        same = gs_rest_match(&balance, &A, fixed, i, from, k);
                    }
                    if (!same) atomicOr(&r->different, 1u);
                });
    const count_t total = gs_block_combine((count_t)balance, add());
    if (threadIdx.x == 0) atomicAdd(&r->balance, total);
}

gsolve_status symmetric_rest(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A)
{
    gs_queue *q = ctx->queue;
    const int grid = gs_grid(q, A->nrows);
    char *fixed = nullptr;
    rest *r = nullptr, found;
    gsolve_status status;

    gs_range_push(ctx, "inspection: symmetry without fixed rows");
    ALLOC_DEVICE(ctx, fixed, A->nrows);
    ALLOC_DEVICE(ctx, r, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(r, 0, sizeof *r, q->stream), "testing the symmetry"));
    TRY(gs_launch(q, "finding fixed rows", find_fixed_rows, grid, gs_block_size, *A, fixed));
    TRY(A->offset == GSOLVE_O64 ? gs_launch(q, "testing the symmetry", match_rest<int64_t>, grid,
                                            gs_block_size, *A, fixed, r)
                                : gs_launch(q, "testing the symmetry", match_rest<int32_t>, grid,
                                            gs_block_size, *A, fixed, r));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, r, GSOLVE_DEVICE, sizeof found));
    *symmetric = !found.different && found.balance == 0;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, fixed);
    gsolve_free(ctx, GSOLVE_DEVICE, r);
    gs_range_pop(ctx);
    return status;
}

template <class T>
constexpr gs_statistics_kernels table = {rows<T>, pattern, empty_columns, symmetric_rest};

} // namespace

extern "C" const gs_statistics_kernels gs_statistics_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                                table<double>};
