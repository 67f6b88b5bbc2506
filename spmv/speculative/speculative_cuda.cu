// speculative_cuda.cu: the product on a GPU, see speculative.h.
//
// A warp takes a bunch of S tiles, a block a group of B bunches. A warp writes the rows that end in
// its bunch but for the first, whose begin it may not know; the block closes rows from bunch to
// bunch in shared memory. What reaches beyond the group goes to the synchronizer: of each group
// what it holds of the row open at its begin (head) and at its end (tail). Whichever group of a row
// arrives last adds up its tail and heads, always in the same order. Blocks behind the groups check
// the pieces of the speculator array.
#include "spmv/speculative/speculative_tiles.cuh"

extern "C" {
#include "core/try.h"
#include "core/vector.h"
}

using namespace gs_segments;

struct gs_speculative {
    int64_t entries, group; // of the matrix; of a group, B S W T
    int steps, warps;       // S, B
    int tiles, groups;
    int pieces;        // the paper's dirty_counter, when all are noted
    int32_t *first;    // tiles + 1
    piece *speculator; // pieces
    void *head, *tail; // groups each, the synchronizer, in the type of the values
    double *terms;     // 2 x groups: what rows of several groups add to w'y and to y'y
    unsigned *arrived; // groups: those that are there of the row that begins in the group
    void *space;       // that holds all these
};

namespace
{

// --- the plan ---------------------------------------------------------------------------------

// first[t] for tile entries a tile; t = tiles: the empty rows behind the last entry.
template <class O>
__global__ void find_rows(int32_t nrows, const O *start, int64_t entries, int tile, int tiles,
                          int32_t *first)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int64_t k = min((int64_t)t * tile, entries);

    if (t <= tiles) first[t] = row_at(start, k - 1, 0, nrows) + 1;
}

// Notes the rows of tiles with more than most_rows, and those behind the last tile.
__global__ void note_dirty(int32_t nrows, int tiles, const int32_t *first, piece *speculator,
                           int *dirty_counter)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (t > tiles) return;
    const int32_t from = first[t], rows = (t < tiles ? first[t + 1] : nrows) - from;
    if (rows == 0 || (t < tiles && rows <= most_rows)) return;
    const int pieces = (int)(((int64_t)rows + piece_rows - 1) / piece_rows);
    const int at = atomicAdd(dirty_counter, pieces);
    for (int k = 0; k < pieces; k++) {
        const int32_t begin = k * piece_rows;
        speculator[at + k] = {from + begin, from + begin + min(rows - begin, piece_rows)};
    }
}

size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

// One block of memory for all: the making is to take less than a product.
gsolve_status take_space(gs_speculative *p, gsolve_context *ctx, int32_t nrows, size_t value)
{
    const size_t groups = (size_t)p->groups + 1;
    const size_t first = aligned(((size_t)p->tiles + 1) * sizeof *p->first);
    const size_t pieces =
        (size_t)nrows / most_rows + 2; // a tile notes no more than this of each row
    const size_t noted = aligned(pieces * sizeof *p->speculator), sums = aligned(groups * value);
    const size_t terms = aligned(2 * groups * sizeof *p->terms);
    const size_t arrived = aligned((groups + 1) * sizeof *p->arrived);
    char *at =
        (char *)gsolve_alloc(ctx, GSOLVE_DEVICE, first + noted + 2 * sums + terms + arrived, 1);

    if (!at) return GSOLVE_NO_MEMORY;
    p->space = at;
    p->first = (int32_t *)at;
    p->speculator = (piece *)(at += first);
    p->head = at += noted;
    p->tail = at += sums;
    p->terms = (double *)(at += sums);
    p->arrived = (unsigned *)(at += terms);
    return gs_cuda(ctx->queue, cudaMemsetAsync(at, 0, arrived, ctx->queue->stream),
                   "the synchronizer");
}

template <class O>
gsolve_status fill(gs_speculative *p, gsolve_context *ctx, const gsolve_csr *A, int tile)
{
    gs_queue *q = ctx->queue;
    const int blocks = p->tiles / gs_block_size + 1;
    int *dirty_counter = (int *)(p->arrived + p->groups + 1);
    gsolve_status status;

    TRY(gs_launch(q, "find_rows", find_rows<O>, blocks, gs_block_size, A->nrows,
                  (const O *)A->start, p->entries, tile, p->tiles, p->first));
    TRY(gs_launch(q, "note_dirty", note_dirty, blocks, gs_block_size, A->nrows, p->tiles, p->first,
                  p->speculator, dirty_counter));
    TRY(gsolve_copy(ctx, &p->pieces, GSOLVE_HOST, dirty_counter, GSOLVE_DEVICE, sizeof p->pieces));
done:
    return status;
}

// --- the product ------------------------------------------------------------------------------

struct crossing {     // a row of several groups
    int32_t row;      // -1: none
    int64_t from, to; // groups
};

