// interpolate_cuda.cu: interpolation and the truncation of rows on a GPU. L threads own a row, with
// a hash table of its columns in shared memory. Rows that are too long for it go to a list; the
// warps of a few blocks compute them with hash tables in global memory. Every sum has a fixed order
// for each L, which depends on the mean row length only.
#include "precond/amg/coarsening/classical/interpolate_row.cuh"

#include "matrix/row_rule.h"

namespace
{

constexpr int slots = 8;                         // slots per lane of a table in shared memory
constexpr int filled = 6;                        // slots per lane that may be used
constexpr int64_t most_bytes = (int64_t)1 << 28; // of all tables in global memory, or one table

// --- capacities of rows --------------------------------------------------------------------------

struct long_rows {
    int32_t count, longest;
};

// strong_points[i] = the number of strong C points of row i. L threads own a row.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    count_strong_points(int32_t n, rows_of<T, O> w, int32_t *strong_points)
{
    const gs_independent_subwarp<L> g;
    const int64_t i = g.unit;
    int32_t count = 0;

    if (i >= n) return;
    for (int64_t k = (int64_t)w.start[i] + g.lane; k < (int64_t)w.start[i + 1]; k += L) {
        count += w.strong_c(k) >= 0;
    }
    count = g.sum(count);
    if (g.lane == 0) strong_points[i] = count;
}

// capacity[r] = an upper bound of the entries of row r before truncation; capacity[rows] = 0. Rows
// with more than `most` entries are listed, in any order. L threads own a row; reads A's pattern
// and flags once.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_capacities(rows_of<T, O> w, const int32_t *strong_points, int32_t most, int32_t *capacity,
                    int32_t *list, long_rows *found)
{
    const gs_independent_subwarp<L> g;
    const int64_t r = g.unit;
    int64_t count = 0;

    if (r >= w.rows) {
        if (r == w.rows && g.lane == 0) capacity[r] = 0;
        return;
    }
    const int32_t i = w.row(r);
    for (int64_t k = (int64_t)w.start[i] + g.lane; k < (int64_t)w.start[i + 1]; k += L) {
        if (w.mark[k] & GS_STRONG && w.number[w.col[k]] < 0) count += strong_points[w.col[k]];
    }
    count = g.sum(count) + strong_points[i];
    if (w.number[i] >= 0) count = 1;
    if (g.lane > 0) return;
    capacity[r] = (int32_t)min(count, (int64_t)w.count);
    if (capacity[r] <= most) return;
    list[atomicAdd(&found->count, 1)] = (int32_t)r;
    atomicMax(&found->longest, capacity[r]);
}

// --- all rows ------------------------------------------------------------------------------------

// *length = new space for the lengths of rows; that of row `rows` is 0.
gsolve_status new_lengths(gsolve_context *ctx, int32_t rows, int32_t **length)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    ALLOC_DEVICE(ctx, *length, (size_t)rows + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(*length + rows, 0, sizeof **length, q->stream),
                "lengths of rows"));
done:
    return status;
}

// Computes the rows that fit in shared memory. L threads own a row. Reads the rows of A of the
// point and of its strong F points twice.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    compute_rows(rows_of<T, O> w, const int32_t *capacity, result<T> to)
{
    __shared__ int32_t keys[gs_block_size * slots], columns[gs_block_size * filled];
    __shared__ double weights[gs_block_size * slots], listed[gs_block_size * filled];
    const gs_independent_subwarp<L> g;
    const int group = (int)threadIdx.x / L;
    const table t = {keys + group * L * slots, weights + group * L * slots, L * slots};
    const int64_t r = g.unit;

    if (r >= w.rows || capacity[r] > L * filled) return;
    if (capacity[r] == 0 || w.number[w.row(r)] >= 0) {
        if (g.lane == 0) copy_plain_row(w, to, r);
        return;
    }
    compute_row(g, w, t, columns + group * L * filled, listed + group * L * filled, to, r);
}

