// resident_cuda.cu: which systems are resident, and the layout of their matrix, see resident.cuh.
#include "solver/resident/resident.cuh"

extern "C" {
#include "core/try.h"
}

namespace
{

// The work of the rows before row i: their entries, and `row_cost` for each row.
__device__ int64_t work_before(const int32_t *start, int32_t i, int row_cost)
{
    return (int64_t)start[i] + (int64_t)row_cost * i;
}

// Distributes the rows: thread b finds the first row of block b by bisection in `start`, so that
// all blocks have about the same work.
__global__ void distribute_rows(gs_resident plan, int32_t n, const int32_t *start, int row_cost)
{
    const int b = (int)threadIdx.x;
    int32_t low = 0, high = n;

    if (b > plan.blocks) return;
    const int64_t work = work_before(start, n, row_cost) * b / plan.blocks;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (work_before(start, middle, row_cost) < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    plan.first[b] = b == plan.blocks ? n : low;
}

// Entries of slot s of a block with the rows first to last.
__device__ int slot_entries(const gs_resident &plan, const int32_t *start, int32_t first,
                            int32_t last, int s)
{
    const int32_t row = first + s / plan.lanes;

    if (row >= last) return 0;
    return (start[row + 1] - start[row] - s % plan.lanes + plan.lanes - 1) / plan.lanes;
}

// Computes plan.base. Block b handles part b; a thread counts the entries of one slot in each pass,
// a warp takes the longest of its slots, and thread 0 adds these widths up. most: the largest
// number of padded entries, and of rows, over all blocks.
__global__ void compute_layout(gs_resident plan, const int32_t *start, int *most)
{
    __shared__ int width[gs_resident_passes * gs_resident_warps];
    const int t = (int)threadIdx.x, b = (int)blockIdx.x;
    const int32_t first = plan.first[b], last = plan.first[b + 1];

    for (int i = 0; i < plan.passes; i++) {
        int longest = slot_entries(plan, start, first, last, i * gs_resident_threads + t);
        for (int d = 16; d > 0; d /= 2) {
            longest = max(longest, __shfl_xor_sync(0xffffffffu, longest, d));
        }
        if (t % 32 == 0) width[i * gs_resident_warps + t / 32] = longest;
    }
    __syncthreads();
    if (t > 0) return;
    int32_t *base = plan.base + (int64_t)b * (plan.passes * gs_resident_warps + 1), sum = 0;
    for (int w = 0; w < plan.passes * gs_resident_warps; w++) {
        base[w] = sum;
        sum = min(sum + width[w] * 32, 1 << 28);
    }
    base[plan.passes * gs_resident_warps] = sum;
    atomicMax(&most[0], sum);
    atomicMax(&most[1], last - first);
}

// Copies A's values and columns into the slots. Block b fills part b, a thread one slot in each
// pass. Padding has the value 0 and a column of x that exists. Reads and writes A once.
template <class T>
__global__ void fill_parts(gs_resident plan, const int32_t *start, const int32_t *col,
                           const T *value)
{
    const int t = (int)threadIdx.x, b = (int)blockIdx.x;
    const int32_t *base = plan.base + (int64_t)b * (plan.passes * gs_resident_warps + 1);
    const int32_t first = plan.first[b], last = plan.first[b + 1];

    for (int i = 0; i < plan.passes; i++) {
        const int warp = i * gs_resident_warps + t / 32, s = i * gs_resident_threads + t;
        const int32_t row = first + s / plan.lanes, lane = s % plan.lanes;
        const int mine = slot_entries(plan, start, first, last, s);
        const int64_t to = (int64_t)b * plan.capacity + base[warp] + t % 32;
        for (int k = 0; k < (base[warp + 1] - base[warp]) / 32; k++) {
            const int from = k < mine ? start[row] + lane + k * plan.lanes : 0;
            ((T *)plan.value)[to + k * 32] = k < mine ? value[from] : T(0);
            plan.col[to + k * 32] = k < mine ? col[from] : first;
        }
    }
}

// Bytes of dynamic shared memory that a block may have.
int64_t dynamic_bytes(const gs_queue *q)
{
    int most = 0;

    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, q->index);
    return (int64_t)most - 8192;
}

void drop(gs_resident *p, gsolve_context *ctx)
{
    if (!p) return;
    gsolve_free(ctx, GSOLVE_DEVICE, p->first);
    gsolve_free(ctx, GSOLVE_DEVICE, p->base);
    gsolve_free(ctx, GSOLVE_DEVICE, p->value);
    gsolve_free(ctx, GSOLVE_DEVICE, p->col);
    gsolve_free(ctx, GSOLVE_DEVICE, p->slot);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

// One block if the system fits into it, since it need not wait for others; otherwise about 3000
// entries and rows for each block. Several threads for a row if there are more threads than rows.
void choose_shape(gs_resident *p, const gs_queue *q, int32_t n, int64_t entries, int64_t fits)
{
    const int64_t shares = (entries + n) / 3000 + 1;
    const int most =
        q->processors < gs_resident_most_blocks ? q->processors : gs_resident_most_blocks;
    const bool alone = n <= gs_resident_threads * gs_resident_passes / 2 && entries * 5 / 4 <= fits;

    p->blocks = alone ? 1 : shares < most ? (int)shares : most;
    p->lanes = 1;
    while (p->lanes < 32 && 2 * p->lanes <= entries / n &&
           (int64_t)n * 2 * p->lanes <= (int64_t)p->blocks * gs_resident_threads) {
        p->lanes *= 2;
    }
}

// Distributes the rows over p->blocks blocks. most: the largest number of padded entries, and of
// rows, of a block.
gsolve_status try_shape(gs_resident *p, gsolve_context *ctx, const gsolve_csr *A, int row_cost,
                        int *on_device, int most[2])
{
    gs_queue *q = ctx->queue;
    const int32_t *start = (const int32_t *)A->start;
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(on_device, 0, 2 * sizeof *on_device, q->stream),
                "a resident system"));
    TRY(gs_launch(q, "distribute_rows", distribute_rows, 1, gs_resident_most_blocks + 32, *p,
                  A->nrows, start, row_cost));
    TRY(gs_launch(q, "compute_layout", compute_layout, p->blocks, gs_resident_threads, *p, start,
                  on_device));
    TRY(gsolve_copy(ctx, most, GSOLVE_HOST, on_device, GSOLVE_DEVICE, 2 * sizeof *most));
done:
    return status;
}

