// weigh_cuda.cu: interpolation on a GPU: rows by groups of lanes in shared memory, or where that
// has not the room by the warps of a few blocks in turn in tables of their own.
#include "precond/amg/coarsening/classical/one_point.cuh"
#include "precond/amg/coarsening/classical/weigh_row.cuh"

namespace
{

constexpr int slots = 8;                         // of a table in shared memory, a lane
constexpr int filled = 6;                        // of them at most
constexpr int64_t most_bytes = (int64_t)1 << 28; // of all tables elsewhere, unless one is larger

// --- the room they need ------------------------------------------------------------------------

struct long_rows {
    int32_t count, longest;
};

template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    count_near(int32_t n, rows_of<T, O> w, int32_t *near)
{
    const gs_party<L> g;
    const int64_t i = g.unit;
    int32_t count = 0;

    if (i >= n) return;
    for (int64_t k = (int64_t)w.start[i] + g.lane; k < (int64_t)w.start[i + 1]; k += L) {
        count += w.strong_c(k) >= 0;
    }
    count = g.sum(count);
    if (g.lane == 0) near[i] = count;
}

// room[r]: columns of row r at most before it is cut. Those of more than most are listed, in any
// order. room[rows] = 0.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_rooms(rows_of<T, O> w, const int32_t *near, int32_t most, int32_t *room, int32_t *list,
               long_rows *found)
{
    const gs_party<L> g;
    const int64_t r = g.unit;
    int64_t count = 0;

    if (r >= w.rows) {
        if (r == w.rows && g.lane == 0) room[r] = 0;
        return;
    }
    const int32_t i = w.row(r);
    for (int64_t k = (int64_t)w.start[i] + g.lane; k < (int64_t)w.start[i + 1]; k += L) {
        if (w.mark[k] & GS_STRONG && w.number[w.col[k]] < 0) count += near[w.col[k]];
    }
    count = g.sum(count) + near[i];
    if (w.number[i] >= 0) count = 1;
    if (g.lane > 0) return;
    room[r] = (int32_t)min(count, (int64_t)w.count);
    if (room[r] <= most) return;
    list[atomicAdd(&found->count, 1)] = (int32_t)r;
    atomicMax(&found->longest, room[r]);
}

// --- all rows ------------------------------------------------------------------------------

template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    make_rows(rows_of<T, O> w, const int32_t *room, result<T> to)
{
    __shared__ int32_t keys[gs_block_size * slots], columns[gs_block_size * filled];
    __shared__ double weights[gs_block_size * slots], listed[gs_block_size * filled];
    const gs_party<L> g;
    const int group = (int)threadIdx.x / L;
    const table t = {keys + group * L * slots, weights + group * L * slots, L * slots};
    const int64_t r = g.unit;

    if (r >= w.rows || room[r] > L * filled) return;
    if (room[r] == 0 || w.number[w.row(r)] >= 0) {
        if (g.lane == 0) make_plain(w, to, r);
        return;
    }
    make_row(g, w, t, columns + group * L * filled, listed + group * L * filled, to, r);
}

// Those listed, by warps in turn; each has a table of size and lists of half of it.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    make_long_rows(rows_of<T, O> w, const int32_t *room, int32_t many, const int32_t *list,
                   int32_t size, int32_t *keys, double *weights, result<T> to)
{
    const gs_party<32> g;
    const int64_t warps = (int64_t)gridDim.x * gs_block_size / 32, stretch = (int64_t)size / 2 * 3;
    int32_t *key = keys + g.unit * stretch;
    double *weight = weights + g.unit * stretch;

    for (int64_t m = g.unit; m < many; m += warps) {
        const int32_t r = list[m];
        int32_t fits = 64;
        while (fits < 2 * (int64_t)room[r]) fits *= 2; // at most size, which is so for the longest
        make_row(g, w, table{key, weight, fits}, key + size, weight + size, to, r);
    }
}

// Where rows are made: what needs to be known of them first.
struct preparation {
    int32_t *near, *room, *list;
    long_rows *found, known; // on the device, on the host
    int32_t *keys;
    double *weights;
};

void drop(preparation *p, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, p->near);
    gsolve_free(ctx, GSOLVE_DEVICE, p->room);
    gsolve_free(ctx, GSOLVE_DEVICE, p->list);
    gsolve_free(ctx, GSOLVE_DEVICE, p->found);
    gsolve_free(ctx, GSOLVE_DEVICE, p->keys);
    gsolve_free(ctx, GSOLVE_DEVICE, p->weights);
}

// What is left after a failure is for drop.
template <int L, class T, class O>
gsolve_status prepare(preparation *p, gsolve_context *ctx, const gs_weighing *w,
                      const rows_of<T, O> &rows)
{
    const int32_t n = w->points.A->nrows;
    gs_queue *q = ctx->queue;
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->near, n);
    ALLOC_DEVICE(ctx, p->room, (size_t)w->rows + 1);
    ALLOC_DEVICE(ctx, p->list, w->rows);
    ALLOC_DEVICE(ctx, p->found, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(p->found, 0, sizeof *p->found, q->stream), "long rows"));
    TRY(gs_launch(q, "C points near", count_near<L, T, O>, gs_lane_blocks(n, L), gs_block_size, n,
                  rows, p->near));
    TRY(gs_launch(q, "rooms for rows", find_rooms<L, T, O>, gs_lane_blocks((int64_t)w->rows + 1, L),
                  gs_block_size, rows, p->near, L * filled, p->room, p->list, p->found));
    TRY(gsolve_copy(ctx, &p->known, GSOLVE_HOST, p->found, GSOLVE_DEVICE, sizeof p->known));
done:
    return status;
}

