// batch_cuda.cu: batch.h on a GPU. Calls of the same operation of each.cuh for several columns are
// stored with their arguments and launched as one kernel, whose blockIdx.y is the column. The grid
// of a column is the same as in a launch for that column alone, and each block does the same work,
// so the sums add their terms in the same order.
#include <cstring>
#include <new>

#include "core/pdl.cuh"
#include "vector/vector_ops.cuh"

extern "C" {
#include "vector/batch.h"
}

namespace
{

constexpr int most = 8;                 // columns of a launch
constexpr size_t argument_bytes = 4000; // largest size of a kernel's arguments that is used
constexpr int parts = 2;                // arrays for sums of blocks, each as large as a queue's own
constexpr int per_part = most / parts;  // columns whose sums share an array

// A queue that stores calls. All stored calls have the same operation, n and alignment.
struct batch_queue : gs_queue {
    gsolve_status (*launch)(batch_queue *b);
    const char *name;
    int64_t n;
    int count;                                    // stored calls
    const int *ended[most];                       // the guard of each call
    alignas(16) unsigned char op[argument_bytes]; // the operation of each call
};

// The arguments of a launch.
template <class Op>
struct batch {
    Op op[most];
    const int *ended[most];
};

// The kernel of each.cuh for the columns of a batch: block (x, y) does the work of block x in a
// launch of column y alone. Each column has its own memory for the sums of blocks and its
// own counter, so its sums have the same bits as alone. All vectors are read and written once,
// coalesced.
template <class Op, int W>
__global__ void __launch_bounds__(gs_block_size, Op::least_blocks)
    columns_kernel(int64_t n, const __grid_constant__ batch<Op> all, double *partial,
                   unsigned *arrived)
{
    double sum[Op::sums ? Op::sums : 1] = {};
    const int64_t packs = n / W, step = (int64_t)gridDim.x * gs_block_size;
    const int64_t first = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int column = (int)blockIdx.y;
    const gs_guard guard = {all.ended[column]};
    Op op = all.op[column];

    if (guard.has_ended(Op::runs_until)) {
        op.skip();
        return;
    }
    op.begin();
    for (int64_t i = first; i < packs; i += step) op.template at<W>(i * W, sum);
    if (packs * W + first < n) op.template at<1>(packs * W + first, sum);
    if constexpr (Op::sums > 0) {
        double *own = partial + (int64_t)(column / per_part) * gs_most_sums * gs_most_partials +
                      (column % per_part) * (int64_t)gridDim.x;
        gs_grid_sum(sum, own, arrived + column, [&](int s, double total) { op.store(s, total); });
    }
}

template <class Op, int W>
gsolve_status launch(batch_queue *k)
{
    constexpr auto alone = gs_each_kernel<Op, W>;
    const int grid = gs_grid(k, k->n / W + 1, gs_at_once<alone>());
    const dim3 blocks((unsigned)grid, (unsigned)k->count);
    batch<Op> all;

    static_assert(sizeof all <= argument_bytes, "the arguments of a kernel");
    memcpy((void *)all.op, k->op, sizeof all.op);
    memcpy((void *)all.ended, k->ended, sizeof all.ended);
    return gs_launch_pdl_with(k, k->name, columns_kernel<Op, W>, blocks, gs_block_size, 0, k->n,
                              all, k->partial, k->arrived);
}

// Launches the stored calls.
gsolve_status run(batch_queue *k)
{
    const gsolve_status status = k->count > 0 ? k->launch(k) : GSOLVE_OK;

    k->count = 0;
    return status;
}

// Stores a call. Launches the stored calls first if there are `most`, or if the new call differs
// from them in more than its operands.
template <class T, class Op>
gsolve_status each(gs_queue *q, int64_t n, bool aligned, const Op &op, const char *name)
{
    batch_queue *k = static_cast<batch_queue *>(q);
    const auto with = aligned ? launch<Op, gs_wide<T>> : launch<Op, 1>;
    gsolve_status status = GSOLVE_OK;

    if (k->count == most || k->launch != with || k->n != n) status = run(k);
    k->launch = with;
    k->name = name;
    k->n = n;
    k->ended[k->count] = k->guard;
    memcpy(k->op + (size_t)k->count++ * sizeof op, &op, sizeof op);
    return status;
}

// --- the queue --------------------------------------------------------------------------------

constexpr size_t sums_size = sizeof(double) * parts * gs_most_sums * gs_most_partials;

gsolve_status open(gs_queue *q, void *queue, void *space)
{
    batch_queue *k = new (queue) batch_queue();

    k->partial = (double *)space;
    k->arrived = (unsigned *)(k->partial + parts * gs_most_sums * gs_most_partials);
    return gs_cuda(q, cudaMemsetAsync(k->arrived, 0, most * sizeof *k->arrived, q->stream),
                   "clearing the counters of a batch");
}

// The queue takes all members of q except the arrays for sums, which are its own.
void begin(gs_queue *batch, const gs_queue *q)
{
    double *partial = batch->partial;
    unsigned *arrived = batch->arrived;

    *batch = *q;
    batch->partial = partial;
    batch->arrived = arrived;
    batch->guard = nullptr;
    static_cast<batch_queue *>(batch)->count = 0;
}

gsolve_status end(gs_queue *batch)
{
    return run(static_cast<batch_queue *>(batch));
}

// --- columns ----------------------------------------------------------------------------------

// Exchanges a[i] and b[i] for i < words. A thread strides over the words; accesses are coalesced.
__global__ void swap_kernel(int64_t words, uint32_t *a, uint32_t *b)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < words; i += step) {
        const uint32_t word = a[i];
        a[i] = b[i];
        b[i] = word;
    }
}

gsolve_status swap(gs_queue *q, int64_t words, void *a, void *b)
{
    return gs_launch(q, "swapping columns", swap_kernel, gs_grid(q, words), gs_block_size, words,
                     (uint32_t *)a, (uint32_t *)b);
}

// *all = whether ended[c] != 0 for all c < count. One warp; each lane tests every 32nd column.
__global__ void all_ended_kernel(int32_t count, const int *ended, int *all)
{
    int yes = 1;

    gs_wait();
    for (int32_t c = (int32_t)threadIdx.x; c < count; c += 32) yes = yes && ended[c];
    yes = __all_sync(0xffffffffu, yes);
    if (threadIdx.x == 0) *all = yes;
}

gsolve_status all_ended(gs_queue *q, int32_t count, const int *ended, int *all)
{
    return gs_launch_pdl_with(q, "testing whether all columns have ended", all_ended_kernel,
                              dim3(1), 32, 0, count, ended, all);
}

constexpr gs_vector_kernels tables[GSOLVE_TYPE_COUNT] = {table<float>, table<double>};

} // namespace

extern "C" const gs_columns_kernels gs_columns_cuda = {
    swap, all_ended, sizeof(batch_queue), sums_size + most * sizeof(unsigned), open, begin,
    end,  tables};