template <class O>
__device__ crossing crossing_of(const O *start, int32_t row, int64_t group)
{
    return {row, (int64_t)start[row] / group, ((int64_t)start[row + 1] - 1) / group};
}

// By one thread: closes rows between the bunches of the group; e becomes what the group's rows hold
// that reach beyond it.
template <int SUMS, class T, int N>
__device__ ends<T> join(const product<T> &a, int warps, const ends<T> *bunch, double (&terms)[N])
{
    ends<T> e = {0, 0, bunch[0].row, false};
    T sum = 0;

#pragma unroll 1
    for (int w = 0; w < warps; w++) {
        const ends<T> b = bunch[w];
        sum += b.head;
        if (!b.closed) continue;
        if (e.closed) {
            finish<SUMS>(a, b.row, sum, terms);
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

// By a warp: if this group is the last of row c's to arrive, its tail and heads in order.
template <int SUMS, class T>
__device__ void settle(const product<T> &a, const gs_speculative &p, const crossing &c)
{
    const int lane = (int)threadIdx.x % lanes;
    const T *head = (const T *)p.head, *tail = (const T *)p.tail;
    unsigned before = 0;
    double terms[2] = {};

    if (c.row < 0) return;
    if (lane == 0) before = atomicAdd(&p.arrived[c.from], 1u);
    if (__shfl_sync(all_lanes, before, 0) != (unsigned)(c.to - c.from)) return;
    __threadfence();
    T sum = lane == 0 ? __ldcg(&tail[c.from]) : T(0);
    for (int64_t g = c.from + 1 + lane; g <= c.to; g += lanes) sum += __ldcg(&head[g]);
    sum = warp_sum(sum);
    if (lane != 0) return;
    finish<SUMS>(a, c.row, sum, terms);
    for (int s = 0; s < SUMS; s++) p.terms[s * p.groups + c.from] = terms[s];
    p.arrived[c.from] = 0;
}

// By a warp, when all bunches of the group are done.
template <int SUMS, class O, class T, int N>
__device__ void synchronize(const product<T> &a, const gs_speculative &p, const ends<T> *bunch,
                            double (&terms)[N])
{
    const O *start = (const O *)a.start;
    const int g = (int)blockIdx.x,
              next = (int)min((int64_t)(g + 1) * p.warps * p.steps, (int64_t)p.tiles);
    const int32_t first = bunch[0].row, last = p.first[next] - 1;
    crossing c[2] = {{-1, 0, 0}, {-1, 0, 0}};

    if (g > 0 && start[first + 1] > g * p.group) c[0] = crossing_of(start, first, p.group);
    if ((int)threadIdx.x % lanes == 0) {
        const ends<T> e = join<SUMS>(a, p.warps, bunch, terms);
        ((T *)p.head)[g] = e.head;
        ((T *)p.tail)[g] = e.tail;
        for (int s = 0; s < SUMS; s++) p.terms[s * p.groups + g] = 0;
        if (e.closed) c[1] = crossing_of(start, last, p.group);
        if (e.closed && c[1].to == g) {
            finish<SUMS>(a, last, e.tail, terms);
            c[1].row = -1;
        }
    }
    c[1].row = __shfl_sync(all_lanes, c[1].row, 0);
    c[1].from = __shfl_sync(all_lanes, c[1].from, 0);
    c[1].to = __shfl_sync(all_lanes, c[1].to, 0);
    if (c[0].row >= 0 || c[1].row >= 0) __threadfence();
#pragma unroll
    for (int k = 0; k < 2; k++) settle<SUMS>(a, p, c[k]);
}

// Adds up the terms of all groups, and of the rows that they share: the group that arrives last
// does it, in an order that depends on the groups alone.
template <int SUMS, class T>
__device__ void add_up(const product<T> &a, const gs_speculative &p, double (&terms)[SUMS],
                       double *partial, unsigned *arrived)
{
    __shared__ bool last;
    const double own = gs_block_sums(terms);

    if (threadIdx.x < SUMS) partial[threadIdx.x * gs_most_partials + blockIdx.x] = own;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == (unsigned)p.groups - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
#pragma unroll
    for (int s = 0; s < SUMS; s++) {
        terms[s] = 0;
        for (int g = (int)threadIdx.x; g < p.groups; g += gs_block_size) {
            terms[s] += __ldcg(&partial[s * gs_most_partials + g]);
            terms[s] += __ldcg(&p.terms[s * p.groups + g]);
        }
    }
    const double total = gs_block_sums(terms);
    if (threadIdx.x < SUMS) *(threadIdx.x == 0 ? a.out[0] : a.out[1]) = total;
    if (threadIdx.x == 0) *arrived = 0;
}

// The empty rows of a piece.
template <class O, class T>
__device__ void check(const product<T> &a, const piece &rows)
{
    const O *start = (const O *)a.start;
    double none[1];

    for (int32_t i = rows.from + (int32_t)threadIdx.x; i < rows.to; i += (int32_t)blockDim.x) {
        if (start[i] == start[i + 1]) finish<0>(a, i, T(0), none);
    }
}

template <int W>
constexpr int least_blocks = W == 4 ? 4 : 3; // of a multiprocessor: all stays in registers

template <class T, class O, int W, int SUMS>
__global__ void __launch_bounds__(gs_block_size, least_blocks<W>)
    sum_tiles(product<T> a, gs_speculative p, double *partial, unsigned *arrived, const int *ended)
{
    extern __shared__ double2 space[];
    __shared__ ends<T> bunch[most_warps];
    const int warp = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;
    double terms[SUMS > 1 ? 2 : 1] = {};

    if (ended && *ended) return;
    if ((int)blockIdx.x >= p.groups) {
        check<O>(a, p.speculator[(int)blockIdx.x - p.groups]);
        return;
    }
    const int64_t tile = ((int64_t)blockIdx.x * p.warps + warp) * p.steps;
    const int steps = (int)max((int64_t)0, min(p.tiles - tile, (int64_t)p.steps));
    const int32_t first = lane <= steps && tile <= p.tiles ? p.first[tile + lane] : 0;
    const ends<T> e =
        walk<SUMS, O, W>(a, tile, steps, p.entries, first, (T *)space + warp * room<W>, terms);
    if (lane == 0) bunch[warp] = e;
    __syncthreads();
    if (warp == 0) synchronize<SUMS, O>(a, p, bunch, terms);
    if constexpr (SUMS > 0) add_up<SUMS>(a, p, terms, partial, arrived);
}

// --- the launch -------------------------------------------------------------------------------

template <class T, int W>
size_t shared_bytes(const gs_speculative *p)
{
    return (size_t)p->warps * room<W> * sizeof(T);
}

template <class T, class O, int W, int SUMS>
gsolve_status launch(gs_queue *q, const product<T> &a, const gs_speculative *p)
{
    sum_tiles<T, O, W, SUMS>
        <<<(unsigned)(p->groups + p->pieces), (unsigned)(p->warps * lanes), shared_bytes<T, W>(p),
           q->stream>>>(a, *p, q->partial, q->arrived, q->guard);
    return gs_cuda(q, cudaGetLastError(), "the product by tiles");
}

// Whether the sums are made on the way; else they are made of y.
bool sums_on_the_way(const gs_speculative *p)
{
    return p->groups > 0 && p->groups <= gs_most_partials && p->warps == most_warps;
}

template <class T, class O, int W>
gsolve_status multiply(gs_queue *q, const product<T> &a, const gs_speculative *p)
{
    if (p->groups + p->pieces == 0) return GSOLVE_OK;
    return !a.out[0] || !sums_on_the_way(p) ? launch<T, O, W, 0>(q, a, p)
           : a.out[1]                       ? launch<T, O, W, 2>(q, a, p)
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
    if (!dots || sums_on_the_way(p)) return GSOLVE_OK;
    status = gs_sum_product(vector, q, A->nrows, y, dots);
done:
    return status;
}

// --- the shape --------------------------------------------------------------------------------

// Blocks that run at once, which need so much of the first cache: all else of it caches x.
template <class T, class O, int W>
gsolve_status share_cache(gs_queue *q, const gs_speculative *p, int *at_once)
{
    const auto none = sum_tiles<T, O, W, 0>, one = sum_tiles<T, O, W, 1>,
               two = sum_tiles<T, O, W, 2>;
    const size_t bytes = shared_bytes<T, W>(p), more = 2048; // what else a block has there
    int most = 0, whole = 0;
    cudaError_t code =
        cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, q->index);

    if (code == cudaSuccess) {
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, none, p->warps * lanes, bytes);
    }
    *at_once = most > 0 ? most : 1;
    const int share =
        whole > 0 ? (int)min((size_t)100, *at_once * (bytes + more) * 100 / whole) : 0;
    for (const auto kernel : {none, one, two}) {
        if (code != cudaSuccess) break;
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, share);
    }
    return gs_cuda(q, code, "the shape of the tiles");
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
        TRY((wide ? share_cache<T, int64_t, 4> : share_cache<T, int32_t, 4>)(q, p, &at_once));
    } else {
        TRY((wide ? share_cache<T, int64_t, 8> : share_cache<T, int32_t, 8>)(q, p, &at_once));
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
    plan->tile = p; // from here on drop frees it
    TRY(choose_shape<T>(p, ctx->queue, plan));
    TRY(take_space(p, ctx, A->nrows, sizeof(T)));
    TRY((A->offset == GSOLVE_O64 ? fill<int64_t> : fill<int32_t>)(p, ctx, A, tile));
done:
    return status;
}

} // namespace

extern "C" const gs_speculative_kernels gs_speculative_cuda[GSOLVE_TYPE_COUNT] = {
    {plan<float>, drop, apply<float>},
    {plan<double>, drop, apply<double>},
};
