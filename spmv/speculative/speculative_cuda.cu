// speculative_cuda.cu: the product on a GPU, see speculative.h.
//
// A warp owns a bunch of S tiles, and a block owns a group of B bunches. A warp writes the rows
// that end in its bunch, except the first row, whose begin may lie in another bunch. The block adds
// the parts of rows that cross its bunches in shared memory. Parts of rows that cross groups go to
// the synchronizer: of each group, its part of the row open at its begin (head) and of the row open
// at its end (tail). The group of a row that finishes last adds its tail and heads in a fixed
// order. Blocks after the groups write the empty rows of the pieces of the speculator array.
#include <cuda_pipeline.h>

#include "spmv/speculative/speculative_walk.cuh"

extern "C" {
#include "spmv/handle.h"
}

using namespace gs_bunches;

namespace
{

// --- rows that cross the bunches of a group, and rows that cross groups ----------------------

// Called by one thread: writes the rows that cross bunches of the group. Returns the group's parts
// of rows that reach beyond it.
template <class T>
__device__ ends<T> join(const gs_row_operands<T> &a, int warps, const ends<T> *bunch)
{
    ends<T> e = {0, 0, bunch[0].row, false};
    T sum = 0;

#pragma unroll 1
    for (int w = 0; w < warps; w++) {
        const ends<T> b = bunch[w];
        sum += b.head;
        if (!b.closed) continue;
        if (e.closed) {
            gs_finish(a, b.row, sum);
        } else {
            e.head = sum;
        }
        e.closed = true;
        sum = b.tail;
    }
    if (e.closed) {
        e.tail = sum;
    } else {
        e.head = sum;
    }
    return e;
}

// Called by a warp: writes row c.row, the sum of its tail and heads in their order.
template <class T>
__device__ void finish_crossing_row(const gs_row_operands<T> &a, const gs_speculative &p,
                                    const crossing &c)
{
    const int lane = (int)threadIdx.x % lanes;
    const T *head = (const T *)p.head, *tail = (const T *)p.tail;
    T sum = lane == 0 ? __ldcg(&tail[c.from]) : T(0);

    for (int g = c.from + 1 + lane; g <= c.to; g += lanes) sum += __ldcg(&head[g]);
    sum = warp_sum(sum);
    if (lane != 0) return;
    gs_finish(a, c.row, sum);
    p.arrived[c.from] = 0;
}

// Called by a warp when all bunches of the group are done. cross: the rows that cross the group's
// begin and its end. Writes the rows of several groups whose last part this group has finished.
template <class T>
__device__ void synchronize(const gs_row_operands<T> &a, const gs_speculative &p,
                            const crossing *cross, const ends<T> *bunch)
{
    const int g = (int)blockIdx.x, lane = (int)threadIdx.x % lanes;
    const crossing c = cross[lane == 1];
    const bool shared[2] = {cross[0].to >= g, cross[1].to > g && cross[1].row != cross[0].row};
    bool last = false;

    if (lane == 0) {
        const ends<T> e = join(a, p.warps, bunch);
        ((T *)p.head)[g] = e.head;
        ((T *)p.tail)[g] = e.tail;
        if (e.closed && !shared[1]) gs_finish(a, cross[1].row, e.tail);
    }
    if (!shared[0] && !shared[1]) return;
    __syncwarp();
    __threadfence();
    if (lane < 2 && (lane == 0 ? shared[0] : shared[1])) {
        last = atomicAdd(&p.arrived[c.from], 1u) == (unsigned)(c.to - c.from);
    }
    const unsigned finished = __ballot_sync(all_lanes, last);
    if (finished == 0) return;
    __threadfence();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (finished >> k & 1) finish_crossing_row(a, p, cross[k]);
    }
}