// Computes the listed rows. A warp owns every warps-th of them. Each warp has a table of `size`
// slots in global memory, and lists of half its size. Reads A as compute_rows does.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    compute_long_rows(rows_of<T, O> w, const int32_t *capacity, int32_t rows, const int32_t *list,
                      int32_t size, int32_t *keys, double *weights, result<T> to)
{
    const gs_independent_subwarp<32> g;
    const int64_t warps = (int64_t)gridDim.x * gs_block_size / 32, stride = (int64_t)size / 2 * 3;
    int32_t *key = keys + g.unit * stride;
    double *weight = weights + g.unit * stride;

    for (int64_t m = g.unit; m < rows; m += warps) {
        const int32_t r = list[m];
        int32_t fits = 64;
        while (fits < 2 * (int64_t)capacity[r])
            fits *= 2; // at most size, which fits the longest row
        compute_row(g, w, table{key, weight, fits}, key + size, weight + size, to, r);
    }
}

// The capacities of the rows, the list of long rows, and the tables in global memory.
struct preparation {
    int32_t *strong_points, *capacity, *list;
    long_rows *found, known; // a copy on the device and one on the host
    int32_t *keys;
    double *weights;
};

void destroy_state(preparation *p, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, p->strong_points);
    gsolve_free(ctx, GSOLVE_DEVICE, p->capacity);
    gsolve_free(ctx, GSOLVE_DEVICE, p->list);
    gsolve_free(ctx, GSOLVE_DEVICE, p->found);
    gsolve_free(ctx, GSOLVE_DEVICE, p->keys);
    gsolve_free(ctx, GSOLVE_DEVICE, p->weights);
}

// On failure, destroy_state frees what was allocated.
template <int L, class T, class O>
gsolve_status prepare(preparation *p, gsolve_context *ctx, const gs_interpolation_rows *w,
                      const rows_of<T, O> &rows)
{
    const int32_t n = w->points.A->nrows;
    gs_queue *q = ctx->queue;
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->strong_points, n);
    ALLOC_DEVICE(ctx, p->capacity, (size_t)w->rows + 1);
    ALLOC_DEVICE(ctx, p->list, w->rows);
    ALLOC_DEVICE(ctx, p->found, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(p->found, 0, sizeof *p->found, q->stream), "long rows"));
    TRY(gs_launch(q, "strong C points", count_strong_points<L, T, O>, gs_subwarp_blocks(n, L),
                  gs_block_size, n, rows, p->strong_points));
    TRY(gs_launch(q, "row capacities", find_capacities<L, T, O>,
                  gs_subwarp_blocks((int64_t)w->rows + 1, L), gs_block_size, rows, p->strong_points,
                  L * filled, p->capacity, p->list, p->found));
    TRY(gsolve_copy(ctx, &p->known, GSOLVE_HOST, p->found, GSOLVE_DEVICE, sizeof p->known));
done:
    return status;
}

template <class T, class O>
gsolve_status compute_long(preparation *p, gsolve_context *ctx, const rows_of<T, O> &rows,
                           const result<T> &to)
{
    gs_queue *q = ctx->queue;
    int64_t size = 64, warps;
    gsolve_status status = GSOLVE_OK;

    if (p->known.count == 0) return GSOLVE_OK;
    while (size < 2 * (int64_t)p->known.longest) size *= 2;
    if (size > INT32_MAX / 2) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "a row of interpolation has up to %d entries; a GPU supports at most %d; choose "
            "coarsening=sa",
            p->known.longest, INT32_MAX / 8);
    }
    warps = most_bytes / (size / 2 * 3 * (int64_t)(sizeof *p->keys + sizeof *p->weights));
    if (warps > (int64_t)q->processors * 32) warps = (int64_t)q->processors * 32;
    if (warps > p->known.count) warps = p->known.count;
    const int blocks = (int)((warps < 1 ? 1 : warps) * 32 + gs_block_size - 1) / gs_block_size;
    warps = (int64_t)blocks * gs_block_size / 32;
    ALLOC_DEVICE(ctx, p->keys, warps * (size / 2 * 3));
    ALLOC_DEVICE(ctx, p->weights, warps * (size / 2 * 3));
    TRY(gs_launch(q, "long rows of interpolation", compute_long_rows<T, O>, blocks, gs_block_size,
                  rows, p->capacity, p->known.count, p->list, size, p->keys, p->weights, to));
done:
    return status;
}

