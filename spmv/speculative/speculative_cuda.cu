// speculative_cuda.cu: the product on a GPU, see speculative.h.
//
// A warp owns a bunch of S tiles, and a block owns a group of B bunches. A warp writes the rows
// that end in its bunch, except the first row, whose begin may lie in another bunch. The block adds
// the parts of rows that cross its bunches in shared memory. Parts of rows that cross groups go to
// the synchronizer: of each group, its part of the row open at its begin (head) and of the row open
// at its end (tail). The group of a row that finishes last adds its tail and heads in a fixed
// order. Blocks after the groups write the empty rows of the pieces of the speculator array.
#include <cuda_pipeline.h>

#include "core/pdl.cuh"
#include "spmv/speculative/speculative_group.cuh"

extern "C" {
#include "core/try.h"
#include "vector/vector.h"
}

using namespace gs_bunches;

namespace
{

// Blocks of a multiprocessor, at least: what a thread loads ahead stays in registers.
template <class T, int W>
constexpr int least_blocks = W == 4           ? 4
                             : sizeof(T) == 4 ? 3
                                              : 2;

// Block b < p.groups owns group b, warp w of it bunch w; the other blocks own one piece of the
// speculator array each. Every row is written once: by the warp in whose bunch it begins and ends,
// by the first warp of its group, or by the group of the row that finishes last. Memory moved: 12
// bytes per entry (8 in single precision), x by gathers, y once.
template <class T, class O, int W, int SUMS>
__global__ void __launch_bounds__(gs_block_size, least_blocks<T, W>)
    sum_tiles(product<T> a, gs_speculative p, double *partial, unsigned *arrived, gs_guard guard)
{
    extern __shared__ double2 space[];
    __shared__ ends<T> bunch[most_warps];
    __shared__ crossing cross[2];
    const int warp = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;
    double terms[SUMS > 1 ? 2 : 1] = {};

    if (guard.has_ended()) return;
    if ((int)blockIdx.x >= p.groups) {
        write_empty_rows<O>(a, p.speculator[(int)blockIdx.x - p.groups]);
        return;
    }
    if (threadIdx.x < 2) { // asynchronous copy, complete when the bunches are done
        __pipeline_memcpy_async(&cross[threadIdx.x], &p.cross[blockIdx.x + threadIdx.x],
                                sizeof *cross);
        __pipeline_commit();
    }
    const int64_t tile = ((int64_t)blockIdx.x * p.warps + warp) * p.steps, begin = tile * W * lanes;
    const int most = p.steps * W * lanes;
    const int n = (int)max((int64_t)0, min(p.entries - begin, (int64_t)most));
    const int32_t first = lane <= p.steps ? p.first[min(tile + lane, (int64_t)p.tiles)] : 0;
    walk<SUMS, O, W>(a, begin, n, first, (T *)space + warp * tile_space<T, W>, bunch[warp], terms);
    __pipeline_wait_prior(0);
    __syncthreads();
    if (warp == 0) synchronize<SUMS>(a, p, cross, bunch, terms);
    if constexpr (SUMS > 0) add_up<SUMS>(a, p, terms, partial, arrived);
}

// --- the launch -------------------------------------------------------------------------------

template <class T, int W>
size_t shared_bytes(const gs_speculative *p)
{
    return (size_t)p->warps * tile_space<T, W> * sizeof(T);
}

template <class T, class O, int W, int SUMS>
gsolve_status launch(gs_queue *q, const product<T> &a, const gs_speculative *p)
{
    return gs_launch_pdl_with(q, "the product by tiles", sum_tiles<T, O, W, SUMS>,
                              dim3((unsigned)(p->groups + p->pieces)), p->warps * lanes,
                              shared_bytes<T, W>(p), a, *p, q->partial, q->arrived,
                              gs_guard{q->guard});
}

// Whether the kernel computes the sums; else they are computed from y afterwards.
bool sums_are_fused(const gs_speculative *p)
{
    return p->groups > 0 && p->groups <= gs_most_partials && p->warps == most_warps;
}

template <class T, class O, int W>
gsolve_status multiply(gs_queue *q, const product<T> &a, const gs_speculative *p)
{
    if (p->groups + p->pieces == 0) return GSOLVE_OK;
    return !a.out[0] || !sums_are_fused(p) ? launch<T, O, W, 0>(q, a, p)
           : a.out[1]                      ? launch<T, O, W, 2>(q, a, p)
                                           : launch<T, O, W, 1>(q, a, p);
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_speculative_plan *plan, double alpha, const void *x,
                    double beta, void *y, const gs_product_sums *dots)
{
    const gsolve_csr *A = &plan->csr;
    const gs_speculative *p = plan->tile;
    const gs_product_sums none = {}, sums = dots ? *dots : none;
    const gs_vector_kernels *vector = &gs_vector_cuda[A->type];
    const bool wide = A->offset == GSOLVE_O64;
    const product<T> a = {A->start, A->col,  (const T *)A->value, (const T *)x,      (T *)y,
                          (T)alpha, (T)beta, (const T *)sums.w,   {sums.wy, sums.yy}};
    gsolve_status status;

    if (plan->shape.width == 4) {
        TRY((wide ? multiply<T, int64_t, 4>(q, a, p) : multiply<T, int32_t, 4>(q, a, p)));
    } else {
        TRY((wide ? multiply<T, int64_t, 8>(q, a, p) : multiply<T, int32_t, 8>(q, a, p)));
    }
    if (!dots || sums_are_fused(p)) return GSOLVE_OK;
    status = gs_sum_product(vector, q, A->nrows, y, dots);
done:
    return status;
}

// --- the shape of tiles and groups ------------------------------------------------------------

// *at_once = blocks that run on a multiprocessor at once. Sets the carve-out of shared memory to
// what these need; the rest of L1 caches x.
template <class T, class O, int W>
gsolve_status set_carveout(gs_queue *q, const gs_speculative *p, int *at_once)
{
    const auto none = sum_tiles<T, O, W, 0>, one = sum_tiles<T, O, W, 1>,
               two = sum_tiles<T, O, W, 2>;
    const size_t bytes = shared_bytes<T, W>(p), more = 2048; // other shared memory of a block
    int most = 0, capacity = 0;
    cudaError_t code =
        cudaDeviceGetAttribute(&capacity, cudaDevAttrMaxSharedMemoryPerMultiprocessor, q->index);

    if (code == cudaSuccess) {
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, none, p->warps * lanes, bytes);
    }
    *at_once = most > 0 ? most : 1;
    const int percent =
        capacity > 0 ? (int)min((size_t)100, *at_once * (bytes + more) * 100 / capacity) : 0;
    for (const auto kernel : {none, one, two}) {
        if (code != cudaSuccess) break;
        code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    }
    return gs_cuda(q, code, "setting the shared memory carve-out");
}

