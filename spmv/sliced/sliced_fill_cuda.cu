// sliced_fill_cuda.cu: writes columns and values into slices on a GPU, and restores rows from them.
// A thread copies one lane: it reads at_once entries of its row at a time, which lie in the same
// sectors, and the warp writes each column of 32 lanes contiguously.
#include "spmv/sliced/sliced_lanes.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int at_once = 8; // entries that a thread copies at once

// The least column among the lanes of a slice that are in mask.
__device__ inline int32_t least_column(unsigned mask, int32_t c)
{
    return __reduce_min_sync(mask, c < 0 ? INT32_MAX : c);
}

// Where the column numbers of a slice are written.
struct column_writer {
    int32_t *col;   // 32-bit numbers, or
    uint16_t *unit; // 16-bit numbers, relative to
    int32_t base;   // this base, or
    int32_t *bases; // a base of each column
    unsigned mask;  // lanes of the slice in this warp, to find the bases

    __device__ column_writer(const gs_sliced &s, int32_t at, int lane)
        : col(nullptr), unit(nullptr), base(0), bases(nullptr), mask(all_lanes)
    {
        if (!s.narrow) {
            col = s.col + (int64_t)s.first[at] * s.lanes + lane;
            return;
        }
        const gs_sliced_head head = s.head[at];
        if (head.at < 0) {
            col = (int32_t *)(s.unit + (int64_t)~head.at * s.lanes) + lane;
            return;
        }
        unit = s.unit + (int64_t)head.at * s.lanes + lane;
        if (head.base >= 0) {
            base = head.base;
        } else {
            bases = s.base + ~head.base;
            if (s.lanes < 32) {
                mask = ((1u << s.lanes) - 1) << ((threadIdx.x % 32) / s.lanes * s.lanes);
            }
        }
    }

    // Writes column number c (-1: padding) of column j at slot `at`; lane: this thread's lane in
    // the slice.
    __device__ void write(int32_t j, int64_t at, int lane, int32_t c) const
    {
        if (col) {
            col[at] = c;
            return;
        }
        int32_t from = base;
        if (bases) {
            from = least_column(mask, c);
            if (from == INT32_MAX) from = 0; // padding only
            if (lane == 0) bases[j] = from;
        }
        unit[at] = c < 0 ? (uint16_t)0xffff : (uint16_t)(c - from);
    }
};

// Writes the values of all slices, and with COLUMNS their column numbers. A thread owns one lane of
// a slice. It loads at_once entries before it writes them; the writes of a warp are contiguous.
// Lanes of one slice stay together, since they find the bases of columns together.
template <class T, class V, bool COLUMNS, class Rows>
__global__ void __launch_bounds__(gs_block_size) fill(gs_sliced s, Rows rows)
{
    const int64_t g = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int lane = (int)(g & (s.lanes - 1));

    if (g >> s.shift >= s.slices) return; // all lanes of a slice return together
    const int32_t at = (int32_t)(g >> s.shift), width = s.first[at + 1] - s.first[at];
    const int row_shift = row_shift_of(s, at), sub = lane & ((1 << row_shift) - 1);
    const int32_t i = row_at(s, positions_of(s, at, row_shift), lane >> row_shift);
    const int32_t columns = columns_of(rows.length(i), sub, row_shift);
    const int64_t from = columns > 0 ? (int64_t)rows.start[i] + sub : 0;
    const T *value = (const T *)s.csr.value + from;
    const int32_t *col = s.csr.col + from;
    V *to = (V *)s.value_of + (int64_t)s.first[at] * s.lanes + lane;
    const column_writer writer(s, at, lane);

    for (int32_t j = 0; j < width; j += at_once) {
        T v[at_once];
        int32_t c[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t k = (int64_t)(j + u) << row_shift;
            v[u] = j + u < columns ? value[k] : T(0);
            c[u] = COLUMNS && j + u < columns ? col[k] : -1;
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t position = (int64_t)(j + u) << s.shift;
            if (j + u >= width) break;
            to[position] = (V)v[u];
            if (COLUMNS) writer.write(j + u, position, lane, c[u]);
        }
    }
}

