// hash_plan_cuda.cu: makes the plan of an update, see hash_plan.cuh.
#include <string.h>

#include "core/sort.cuh"
#include "spgemm/hash/hash_plan.cuh"

namespace gs_hash_rows
{
namespace
{

// bytes[row] = the bytes of the places of a row, rounded up to a multiple of four; bytes[nrows] =
// 0; bytes[nrows + 1], which must be 0 at the start, becomes the most products of a row.
// lanes_per_row lanes own a row.
__global__ void __launch_bounds__(gs_block_size)
    measure_places(int32_t nrows, rows_of A, rows_of B, rows_of C, int64_t *bytes)
{
    constexpr int lanes_per_row = 8;
    const int lane = (int)threadIdx.x % lanes_per_row;

    for (int64_t first = (int64_t)blockIdx.x * (gs_block_size / lanes_per_row); first <= nrows;
         first += (int64_t)gridDim.x * (gs_block_size / lanes_per_row)) {
        const int64_t row = first + threadIdx.x / lanes_per_row;
        const int64_t from = row < nrows ? A.begin(row) : 0,
                      to = row < nrows ? A.begin(row + 1) : 0;
        long long work = 0;
        for (int64_t k = from + lane; k < to; k += lanes_per_row) {
            const int64_t j = A.col[k];
            work += B.begin(j + 1) - B.begin(j);
        }
        work = over_lanes(work, lanes_per_row, sum_of());
        if (lane || row > nrows) continue;
        if (work > *(volatile int64_t *)&bytes[nrows + 1]) { // a plain read first: most rows do not
                                                             // raise the maximum
            atomicMax(reinterpret_cast<long long *>(&bytes[nrows + 1]), work);
        }
        const int64_t n = row < nrows ? C.begin(row + 1) - C.begin(row) : 0;
        bytes[row] = (work * (n <= one_byte_row ? 1 : n <= two_byte_row ? 2 : 4) + 3) / 4 * 4;
    }
}

struct column_of_product {
    int32_t col;
    int64_t number;
};

// Sets the places of all products of the rows in the list: the position of the product's column in
// the row of C, by binary search. `threads` threads own a row: a part of a warp, a warp, or a
// block. P: the type of a place, uint8_t, uint16_t or uint32_t. Reads A and B once and writes one P
// for each product.
template <class P>
__global__ void __launch_bounds__(1024)
    find_places(rows_of A, rows_of B, rows_of C, const int32_t *rows, int32_t nrows, int threads,
                const int64_t *begin, uint8_t *place)
{
    const int64_t nth = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / threads;
    const int me = (int)threadIdx.x % threads, width = min(threads, 32);
    const int32_t row = nth < nrows ? rows[nth] : -1;
    const int64_t from = row < 0 ? 0 : A.begin(row), to = row < 0 ? 0 : A.begin((int64_t)row + 1);
    const int64_t first = row < 0 ? 0 : C.begin(row), end = row < 0 ? 0 : C.begin((int64_t)row + 1);
    P *const mine = reinterpret_cast<P *>(place + (row < 0 ? 0 : begin[row]));

    visit_products<nothing, true>(
        A, B, {from + me % width, width, width, me, threads}, to, {0, 0},
        [&](int64_t e, int64_t number) { return column_of_product{B.col[e], number}; },
        [&](bool is_one, nothing, column_of_product x) {
            if (is_one) mine[x.number] = (P)(gs_row_first(C.col, first, end, x.col) - first);
        },
        [] {});
}

template <class P>
gsolve_status find(const plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A,
                   const gsolve_csr *B, const gsolve_csr *C, int first_bin, int last, int threads)
{
    const int64_t before = listed_before(&p->stats, first_bin);
    const int64_t rows = listed_before(&p->stats, last + 1) - before;
    const int block = threads > gs_block_size ? threads : gs_block_size;
    const int64_t blocks = (rows * threads + block - 1) / block;

    return launch_with(ctx->queue, "finding places", find_places<P>, blocks, block, 0, rows_of(A),
                       rows_of(B), rows_of(C), p->rows + before, (int32_t)rows, threads, p->begin,
                       p->place);
}

// Sets p->begin and allocates the places.
gsolve_status allocate_places(plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A,
                              const gsolve_csr *B, const gsolve_csr *C)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    int64_t stats[2] = {0, 0}; // bytes, products of a row
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->begin, (size_t)n + 2);
    TRY(gs_cuda(q, cudaMemsetAsync(p->begin + n + 1, 0, sizeof *p->begin, q->stream),
                "measuring places"));
    TRY(gs_launch(q, "measuring places", measure_places, gs_grid(q, 8 * ((int64_t)n + 1)),
                  gs_block_size, n, rows_of(A), rows_of(B), rows_of(C), p->begin));
    TRY(gs_scan(ctx, "numbering places", p->begin, p->begin, (int64_t)n + 1));
    TRY(gsolve_copy(ctx, stats, GSOLVE_HOST, p->begin + n, GSOLVE_DEVICE, sizeof stats));
    ALLOC_DEVICE(ctx, p->place, stats[0]);
    p->most_products = stats[1];
done:
    return status;
}