// Computes P, or its values if not create: first the rows that fit in shared memory, then the long
// ones.
template <int L, class T, class O>
gsolve_status interpolate_in(gsolve_csr *P, gsolve_context *ctx, const gs_interpolation_rows *w,
                             const O *start, bool create)
{
    const rows_of<T, O> rows = rows_for<T>(w, start);
    int64_t *first = nullptr, entries = (int64_t)w->rows * w->most;
    int32_t *column = nullptr, *length = nullptr;
    T *value = nullptr;
    result<T> to = {};
    preparation p = {};
    gsolve_status status;

    TRY(prepare<L>(&p, ctx, w, rows));
    if (create) {
        if (w->most == 0) {
            ALLOC_DEVICE(ctx, first, (size_t)w->rows + 1);
            TRY(gs_prefix_sum(ctx, w->rows, p.capacity, first, &entries));
        }
        ALLOC_DEVICE(ctx, column, entries);
        ALLOC_DEVICE(ctx, value, entries);
        TRY(new_lengths(ctx, w->rows, &length));
        to = result<T>{gs_row_positions{first, true, w->most}, column, nullptr, value, length};
    } else {
        to = result<T>{gs_row_positions_of(P), nullptr, P->col, (T *)gs_owned_block(ctx, P->value),
                       nullptr};
    }
    TRY(gs_launch(ctx->queue, "rows of interpolation", compute_rows<L, T, O>,
                  gs_subwarp_blocks(rows.rows, L), gs_block_size, rows, p.capacity, to));
    TRY(compute_long(&p, ctx, rows, to));
    if (create) TRY(gs_pack_rows(P, ctx, w->rows, w->count, to.places, length, column, value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_free(ctx, GSOLVE_DEVICE, column);
    gsolve_free(ctx, GSOLVE_DEVICE, value);
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    destroy_state(&p, ctx);
    return status;
}

// --- interpolation from one point ----------------------------------------------------------------

// A thread owns a row of P: it writes its single column and the value 1, or length 0.
template <class T, class O>
__global__ void choose_one_points(rows_of<T, O> w, int32_t *column, T *value, int32_t *length)
{
    const int64_t r = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (r >= w.rows) return;
    const int32_t i = w.row(r);
    int32_t c = w.number[i];
    if (c < 0) c = strongest<false>(w, i);
    if (c < 0) c = strongest<true>(w, i);
    column[r] = c;
    value[r] = 1;
    length[r] = c >= 0;
}

template <class T, class O>
gsolve_status choose_in(gsolve_csr *P, gsolve_context *ctx, const gs_interpolation_rows *w,
                        const O *start)
{
    const rows_of<T, O> rows = rows_for<T>(w, start);
    int32_t *column = nullptr, *length = nullptr;
    T *value = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, column, w->rows);
    ALLOC_DEVICE(ctx, value, w->rows);
    TRY(new_lengths(ctx, w->rows, &length));
    TRY(gs_launch(ctx->queue, "one-point interpolation", choose_one_points<T, O>,
                  gs_subwarp_blocks(w->rows, 1), gs_block_size, rows, column, value, length));
    TRY(gs_pack_rows(P, ctx, w->rows, w->count, gs_row_positions{nullptr, false, 1}, length, column,
                     value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, column);
    gsolve_free(ctx, GSOLVE_DEVICE, value);
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    return status;
}

// --- truncation ----------------------------------------------------------------------------------

// Truncated rows, each at the position of its row of P.
template <class T>
struct truncated_rows {
    int32_t *keep, *column, *length;
    T *value;
};

// L threads truncate a row of P. Moves P once and the truncated rows once, except that a row is
// compared with itself in the cache.
template <int L, class T>
__global__ void __launch_bounds__(gs_block_size)
    truncate_each_row(int32_t rows, gs_row_positions start, const int32_t *col, const T *p,
                      gs_truncation limit, truncated_rows<T> to)
{
    const gs_independent_subwarp<L> g;
    const int64_t r = g.unit;
    double all = 0;

    if (r > rows) return;
    const int64_t begin = r < rows ? start[r] : 0, end = r < rows ? start[r + 1] : 0;
    for (int64_t e = begin + g.lane; e < end; e += L) all += (double)p[e];
    const gs_row_entries<T> row = {(int32_t)(end - begin), col + begin, p + begin, g.sum(all)};
    const int32_t left =
        gs_truncate(g, row, limit, to.keep + begin, to.column + begin, to.value + begin);
    if (g.lane == 0) to.length[r] = left;
}

template <class T>
gsolve_status truncate_rows(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P, int most,
                            double truncate)
{
    int32_t *keep = nullptr, *column = nullptr, *length = nullptr;
    int64_t entries = 0;
    T *value = nullptr;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, P, &entries));
    ALLOC_DEVICE(ctx, keep, entries);
    ALLOC_DEVICE(ctx, column, entries);
    ALLOC_DEVICE(ctx, value, entries);
    ALLOC_DEVICE(ctx, length, (size_t)P->nrows + 1);
    TRY(gs_with_subwarp((double)entries / (P->nrows + 1.0), [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "truncating rows", truncate_each_row<L, T>,
                         gs_subwarp_blocks((int64_t)P->nrows + 1, L), gs_block_size, P->nrows,
                         gs_row_positions_of(P), P->col, (const T *)P->value,
                         gs_truncation{most, truncate},
                         truncated_rows<T>{keep, column, length, value});
    }));
    TRY(gs_pack_rows(Q, ctx, P->nrows, P->ncols, gs_row_positions_of(P), length, column, value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, keep);
    gsolve_free(ctx, GSOLVE_DEVICE, column);
    gsolve_free(ctx, GSOLVE_DEVICE, value);
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    return status;
}

