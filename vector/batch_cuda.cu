// batch_cuda.cu: batch.h on a GPU. Operations of each.cuh that work alike are kept with their
// arguments, and run as one kernel whose blockIdx.y is the column: each block does what it would do
// in a launch of its own, so that the sums have the same order.
#include <cstring>
#include <new>

#include "core/pdl.cuh"
#include "vector/vector_ops.cuh"

extern "C" {
#include "vector/batch.h"
}

namespace
{

constexpr int most = 8;       // columns of a launch
constexpr size_t room = 4000; // bytes of arguments that a kernel takes
constexpr int parts = 2;      // of the space for sums, each as large as a queue's own
constexpr int per_part = most / parts;

struct keeping : gs_queue {
    gsolve_status (*launch)(keeping *k);
    const char *name;
    int64_t n;
    int count;
    const int *ended[most];
    alignas(16) unsigned char op[room];
};

template <class Op>
struct batch {
    Op op[most];
    const int *ended[most];
};

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
gsolve_status launch(keeping *k)
{
    constexpr auto alone = gs_each_kernel<Op, W>;
    const int grid = gs_grid(k, k->n / W + 1, gs_at_once<alone>());
    const dim3 blocks((unsigned)grid, (unsigned)k->count);
    batch<Op> all;

    static_assert(sizeof all <= room, "the arguments of a kernel");
    memcpy((void *)all.op, k->op, sizeof all.op);
    memcpy((void *)all.ended, k->ended, sizeof all.ended);
    return gs_launch_pdl_with(k, k->name, columns_kernel<Op, W>, blocks, gs_block_size, 0, k->n,
                              all, k->partial, k->arrived);
}

gsolve_status run(keeping *k)
{
    const gsolve_status status = k->count > 0 ? k->launch(k) : GSOLVE_OK;

    k->count = 0;
    return status;
}

template <class T, class Op>
gsolve_status each(gs_queue *q, int64_t n, bool aligned, const Op &op, const char *name)
{
    keeping *k = static_cast<keeping *>(q);
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
    keeping *k = new (queue) keeping();

    k->partial = (double *)space;
    k->arrived = (unsigned *)(k->partial + parts * gs_most_sums * gs_most_partials);
    return gs_cuda(q, cudaMemsetAsync(k->arrived, 0, most * sizeof *k->arrived, q->stream),
                   "counters");
}

void begin(gs_queue *kept, const gs_queue *q)
{
    double *partial = kept->partial;
    unsigned *arrived = kept->arrived;

    *kept = *q;
    kept->partial = partial;
    kept->arrived = arrived;
    kept->guard = nullptr;
    static_cast<keeping *>(kept)->count = 0;
}

gsolve_status end(gs_queue *kept)
{
    return run(static_cast<keeping *>(kept));
}

// --- columns ----------------------------------------------------------------------------------

__global__ void swap_kernel(int64_t words, uint32_t *a, uint32_t *b)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < words; i += step) {
        const uint32_t kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

gsolve_status swap(gs_queue *q, int64_t words, void *a, void *b)
{
    return gs_launch(q, "columns that trade places", swap_kernel, gs_grid(q, words), gs_block_size,
                     words, (uint32_t *)a, (uint32_t *)b);
}

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
    return gs_launch_pdl_with(q, "whether all have ended", all_ended_kernel, dim3(1), 32, 0, count,
                              ended, all);
}

constexpr gs_vector_kernels tables[GSOLVE_TYPE_COUNT] = {table<float>, table<double>};

} // namespace

extern "C" const gs_columns_kernels gs_columns_cuda = {
    swap,  all_ended, sizeof(keeping), sums_size + most * sizeof(unsigned), open,
    begin, end,       tables};