// A block writes the empty rows of a piece of the speculator array.
template <class O, class T>
__device__ void write_empty_rows(const gs_row_operands<T> &a, const piece &rows)
{
    const O *start = (const O *)a.start;

    for (int32_t i = rows.from + (int32_t)threadIdx.x; i < rows.to; i += (int32_t)blockDim.x) {
        if (start[i] == start[i + 1]) gs_finish(a, i, T(0));
    }
}

// --- the kernel -------------------------------------------------------------------------------

// Blocks of a multiprocessor, at least: what a thread loads ahead stays in registers.
template <class T, int W>
constexpr int least_blocks = W == 4           ? 4
                             : sizeof(T) == 4 ? 3
                                              : 2;

// Block b < p.groups owns group b, warp w of it bunch w; the other blocks own one piece of the
// speculator array each. Every row is written once: by the warp in whose bunch it begins and ends,
// by the first warp of its group, or by the group of the row that finishes last. Memory moved: 12
// bytes per entry (8 in single precision), x by gathers, y once.
template <class T, class O, int W>
__global__ void __launch_bounds__(gs_block_size, least_blocks<T, W>)
    sum_tiles(gs_row_operands<T> a, gs_speculative p, gs_guard guard)
{
    extern __shared__ double2 space[];
    __shared__ ends<T> bunch[most_warps];
    __shared__ crossing cross[2];
    const int warp = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;

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
    walk<O, W>(a, begin, n, first, (T *)space + warp * tile_space<T, W>, bunch[warp]);
    __pipeline_wait_prior(0);
    __syncthreads();
    if (warp == 0) synchronize(a, p, cross, bunch);
}

// --- the shape of tiles and groups ------------------------------------------------------------

template <class T, int W>
size_t shared_bytes(const gs_speculative *p)
{
    return (size_t)p->warps * tile_space<T, W> * sizeof(T);
}

// *at_once = blocks that run on a multiprocessor at once. Sets the carve-out of shared memory to
// what these need; the rest of L1 caches x.
template <class T, class O, int W>
gsolve_status set_carveout(gs_queue *q, const gs_speculative *p, int *at_once)
{
    const auto kernel = sum_tiles<T, O, W>;
    const size_t bytes = shared_bytes<T, W>(p), more = 2048; // other shared memory of a block
    int most = 0, capacity = 0;
    cudaError_t code =
        cudaDeviceGetAttribute(&capacity, cudaDevAttrMaxSharedMemoryPerMultiprocessor, q->index);

    if (code == cudaSuccess) {
        code =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, p->warps * lanes, bytes);
    }
    *at_once = most > 0 ? most : 1;
    const int percent =
        capacity > 0 ? (int)min((size_t)100, *at_once * (bytes + more) * 100 / capacity) : 0;
    if (code == cudaSuccess) {
        code =
            cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    }
    return gs_cuda(q, code, "setting the shared memory carve-out");
}

// Chooses S and with it the number of groups. at_once: blocks that run on a multiprocessor at once.
void choose_steps(gs_speculative *p, const gs_queue *q, int asked, int tile, int at_once)
{
    constexpr int most_steps = 16;
    const int64_t bunches = (int64_t)q->processors * at_once * p->warps;
    const int64_t waves = (p->tiles + bunches * most_steps - 1) / (bunches * most_steps);
    const int64_t steps = waves > 0 ? (p->tiles + bunches * waves - 1) / (bunches * waves) : 1;

    p->steps = asked > 0 ? asked : (int)steps;
    p->group = (int64_t)p->warps * p->steps * tile;
    p->groups = (int)((p->entries + p->group - 1) / p->group);
}

// --- the format -------------------------------------------------------------------------------

struct form {
    gsolve_csr csr; // the handle's rows
    gs_speculative plan;
    int tile; // entries of a tile
    gsolve_status (*multiply)(gs_queue *q, const form *f, double alpha, const void *x, double beta,
                              void *y);
};