// New values of truncated rows. L threads own a row, and look up its columns in the whole row by
// binary search. Reads both matrices once.
template <int L, class T>
__global__ void __launch_bounds__(gs_block_size)
    update_rows(int32_t rows, gs_row_positions start, const int32_t *col, T *value,
                gs_row_positions from_start, const int32_t *from_col, const T *from)
{
    const gs_independent_subwarp<L> g;
    const int64_t r = g.unit;
    double all = 0, kept = 0;

    if (r >= rows) return;
    const int64_t begin = start[r], end = start[r + 1];
    const int64_t from_begin = from_start[r], from_end = from_start[r + 1];
    for (int64_t e = from_begin + g.lane; e < from_end; e += L) all += (double)from[e];
    for (int64_t e = begin + g.lane; e < end; e += L) {
        value[e] = from[gs_row_first(from_col, from_begin, from_end, col[e])];
        kept += (double)value[e];
    }
    if (end - begin == from_end - from_begin) return; // the same for all lanes of the subwarp
    all = g.sum(all);
    const double scale = gs_sum_preserving_scale(all, g.sum(kept));
    for (int64_t e = begin + g.lane; e < end; e += L) value[e] = (T)(scale * (double)value[e]);
}

template <class T>
gsolve_status update_truncated(const gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P)
{
    return gs_with_rows(ctx, P, [&](auto, auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "truncated rows", update_rows<L, T>,
                         gs_subwarp_blocks(Q->nrows, L), gs_block_size, Q->nrows,
                         gs_row_positions_of(Q), Q->col, (T *)gs_owned_block(ctx, Q->value),
                         gs_row_positions_of(P), P->col, (const T *)P->value);
    });
}

// --- kernel table --------------------------------------------------------------------------------

template <class T>
gsolve_status interpolate(gsolve_csr *P, gsolve_context *ctx, const gs_interpolation_rows *w,
                          bool create)
{
    const gsolve_csr *A = w->points.A;

    if (w->kind == GS_ONE_POINT) {
        if (!create) return GSOLVE_OK;
        return gs_with_start(A, [&](auto start) { return choose_in<T>(P, ctx, w, start); });
    }
    return gs_with_rows(ctx, A, [&](auto start, auto lanes) {
        return interpolate_in<decltype(lanes)::value, T>(P, ctx, w, start, create);
    });
}

} // namespace

extern "C" const gs_classical_interpolate_kernels gs_classical_interpolate_cuda[GSOLVE_TYPE_COUNT] =
    {{interpolate<float>, truncate_rows<float>, update_truncated<float>, nullptr},
     {interpolate<double>, truncate_rows<double>, update_truncated<double>, nullptr}};