// *rounded = 1 if a value is not exact in single precision. A thread strides over the values; only
// threads that find such a value write.
__global__ void __launch_bounds__(gs_block_size)
    find_rounded(int64_t n, const double *value, int *rounded)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    bool found = false;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        found = found || (double)(float)value[k] != value[k];
    }
    if (found) *rounded = 1;
}

// --- back to rows -----------------------------------------------------------------------------

// The inverse of fill: writes the columns and values of all rows. Reads are coalesced; writes go to
// the rows. A thread owns one lane of a slice; the lanes of a row
// write disjoint entries.
template <class T, class V, class Rows>
__global__ void __launch_bounds__(gs_block_size)
    restore_lanes(gs_sliced s, Rows rows, int32_t *to_col, T *to)
{
    const int64_t g = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int lane = (int)(g & (s.lanes - 1));

    if (g >> s.shift >= s.slices) return;
    const int32_t at = (int32_t)(g >> s.shift);
    const int row_shift = row_shift_of(s, at), sub = lane & ((1 << row_shift) - 1);
    const int32_t i = row_at(s, positions_of(s, at, row_shift), lane >> row_shift);
    const int32_t columns = columns_of(rows.length(i), sub, row_shift);
    const int64_t from = columns > 0 ? (int64_t)rows.start[i] + sub : 0;
    const V *value = (const V *)s.value_of + (int64_t)s.first[at] * s.lanes + lane;
    lane_entries<V> entries = {};

    entries.template set_index<true>(s, at, s.first[at], lane);
    for (int32_t j = 0; j < columns; j += at_once) {
        V v[at_once];
        int32_t c[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t position = (int64_t)(j + u) << s.shift;
            const bool in = j + u < columns;
            v[u] = in ? value[position] : V(0);
            c[u] = in ? entries.column(j + u, position) : 0;
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t k = from + ((int64_t)(j + u) << row_shift);
            if (j + u >= columns) break;
            to[k] = (T)v[u];
            to_col[k] = c[u];
        }
    }
}

} // namespace

gsolve_status gs_sliced_fits_single_cuda(const gs_sliced *s, gsolve_context *ctx, bool *single)
{
    gs_queue *q = ctx->queue;
    int *rounded = nullptr, found = 1;
    gsolve_status status;

    ALLOC_DEVICE(ctx, rounded, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(rounded, 0, sizeof *rounded, q->stream),
                "checking values for single precision"));
    TRY(gs_launch(q, "checking values for single precision", find_rounded, gs_grid(q, s->entries),
                  gs_block_size, s->entries, (const double *)s->csr.value, rounded));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, rounded, GSOLVE_DEVICE, sizeof found));
    *single = !found;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, rounded);
    return status;
}

template <class T>
gsolve_status gs_sliced_fill_cuda(gs_sliced *s, gsolve_context *ctx, bool columns)
{
    const int blocks = blocks_for((int64_t)s->slices << s->shift);

    if (blocks == 0) return GSOLVE_OK;
    return with_values<T>(s, [&](auto v) {
        using V = decltype(v);
        return with_rows(s, [&](auto rows) {
            using Rows = decltype(rows);
            return gs_launch(ctx->queue, "filling slices",
                             columns ? fill<T, V, true, Rows> : fill<T, V, false, Rows>, blocks,
                             gs_block_size, *s, rows);
        });
    });
}

template <class T>
gsolve_status gs_sliced_restore_cuda(gs_queue *q, const gs_sliced *s, int32_t *col, void *value)
{
    const int blocks = blocks_for((int64_t)s->slices << s->shift);

    if (blocks == 0) return GSOLVE_OK;
    return with_values<T>(s, [&](auto v) {
        using V = decltype(v);
        return with_rows(s, [&](auto rows) {
            return gs_launch(q, "restoring rows from slices", restore_lanes<T, V, decltype(rows)>,
                             blocks, gs_block_size, *s, rows, col, (T *)value);
        });
    });
}

#define INSTANTIATE(T)                                                                         \
    template gsolve_status gs_sliced_fill_cuda<T>(gs_sliced *, gsolve_context *, bool);        \
    template gsolve_status gs_sliced_restore_cuda<T>(gs_queue *, const gs_sliced *, int32_t *, \
                                                     void *)
INSTANTIATE(float);
INSTANTIATE(double);