template <class T, class O>
gsolve_status make_long(preparation *p, gsolve_context *ctx, const rows_of<T, O> &rows,
                        const result<T> &to)
{
    gs_queue *q = ctx->queue;
    int64_t size = 64, warps;
    gsolve_status status = GSOLVE_OK;

    if (p->known.count == 0) return GSOLVE_OK;
    while (size < 2 * (int64_t)p->known.longest) size *= 2;
    if (size > INT32_MAX / 2) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "a row of interpolation with up to %d entries; on a GPU there may be %d",
                           p->known.longest, INT32_MAX / 8);
    }
    warps = most_bytes / (size / 2 * 3 * (int64_t)(sizeof *p->keys + sizeof *p->weights));
    if (warps > (int64_t)q->processors * 32) warps = (int64_t)q->processors * 32;
    if (warps > p->known.count) warps = p->known.count;
    const int blocks = (int)((warps < 1 ? 1 : warps) * 32 + gs_block_size - 1) / gs_block_size;
    warps = (int64_t)blocks * gs_block_size / 32;
    ALLOC_DEVICE(ctx, p->keys, warps * (size / 2 * 3));
    ALLOC_DEVICE(ctx, p->weights, warps * (size / 2 * 3));
    TRY(gs_launch(q, "long rows of interpolation", make_long_rows<T, O>, blocks, gs_block_size,
                  rows, p->room, p->known.count, p->list, size, p->keys, p->weights, to));
done:
    return status;
}

// Rows into to; first those that fit in shared memory.
template <int L, class T, class O>
gsolve_status make_all(preparation *p, gsolve_context *ctx, const rows_of<T, O> &rows,
                       const result<T> &to)
{
    gsolve_status status;

    TRY(gs_launch(ctx->queue, "rows of interpolation", make_rows<L, T, O>,
                  gs_lane_blocks(rows.rows, L), gs_block_size, rows, p->room, to));
    TRY(make_long(p, ctx, rows, to));
done:
    return status;
}

template <int L, class T, class O>
gsolve_status weigh_in(gsolve_csr *P, gsolve_context *ctx, const gs_weighing *w, const O *start)
{
    const rows_of<T, O> rows = rows_for<T>(w, start);
    int64_t *first = nullptr, entries = (int64_t)w->rows * w->most;
    result<T> to = {};
    preparation p = {};
    gsolve_status status;

    TRY(prepare<L>(&p, ctx, w, rows));
    if (w->most == 0) {
        ALLOC_DEVICE(ctx, first, (size_t)w->rows + 1);
        TRY(gs_add_up(ctx, w->rows, p.room, first, &entries));
    }
    to.places = gs_places{first, true, w->most};
    ALLOC_DEVICE(ctx, to.column, entries);
    ALLOC_DEVICE(ctx, to.value, entries);
    ALLOC_DEVICE(ctx, to.length, (size_t)w->rows + 1);
    TRY(gs_cuda(ctx->queue,
                cudaMemsetAsync(to.length + w->rows, 0, sizeof *to.length, ctx->queue->stream),
                "lengths of rows"));
    TRY((make_all<L>(&p, ctx, rows, to)));
    TRY(gs_close_up(P, ctx, w->rows, w->count, to.places, to.length, to.column, to.value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_free(ctx, GSOLVE_DEVICE, to.column);
    gsolve_free(ctx, GSOLVE_DEVICE, to.value);
    gsolve_free(ctx, GSOLVE_DEVICE, to.length);
    drop(&p, ctx);
    return status;
}

template <int L, class T, class O>
gsolve_status renew_in(const gsolve_csr *P, gsolve_context *ctx, const gs_weighing *w,
                       const O *start)
{
    const rows_of<T, O> rows = rows_for<T>(w, start);
    result<T> to = {};
    preparation p = {};
    gsolve_status status;

    to.places = gs_places_of(P);
    to.known = P->col;
    to.value = (T *)gs_owned_block(ctx, P->value);
    TRY(prepare<L>(&p, ctx, w, rows));
    TRY((make_all<L>(&p, ctx, rows, to)));
done:
    drop(&p, ctx);
    return status;
}

// --- the table ---------------------------------------------------------------------------------

// go(start, lanes) as suits A's rows.
template <class Go>
gsolve_status for_rows(gsolve_context *ctx, const gs_weighing *w, Go go)
{
    const gsolve_csr *A = w->points.A;
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(gs_with_start(A, [&](auto start) {
        return gs_with_lanes((double)entries / (A->nrows + 1.0),
                             [&](auto lanes) { return go(start, lanes); });
    }));
done:
    return status;
}

template <class T>
gsolve_status weigh(gsolve_csr *P, gsolve_context *ctx, const gs_weighing *w)
{
    if (w->kind == GS_ONE_POINT) {
        return gs_with_start(w->points.A,
                             [&](auto start) { return choose_in<T>(P, ctx, w, start); });
    }
    return for_rows(ctx, w, [&](auto start, auto lanes) {
        return weigh_in<decltype(lanes)::value, T>(P, ctx, w, start);
    });
}

template <class T>
gsolve_status renew(const gsolve_csr *P, gsolve_context *ctx, const gs_weighing *w)
{
    if (w->kind == GS_ONE_POINT) return GSOLVE_OK;
    return for_rows(ctx, w, [&](auto start, auto lanes) {
        return renew_in<decltype(lanes)::value, T>(P, ctx, w, start);
    });
}

} // namespace

extern "C" const gs_classical_weigh_kernels gs_classical_weigh_cuda[GSOLVE_TYPE_COUNT] = {
    {weigh<float>, renew<float>}, {weigh<double>, renew<double>}};