bool plan_fits(const gs_resident *p, const int most[2], int64_t fits)
{
    return most[0] <= fits &&
           (int64_t)most[1] * p->lanes <= gs_resident_threads * gs_resident_passes;
}

gsolve_status build_plan(gs_resident *p, gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                         bool *made)
{
    const int64_t size = A->type == GSOLVE_F32 ? 4 : 8;
    const int64_t fits = dynamic_bytes(ctx->queue) / (size + (int64_t)sizeof(int32_t));
    const int mean = (int)(entries / A->nrows) + 1, row_costs[] = {mean, 8 * mean};
    int *on_device = nullptr, most[2] = {};
    gsolve_status status;

    *made = false;
    p->passes = gs_resident_passes;
    choose_shape(p, ctx->queue, A->nrows, entries, fits);
    ALLOC_DEVICE(ctx, p->first, (size_t)p->blocks + 1);
    ALLOC_DEVICE(ctx, p->base, (size_t)p->blocks * (gs_resident_passes * gs_resident_warps + 1));
    ALLOC_DEVICE(ctx, on_device, 2);
    for (int row_cost : row_costs) {
        TRY(try_shape(p, ctx, A, row_cost, on_device, most));
        *made = plan_fits(p, most, fits);
        if (*made) break;
    }
    if (!*made) goto done;
    while (p->passes > 1 && most[1] * p->lanes <= p->passes / 2 * gs_resident_threads) {
        p->passes /= 2;
    }
    TRY(gs_launch(ctx->queue, "compute_layout", compute_layout, p->blocks, gs_resident_threads, *p,
                  (const int32_t *)A->start, on_device));
    p->capacity = (most[0] + 31) / 32 * 32;
    p->value =
        gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)p->blocks * (size_t)p->capacity + 1, (size_t)size);
    status = p->value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status != GSOLVE_OK) goto done;
    ALLOC_DEVICE(ctx, p->col, (size_t)p->blocks * (size_t)p->capacity + 1);
    ALLOC_DEVICE(ctx, p->slot, (size_t)p->blocks * 6);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, on_device);
    return status;
}

gsolve_status plan(gs_resident **out, gsolve_context *ctx, const gsolve_csr *A, int64_t entries)
{
    gs_queue *q = ctx->queue;
    int cooperative = 0;
    bool made = false;
    gsolve_status status;

    *out = nullptr;
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, q->index);
    if (!cooperative || A->offset != GSOLVE_O32 || A->nrows == 0 ||
        A->nrows > q->processors * gs_resident_threads * gs_resident_passes ||
        entries > (int64_t)q->processors * dynamic_bytes(q) / 8) {
        return GSOLVE_OK;
    }
    gs_resident *p = (gs_resident *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_resident();
    p->type = A->type;
    status = build_plan(p, ctx, A, entries, &made);
    if (status == GSOLVE_OK && made) {
        *out = p;
    } else {
        drop(p, ctx);
    }
    return status;
}

gsolve_status fill(gs_resident *p, gsolve_context *ctx, const gsolve_csr *A)
{
    const int32_t *start = (const int32_t *)A->start;

    if (p->type == GSOLVE_F32) {
        return gs_launch(ctx->queue, "fill_parts", fill_parts<float>, p->blocks,
                         gs_resident_threads, *p, start, A->col, (const float *)A->value);
    }
    return gs_launch(ctx->queue, "fill_parts", fill_parts<double>, p->blocks, gs_resident_threads,
                     *p, start, A->col, (const double *)A->value);
}

} // namespace

extern "C" const gs_resident_kernels gs_resident_cuda = {plan, drop, fill, gs_resident_cg,
                                                         gs_resident_bicgstab};
