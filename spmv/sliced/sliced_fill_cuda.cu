// sliced_fill_cuda.cu: writes columns and values into slices on a GPU. A thread copies one lane: it
// reads at_once entries of its row at a time, which lie in the same sectors, and the warp writes
// each column of 32 lanes contiguously.
#include "spmv/sliced/sliced.cuh"

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
template <class T, class V, class O, bool COLUMNS>
__global__ void __launch_bounds__(gs_block_size) fill(gs_sliced s, rows_of<O> rows)
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

template <class T, class V, class O>
gsolve_status launch_fill(gs_sliced *s, gsolve_context *ctx, bool columns)
{
    const int blocks = blocks_for((int64_t)s->slices << s->shift);

    if (blocks == 0) return GSOLVE_OK;
    return columns ? gs_launch(ctx->queue, "filling slices", fill<T, V, O, true>, blocks,
                               gs_block_size, *s, rows_of<O>(s))
                   : gs_launch(ctx->queue, "filling slices", fill<T, V, O, false>, blocks,
                               gs_block_size, *s, rows_of<O>(s));
}

template <class T, class V>
gsolve_status fill_from(gs_sliced *s, gsolve_context *ctx, bool columns)
{
    return s->csr.offset == GSOLVE_O64 ? launch_fill<T, V, int64_t>(s, ctx, columns)
                                       : launch_fill<T, V, int32_t>(s, ctx, columns);
}

template <class T>
gsolve_status fill_as_stored(gs_sliced *s, gsolve_context *ctx, bool columns)
{
    if constexpr (sizeof(T) > sizeof(float)) {
        if (s->single) return fill_from<T, float>(s, ctx, columns);
    }
    return fill_from<T, T>(s, ctx, columns);
}

// *rounded = 1 if a value is not exact in single precision. A thread strides over the values; only
// threads that find such a value write.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    find_rounded(int64_t n, const T *value, int *rounded)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    bool found = false;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        found = found || (T)(float)value[k] != value[k];
    }
    if (found) *rounded = 1;
}

template <class T>
gsolve_status fits_single(const gs_sliced *s, gsolve_context *ctx, bool *single)
{
    gs_queue *q = ctx->queue;
    int *rounded = nullptr, found = 1;
    gsolve_status status;

    *single = false;
    if (s->value != GS_VALUE_AUTO || sizeof(T) == sizeof(float)) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, rounded, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(rounded, 0, sizeof *rounded, q->stream),
                "checking values for single precision"));
    TRY(gs_launch(q, "checking values for single precision", find_rounded<T>,
                  gs_grid(q, s->entries), gs_block_size, s->entries, (const T *)s->csr.value,
                  rounded));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, rounded, GSOLVE_DEVICE, sizeof found));
    *single = !found;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, rounded);
    return status;
}

// Allocates s->value_of for the type that `single` selects.
template <class T>
gsolve_status alloc_values(gs_sliced *s, gsolve_context *ctx, bool single)
{
    void *fresh = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)(s->columns * s->lanes),
                               single ? sizeof(float) : sizeof(T));

    if (!fresh) return GSOLVE_NO_MEMORY;
    gsolve_free(ctx, GSOLVE_DEVICE, s->value_of);
    s->value_of = fresh;
    s->single = single;
    return GSOLVE_OK;
}

} // namespace

template <class T>
gsolve_status gs_sliced_make_cuda(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                  const gs_sliced_span *span, bool lengths)
{
    bool single;
    gsolve_status status;

    TRY(gs_sliced_shape_cuda(s, ctx, spans, span, lengths));
    TRY(fits_single<T>(s, ctx, &single));
    TRY(alloc_values<T>(s, ctx, single));
    TRY(fill_as_stored<T>(s, ctx, true));
done:
    return status;
}

template <class T>
gsolve_status gs_sliced_refill_cuda(gs_sliced *s, gsolve_context *ctx)
{
    bool single;
    gsolve_status status;

    TRY(fits_single<T>(s, ctx, &single));
    if (single != s->single) TRY(alloc_values<T>(s, ctx, single));
    TRY(fill_as_stored<T>(s, ctx, false));
done:
    return status;
}

#define INSTANTIATE(T)                                                                    \
    template gsolve_status gs_sliced_make_cuda<T>(gs_sliced *, gsolve_context *, int32_t, \
                                                  const gs_sliced_span *, bool);          \
    template gsolve_status gs_sliced_refill_cuda<T>(gs_sliced *, gsolve_context *)
INSTANTIATE(float);
INSTANTIATE(double);
