// count_products_cuda.cu: counts the products of the rows of C = A B on a GPU.
#include "spgemm/rows.cuh"

extern "C" {
#include "spgemm/spgemm.h"
}

using namespace gs_rows;

namespace
{

struct counts {
    unsigned long long products, heavy, spread; // see gs_product_counts
};

// The lanes that own a row, and the number of its entries of A that they process. The warp
// processes the rest.
constexpr int row_lanes = 8, row_entries = 64;

// B as the kernel reads it, and A's columns.
template <class OB>
struct rows_of_B {
    const int32_t *col, *b_col;
    const OB *b_start;

    // The products of A's entries from, from + step and so on before `to`. extend_span extends the
    // range of their columns, most = {last column, -first column}.
    __device__ unsigned long long products(int64_t from, int64_t to, int step) const
    {
        unsigned long long sum = 0;
        for (int64_t k = from; k < to; k += step) {
            sum += (unsigned long long)(b_start[col[k] + 1] - b_start[col[k]]);
        }
        return sum;
    }
    __device__ void extend_span(int64_t from, int64_t to, int step, int most[2]) const
    {
        for (int64_t k = from; k < to; k += step) {
            const OB begin = b_start[col[k]], end = b_start[col[k] + 1];
            if (begin == end) continue;
            most[0] = max(most[0], b_col[end - 1]);
            most[1] = max(most[1], -b_col[begin]);
        }
    }
};

// The number of columns from the first to the last product of this lane's row, whose entries in A
// are [from, to). All lanes of the warp call it. more: a bit for each row of the warp that is
// longer than `row_entries` entries.
template <class OB>
__device__ int64_t span_of(const rows_of_B<OB> &rows, int64_t from, int64_t to, unsigned more)
{
    const int lane = (int)threadIdx.x % 32, e = lane % row_lanes;
    int most[2] = {-1, -INT32_MAX};

    rows.extend_span(from + e, min(to, from + row_entries), row_lanes, most);
    for (; more; more &= more - 1) {
        const int owner = __ffs((int)more) - 1;
        const int64_t rest = __shfl_sync(all_lanes, from, owner) + row_entries;
        int others[2] = {-1, -INT32_MAX};
        rows.extend_span(rest + lane, __shfl_sync(all_lanes, to, owner), 32, others);
        for (int side = 0; side < 2; side++) {
            const int of_row = over_lanes(others[side], 32, most_of());
            if (lane == owner) most[side] = max(most[side], of_row);
        }
    }
    for (int side = 0; side < 2; side++) most[side] = over_lanes(most[side], row_lanes, most_of());
    return most[0] < 0 ? 0 : (int64_t)most[0] + most[1] + 1;
}

// *to += the sum of mine over the threads of the block.
__device__ void add(unsigned long long mine, unsigned long long *to)
{
    mine = gs_block_sum(mine);
    if (threadIdx.x == 0 && mine > 0) atomicAdd(to, mine);
}

// Counts the products of all rows. `row_lanes` lanes own a row and its first `row_entries` entries
// of A; the warp together processes the entries behind these, row after row. Reads A once, two
// offsets of B for each entry, and the first and last column of its row where the row has more than
// GS_FEW_PRODUCTS products. All sums are of integers, so their order does not matter.
template <class OA, class OB>
__global__ void __launch_bounds__(gs_block_size)
    count_rows(int32_t nrows, const OA *start, rows_of_B<OB> rows, counts *f)
{
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    const int lane = (int)threadIdx.x % 32, e = lane % row_lanes;
    unsigned long long products = 0, heavy = 0, spread = 0;

    for (int64_t t = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
         t / 32 * 32 < nrows * (int64_t)row_lanes; t += threads) {
        const int64_t i = t / row_lanes, from = i < nrows ? (int64_t)start[i] : 0,
                      to = i < nrows ? (int64_t)start[i + 1] : 0;
        const unsigned more = __ballot_sync(all_lanes, e == 0 && to > from + row_entries);
        unsigned long long mine = rows.products(from + e, min(to, from + row_entries), row_lanes);
        for (unsigned left = more; left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const int64_t rest = __shfl_sync(all_lanes, from, owner) + row_entries;
            const unsigned long long sum = over_lanes(
                rows.products(rest + lane, __shfl_sync(all_lanes, to, owner), 32), 32, sum_of());
            if (lane == owner) mine += sum;
        }
        mine = over_lanes(mine, row_lanes, sum_of());
        int64_t columns = 0;
        if (__any_sync(all_lanes, mine > GS_FEW_PRODUCTS)) columns = span_of(rows, from, to, more);
        if (e == 0) {
            const bool is_spread = mine > GS_FEW_PRODUCTS && columns > 32 * (int64_t)mine;
            products += mine;
            heavy += mine > GS_MANY_PRODUCTS ? mine : 0;
            spread += mine <= GS_MANY_PRODUCTS && is_spread ? mine : 0;
        }
    }
    add(products, &f->products);
    add(heavy, &f->heavy);
    add(spread, &f->spread);
}

template <class OA, class OB>
gsolve_status count_all(gs_queue *q, const gsolve_csr *A, const gsolve_csr *B, counts *f)
{
    return gs_launch(q, "counting products", count_rows<OA, OB>,
                     gs_grid(q, (int64_t)A->nrows * row_lanes), gs_block_size, A->nrows,
                     (const OA *)A->start, rows_of_B<OB>{A->col, B->col, (const OB *)B->start}, f);
}

gsolve_status count_by_width(gs_queue *q, const gsolve_csr *A, const gsolve_csr *B, counts *f)
{
    if (A->offset == GSOLVE_O64) {
        return B->offset == GSOLVE_O64 ? count_all<int64_t, int64_t>(q, A, B, f)
                                       : count_all<int64_t, int32_t>(q, A, B, f);
    }
    return B->offset == GSOLVE_O64 ? count_all<int32_t, int64_t>(q, A, B, f)
                                   : count_all<int32_t, int32_t>(q, A, B, f);
}

gsolve_status count(gs_product_counts *work, gsolve_context *ctx, const gsolve_csr *A,
                    const gsolve_csr *B)
{
    counts *on_device = nullptr, on_host = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, on_device, 1);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(on_device, 0, sizeof *on_device, ctx->queue->stream),
                "counting products"));
    TRY(count_by_width(ctx->queue, A, B, on_device));
    TRY(gsolve_copy(ctx, &on_host, GSOLVE_HOST, on_device, GSOLVE_DEVICE, sizeof on_host));
    work->products = (int64_t)on_host.products;
    work->heavy = (int64_t)on_host.heavy;
    work->spread = (int64_t)on_host.spread;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, on_device);
    return status;
}

} // namespace

extern "C" const gs_count_kernels gs_work_cuda = {count};