// --- long rows first ----------------------------------------------------------------------------

// inputs[k] = the entries of A in the k-th row of the list. A thread owns a row.
__global__ void __launch_bounds__(gs_block_size)
    count_inputs(rows_of A, const int32_t *rows, int32_t nrows, int32_t *inputs)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < nrows) inputs[k] = (int32_t)(A.begin((int64_t)rows[k] + 1) - A.begin(rows[k]));
}

// Sorts the rows of a bin by their number of entries in A, descending, so that the longest rows
// start first.
gsolve_status sort_rows(plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A, int bin)
{
    gs_queue *q = ctx->queue;
    const int32_t n = (int32_t)p->stats.rows[bin];
    int32_t *rows = p->rows + listed_before(&p->stats, bin), *key = nullptr, *sorted = nullptr,
            *order = nullptr;
    gsolve_status status = GSOLVE_OK;

    if (n == 0) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, key, n);
    ALLOC_DEVICE(ctx, sorted, n);
    ALLOC_DEVICE(ctx, order, n);
    TRY(gs_launch(q, "sorting long rows", count_inputs, n / gs_block_size + 1, gs_block_size,
                  rows_of(A), rows, n, key));
    TRY(gs_with_space(ctx, "sorting long rows", [&](void *space, size_t &bytes) {
        return gs_sort_pairs_descending(space, bytes, {key, sorted}, {rows, order}, n, 31,
                                        q->stream);
    }));
    TRY(gsolve_copy(ctx, rows, GSOLVE_DEVICE, order, GSOLVE_DEVICE, (size_t)n * sizeof *rows));
done:
    free_all(ctx, key, sorted, order);
    return status;
}

// --- long rows in segments -----------------------------------------------------------------------

// cuts[k] = the number of cuts of the k-th row of the list; cuts[nrows] = 0. A thread owns a row.
__global__ void __launch_bounds__(gs_block_size)
    count_cuts(rows_of A, rows_of C, const int32_t *rows, int32_t nrows, int64_t *cuts)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k > nrows) return;
    const int64_t i = k < nrows ? rows[k] : 0;
    const int64_t segments = k < nrows ? segments_of(C.begin(i + 1) - C.begin(i)) : 1;

    cuts[k] = (segments - 1) * (A.begin(i + 1) - A.begin(i));
}

// The index of the first of n ascending places that is at least `least`.
template <class P>
__device__ inline int first_place(const P *place, int n, unsigned least)
{
    return first_not(0, n, [&](int k) { return place[k] < least; });
}

