// sliced_block.cuh: what the products of slices with several columns share. A warp works on 32
// lanes of slices, or on a part of a long row, and on one chunk of columns.
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

    // Reads the entries from number k on. STEP: the lane's step, or 0. Base: see lane_entries.
    template <int STEP, class V, class I, class Base>
    __device__ __forceinline__ void read(const lane_entries<V> &lane, const I *index, Base,
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
            int32_t base = std::is_same_v<Base, no_base> ? 0 : lane.base;
            if constexpr (std::is_same_v<Base, tested_base>) {
                if (base < 0 && in) base = __ldg(&lane.bases[~base + k + u]);
            } else if constexpr (std::is_same_v<Base, own_base>) {
                if (in) base = __ldg(&lane.bases[k + u]);
            }
            v[u] = in ? (T)__ldg(&value[u * step]) : T(0);
            c[u] = number == padding ? -1 : base + (int32_t)number;
        }
    }
};

// What lane g of all lanes has to do. STEP: 32 where slices have 32 lanes, one per row; else 0.
// FEW: see lane_entries.
template <class V, int STEP, bool FEW>
struct block_lane_state {
    lane_entries<V> entries;
    int32_t row; // -1: no row, or not the first lane of its row
    int row_shift;

    __device__ block_lane_state(const gs_sliced &s, int64_t g)
        : entries{nullptr, nullptr, FEW ? s.base : nullptr, 0, 0, s.lanes, false}, row(-1),
          row_shift(0)
    {
        const int shift = STEP ? 5 : s.shift, lane = (int)g & ((1 << shift) - 1);
        const int32_t at = (int32_t)(g >> shift);

        if (at >= s.slices) return;
        const int64_t first = s.first[at];
        if (!STEP) row_shift = row_shift_of(s, at);
        const positions p = positions_of(s, at, row_shift);
        const int r = lane >> row_shift, sub = lane & ((1 << row_shift) - 1);
        entries.columns = (int32_t)(s.first[at + 1] - first);
        if (!STEP && s.length) {
            entries.columns =
                p.first + r < p.end ? columns_of(s.length[p.first + r], sub, row_shift) : 0;
        }
        if (sub == 0) row = row_at(s, p, r);
        entries.value = (const V *)s.value_of + (first << shift) + lane;
        entries.template set_index<!FEW>(s, at, first, lane);
    }
};

// x row-major and y in either layout: sliced_row_major_cuda.cu. Both column-major:
// sliced_column_major_cuda.cu.
template <class T, class V>
gsolve_status gs_sliced_row_major(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);
template <class T, class V>
gsolve_status gs_sliced_column_major(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);

} // namespace gs_by_slices

#endif
