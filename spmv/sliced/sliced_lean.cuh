// sliced_lean.cuh: what the products with several columns at once share where few registers count
// most: those of x by columns, and those with parts of long rows in the same launch. A warp works
// on 32 lanes of slices, or on a part of a long row, and on a chunk of the columns. That 16-bit
// numbers have one base or many is asked at each of them, so that there are two kinds of loops and
// not the three of sliced_block.cuh, which regular rows are faster with.
#ifndef GS_SPMV_SLICED_SLICED_LEAN_CUH
#define GS_SPMV_SLICED_SLICED_LEAN_CUH

#include "spmv/multi_rhs/subwarps.cuh"
#include "spmv/sliced/sliced_lanes.cuh"

namespace gs_lean_slices
{

using namespace gs_by_slices;
using namespace gs_subwarps;

// So many entries of a lane. c -1: padding, or past the end.
template <class T, int COUNT>
struct some_entries {
    int32_t c[COUNT];
    T v[COUNT];

    // Those from place k on, of a visit; STEP: that of the lane, or 0.
    template <int STEP, class V, class I>
    __device__ __forceinline__ void read(const lane_entries<V> &lane, const I *index, int32_t k)
    {
        constexpr I padding = (I)-1;
        const int step = STEP ? STEP : lane.step;
        const V *value = lane.value + (int64_t)k * step;

        index += (int64_t)k * step;
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            const bool in = k + u < lane.columns;
            const I number = in ? __ldg(&index[u * step]) : padding;
            int32_t base = 0;
            if constexpr (sizeof(I) == 2) {
                base = lane.base;
                if (base < 0 && in) base = __ldg(&lane.bases[~base + k + u]);
            }
            v[u] = in ? (T)__ldg(&value[u * step]) : T(0);
            c[u] = number == padding ? -1 : base + (int32_t)number;
        }
    }
};

// What lane g of all has to do. STEP: see step_of.
template <class V, int STEP>
struct block_lane_state {
    lane_entries<V> entries;
    int32_t row; // -1: none, or not the first lane of its row
    int share;

    __device__ block_lane_state(const gs_sliced &s, int64_t g)
        : entries{nullptr, nullptr, s.base, 0, 0, s.lanes, false}, row(-1), share(0)
    {
        const int shift = STEP ? 5 : s.shift, lane = (int)g & ((1 << shift) - 1);
        const int32_t at = (int32_t)(g >> shift);

        if (at >= s.slices) return;
        const int64_t first = s.first[at];
        if (!STEP) share = share_of(s, at);
        const places p = places_of(s, at, share);
        const int r = lane >> share, sub = lane & ((1 << share) - 1);
        entries.columns = (int32_t)(s.first[at + 1] - first);
        if (!STEP && s.length) {
            entries.columns =
                p.first + r < p.end ? columns_of(s.length[p.first + r], sub, share) : 0;
        }
        if (sub == 0) row = row_at(s, p, r);
        entries.value = (const V *)s.value_of + (first << shift) + lane;
        entries.template name_index<false>(s, at, first, lane);
    }
};

// Lanes of a slice where the kernels know it, else 0: they know that slices are of 32 lanes, a row
// to each.
inline int step_of(const gs_sliced *s)
{
    return gs_sliced_row_a_lane(s) ? 32 : 0;
}

} // namespace gs_lean_slices

#endif
