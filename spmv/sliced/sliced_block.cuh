// sliced_block.cuh: what the products with several columns share, see sliced_row_major_cuda.cu. A
// warp works on 32 lanes of slices, or on a part of a long row, and on one chunk of columns.
#ifndef GS_SPMV_SLICED_SLICED_BLOCK_CUH
#define GS_SPMV_SLICED_SLICED_BLOCK_CUH

#include "spmv/multi_rhs/subwarps.cuh"
#include "spmv/sliced/sliced_lanes.cuh"

namespace gs_by_slices
{

using namespace gs_subwarps;

// COUNT entries of a lane. c = -1: padding, or past the end.
template <class T, int COUNT>
struct some_entries {
    int32_t c[COUNT];
    T v[COUNT];

    // Reads the entries from number k on. STEP: the lane's step, or 0.
    template <int STEP, class V, class I, class Each>
    __device__ __forceinline__ void read(const lane_entries<V> &lane, const I *index, Each,
                                         int32_t k)
    {
        constexpr I padding = (I)-1;
        const int step = STEP ? STEP : lane.step;
        const V *value = lane.value + (int64_t)k * step;

        index += (int64_t)k * step;
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            const bool in = k + u < lane.columns;
            const I number = in ? __ldg(&index[u * step]) : padding;
            const int32_t base = Each::value && in ? __ldg(&lane.bases[k + u]) : lane.base;
            v[u] = in ? (T)__ldg(&value[u * step]) : T(0);
            c[u] = number == padding ? -1 : base + (int32_t)number;
        }
    }
};

// What lane g of all lanes has to do.
template <class V>
struct block_lane_state {
    lane_entries<V> entries;
    int32_t row; // -1: no row, or not the first lane of its row
    int row_shift;

    __device__ block_lane_state(const gs_sliced &s, int64_t g)
        : entries{nullptr, nullptr, nullptr, 0, 0, s.lanes, false}, row(-1), row_shift(0)
    {
        const int32_t at = (int32_t)(g >> s.shift);
        const int lane = (int)(g & (s.lanes - 1));

        if (at >= s.slices) return;
        const int64_t first = s.first[at];
        row_shift = row_shift_of(s, at);
        const positions p = positions_of(s, at, row_shift);
        const int r = lane >> row_shift, sub = lane & ((1 << row_shift) - 1);
        entries.columns = (int32_t)(s.first[at + 1] - first);
        if (s.length) {
            entries.columns =
                p.first + r < p.end ? columns_of(s.length[p.first + r], sub, row_shift) : 0;
        }
        if (sub == 0) row = row_at(s, p, r);
        entries.value = (const V *)s.value_of + first * s.lanes + lane;
        entries.template set_index<true>(s, at, first, lane);
    }
};

// x row-major and y in either layout: sliced_row_major_cuda.cu. Both column-major:
// sliced_column_major_cuda.cu.
template <class T, class V>
gsolve_status gs_sliced_row_major(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);
template <class T, class V>
gsolve_status gs_sliced_column_major(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);

// sliced_row_major_long_cuda.cu: x row-major, where there are parts of long rows.
template <class T, class V>
gsolve_status gs_sliced_row_major_long(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);

} // namespace gs_by_slices

#endif