template <class T, class O, int W>
gsolve_status multiply(gs_queue *q, const form *f, double alpha, const void *x, double beta,
                       void *y)
{
    const gs_speculative *p = &f->plan;

    if (p->groups + p->pieces == 0) return GSOLVE_OK;
    return gs_launch_pdl_with(
        q, "the product by tiles", sum_tiles<T, O, W>, dim3((unsigned)(p->groups + p->pieces)),
        p->warps * lanes, shared_bytes<T, W>(p),
        gs_row_operands_of<T>(&f->csr, alpha, x, beta, y, nullptr), *p, gs_guard{q->guard});
}

template <class T, class O, int W>
gsolve_status make(form *f, gsolve_context *ctx, const gs_speculative_options *o, int64_t entries)
{
    gs_speculative *p = &f->plan;
    int at_once = 1;
    gsolve_status status;

    f->multiply = multiply<T, O, W>;
    f->tile = W * lanes;
    p->entries = entries;
    p->tiles = (int)((entries + f->tile - 1) / f->tile);
    p->warps = o->bunches > 0 ? o->bunches : most_warps;
    TRY((set_carveout<T, O, W>(ctx->queue, p, &at_once)));
    choose_steps(p, ctx->queue, o->steps, f->tile, at_once);
    TRY(gs_speculative_fill(p, ctx, &f->csr, f->tile));
done:
    return status;
}

template <class T>
gsolve_status make_of_type(form *f, gsolve_context *ctx, const gs_speculative_options *o,
                           int64_t entries)
{
    const bool wide = f->csr.offset == GSOLVE_O64;

    if (o->width == GS_WIDTH_4) {
        return wide ? make<T, int64_t, 4>(f, ctx, o, entries)
                    : make<T, int32_t, 4>(f, ctx, o, entries);
    }
    return wide ? make<T, int64_t, 8>(f, ctx, o, entries) : make<T, int32_t, 8>(f, ctx, o, entries);
}

void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, ((form *)self)->plan.space);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                    const void *chosen, void *)
{
    const gs_speculative_options *o = (const gs_speculative_options *)chosen;
    form *f = (form *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *f);
    gsolve_status status;

    if (!f) return GSOLVE_NO_MEMORY;
    *f = form();
    f->csr = *csr;
    TRY(csr->type == GSOLVE_F32 ? make_of_type<float>(f, ctx, o, entries)
                                : make_of_type<double>(f, ctx, o, entries));
    *self = f;
    return status;
done:
    destroy(f, ctx);
    return status;
}

gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x, double beta,
                    gsolve_dense y)
{
    const form *f = (const form *)self;
    return f->multiply(ctx->queue, f, alpha, x.value, beta, y.value);
}

// A row number per tile; the synchronizer's numbers for groups of the smallest size; the speculator
// array.
size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *)
{
    const gs_speculative_options *o = (const gs_speculative_options *)chosen;
    const int tile = (o->width == GS_WIDTH_4 ? 4 : 8) * lanes;
    const int steps = o->steps > 0 ? o->steps : 1;
    const int bunches = o->bunches > 0 ? o->bunches : most_warps;
    const size_t tiles = (size_t)(gs_start(csr, csr->nrows) / tile) + 2;
    const size_t groups = tiles / (size_t)(steps * bunches) + 3;

    return tiles * sizeof(int32_t) + groups * (2 * sizeof(double) + 5 * sizeof(int32_t)) +
           (size_t)csr->nrows / 64 + 128;
}

void describe(const void *self, gsolve_matrix_info *info)
{
    const form *f = (const form *)self;
    info->bytes += ((size_t)(f->plan.entries / f->tile) + 1) * sizeof(int32_t);
}

} // namespace

extern "C" const gsolve_format gs_speculative_format = {0,
                                                        GS_SPECULATIVE_PLUGIN,
                                                        nullptr,
                                                        build,
                                                        destroy,
                                                        apply,
                                                        nullptr,
                                                        false,
                                                        nullptr,
                                                        nullptr,
                                                        gs_update_nothing,
                                                        estimate_memory,
                                                        describe};