template <class T>
gsolve_status choose_shape(gs_speculative *p, gs_queue *q, const gs_speculative_plan *plan)
{
    constexpr int most_steps = 16;
    const int width = plan->shape.width, tile = width * lanes;
    const bool wide = plan->csr.offset == GSOLVE_O64;
    int at_once = 1;
    gsolve_status status;

    p->entries = plan->entries;
    p->tiles = (int)((p->entries + tile - 1) / tile);
    p->warps = plan->shape.bunches > 0 ? plan->shape.bunches : most_warps;
    if (width == 4) {
        TRY((wide ? set_carveout<T, int64_t, 4> : set_carveout<T, int32_t, 4>)(q, p, &at_once));
    } else {
        TRY((wide ? set_carveout<T, int64_t, 8> : set_carveout<T, int32_t, 8>)(q, p, &at_once));
    }
    {
        const int64_t bunches = (int64_t)q->processors * at_once * p->warps;
        const int64_t waves = (p->tiles + bunches * most_steps - 1) / (bunches * most_steps);
        const int64_t steps = waves > 0 ? (p->tiles + bunches * waves - 1) / (bunches * waves) : 1;
        p->steps = plan->shape.steps > 0 ? plan->shape.steps : (int)steps;
    }
    p->group = (int64_t)p->warps * p->steps * tile;
    p->groups = (int)((p->entries + p->group - 1) / p->group);
done:
    return status;
}

void drop(gs_speculative_plan *plan, gsolve_context *ctx)
{
    if (plan->tile) gsolve_free(ctx, GSOLVE_DEVICE, plan->tile->space);
    gsolve_free(ctx, GSOLVE_HOST, plan->tile);
}

template <class T>
gsolve_status plan(gs_speculative_plan *plan, gsolve_context *ctx)
{
    const gsolve_csr *A = &plan->csr;
    const int tile = plan->shape.width * lanes;
    gs_speculative *p = (gs_speculative *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    gsolve_status status;

    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_speculative();
    plan->tile = p; // from here on drop releases it
    TRY(choose_shape<T>(p, ctx->queue, plan));
    TRY((A->offset == GSOLVE_O64 ? gs_speculative_fill<int64_t>
                                 : gs_speculative_fill<int32_t>)(p, ctx, A, tile));
done:
    return status;
}

} // namespace

extern "C" const gs_speculative_kernels gs_speculative_cuda[GSOLVE_TYPE_COUNT] = {
    {plan<float>, drop, apply<float>},
    {plan<double>, drop, apply<double>},
};