// Sets the cuts of a row, which a block owns. A thread owns an entry of A and searches the places
// of its row of B, which ascend, for the beginning of each segment.
template <class P>
__global__ void __launch_bounds__(gs_block_size)
    find_cuts(rows_of A, rows_of B, rows_of C, const int32_t *rows, const int64_t *first,
              const int64_t *begin, const uint8_t *place, int32_t *cut)
{
    const int32_t i = rows[blockIdx.x];
    const int64_t from = A.begin(i), entries = A.begin((int64_t)i + 1) - from;
    const int64_t segments = segments_of(C.begin((int64_t)i + 1) - C.begin(i));
    const P *mine = reinterpret_cast<const P *>(place + begin[i]);
    int32_t *to = cut + first[blockIdx.x];

    for (int64_t e0 = 0; e0 < entries; e0 += blockDim.x) {
        const int64_t e = e0 + threadIdx.x;
        const int64_t j = e < entries ? A.col[from + e] : 0;
        const int length = e < entries ? (int)(B.begin(j + 1) - B.begin(j)) : 0;
        int all, at = 0;
        const P *run = mine + sum_before<by_block>(length, &all);
        for (int64_t p = 1; p < segments; p++) {
            at += first_place(run + at, length - at, (unsigned)(p * segment_entries));
            if (e < entries) to[(p - 1) * entries + e] = at;
        }
        mine += all;
    }
}

template <class P>
gsolve_status cut_rows(const plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, const gsolve_csr *C, int first_bin, int last)
{
    const int64_t before = listed_before(&p->stats, first_bin);
    const int64_t rows = listed_before(&p->stats, last + 1) - before;

    return launch_with(ctx->queue, "cutting rows into segments", find_cuts<P>, rows, gs_block_size,
                       0, rows_of(A), rows_of(B), rows_of(C), p->rows + before,
                       p->first_cut + (before - listed_before(&p->stats, first_cut_bin)), p->begin,
                       p->place, p->cut);
}

// Sets p->first_cut and p->cut; does nothing without long rows.
gsolve_status make_cuts(plan_on_device *p, gsolve_context *ctx, const gsolve_csr *A,
                        const gsolve_csr *B, const gsolve_csr *C)
{
    const int64_t before = listed_before(&p->stats, first_cut_bin);
    const int64_t n = listed_before(&p->stats, last_bin + 1) - before;
    int64_t all = 0;
    gsolve_status status = GSOLVE_OK;

    if (n == 0) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, p->first_cut, (size_t)n + 1);
    TRY(gs_launch(ctx->queue, "counting cuts", count_cuts, (int)(n / gs_block_size + 1),
                  gs_block_size, rows_of(A), rows_of(C), p->rows + before, (int32_t)n,
                  p->first_cut));
    TRY(gs_scan(ctx, "numbering cuts", p->first_cut, p->first_cut, n + 1, &all));
    ALLOC_DEVICE(ctx, p->cut, all);
    TRY(cut_rows<uint16_t>(p, ctx, A, B, C, first_cut_bin, two_byte_bins));
    TRY(cut_rows<uint32_t>(p, ctx, A, B, C, two_byte_bins + 1, last_bin));
done:
    return status;
}

} // namespace

gsolve_status make_plan(void **out, gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                        const gsolve_csr *C, const job *j)
{
    plan_on_device *p = static_cast<plan_on_device *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p));
    gsolve_status status = p ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    if (!p) return status;
    memset(p, 0, sizeof *p);
    p->nrows = A->nrows;
    p->work = j->stats;
    ALLOC_DEVICE(ctx, p->rows, (size_t)A->nrows);
    TRY(bin_rows_by_length(ctx, C, row_limits, p->rows, &p->stats));
    for (int bin = first_cut_bin; bin <= last_bin; bin++) TRY(sort_rows(p, ctx, A, bin));
    TRY(allocate_places(p, ctx, A, B, C));
    TRY(find<uint32_t>(p, ctx, A, B, C, two_byte_bins + 1, last_bin, 1024));
    TRY(find<uint16_t>(p, ctx, A, B, C, one_byte_bins + 1, two_byte_bins, 1024));
    TRY(find<uint8_t>(p, ctx, A, B, C, 1, one_byte_bins, j->lanes));
    TRY(make_cuts(p, ctx, A, B, C));
    *out = p;
    p = nullptr;
done:
    drop_plan(p, ctx);
    return status;
}

void drop_plan(void *plan, gsolve_context *ctx)
{
    plan_on_device *p = static_cast<plan_on_device *>(plan);

    if (!p) return;
    free_all(ctx, p->rows, p->begin, p->place, p->first_cut, p->cut);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

} // namespace gs_hash_rows
