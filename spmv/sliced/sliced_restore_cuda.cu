// sliced_restore_cuda.cu: restoring rows from slices on a GPU. A thread copies the entries of one
// lane to the row, the inverse of sliced_fill_cuda.cu. Reads are coalesced; writes go to the rows.
#include "spmv/sliced/sliced_lanes.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int at_once = 8; // entries that a thread copies at once

// Writes the columns and values of all rows. A thread owns one lane of a slice; the lanes of a row
// write disjoint entries.
template <class T, class V, class O>
__global__ void __launch_bounds__(gs_block_size)
    restore_lanes(gs_sliced s, rows_of<O> rows, int32_t *to_col, T *to)
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

template <class T, class V>
gsolve_status restore_from(gs_queue *q, const gs_sliced *s, int32_t *col, T *value)
{
    const int blocks = blocks_for((int64_t)s->slices << s->shift);

    if (blocks == 0) return GSOLVE_OK;
    return s->csr.offset == GSOLVE_O64
               ? gs_launch(q, "restoring rows from slices", restore_lanes<T, V, int64_t>, blocks,
                           gs_block_size, *s, rows_of<int64_t>(s), col, value)
               : gs_launch(q, "restoring rows from slices", restore_lanes<T, V, int32_t>, blocks,
                           gs_block_size, *s, rows_of<int32_t>(s), col, value);
}

} // namespace

template <class T>
gsolve_status gs_sliced_restore_cuda(gs_queue *q, const gs_sliced *s, int32_t *col, void *value)
{
    if constexpr (sizeof(T) > sizeof(float)) {
        if (s->single) return restore_from<T, float>(q, s, col, (T *)value);
    }
    return restore_from<T, T>(q, s, col, (T *)value);
}

template gsolve_status gs_sliced_restore_cuda<float>(gs_queue *, const gs_sliced *, int32_t *,
                                                     void *);
template gsolve_status gs_sliced_restore_cuda<double>(gs_queue *, const gs_sliced *, int32_t *,
                                                      void *);
