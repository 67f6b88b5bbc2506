// sliced_lean.cuh: what the products with several columns at once share where few registers count
// most: those of x by columns, and those with parts of long rows in the same launch. A warp works
// on 32 lanes of slices, or on a part of a long row, and on a chunk of the columns. That 16-bit
// numbers have one base or many is asked at each of them, so that there are two kinds of loops and
// not the three of sliced_block.cuh, which regular rows are faster with.
#ifndef GS_SLICED_LEAN_CUH
#define GS_SLICED_LEAN_CUH

#include "spmv/sliced/sliced.cuh"
#include "spmv/teams.cuh"

namespace gs_lean_slices
{

using namespace gs_by_slices;
using namespace gs_teams;

// Where a lane's entries are. V: the type that values are stored in.
template <class V>
struct lane_entries {
    const V *value;
    const void *index;
    const int32_t *bases; // those of columns that have their own
    int32_t base;         // that of all columns; ~base: number of that of the first one
    int32_t columns;      // of this lane
    int step;             // from one to the next
    bool narrow;          // numbers of 16 bits

    // read(column numbers as they are stored)
    template <class Read>
    __device__ __forceinline__ void visit(Read read) const
    {
        if (narrow) {
            read((const uint16_t *)index);
        } else {
            read((const int32_t *)index);
        }
    }
};

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
struct block_seat {
    lane_entries<V> entries;
    int32_t row; // -1: none, or not the first lane of its row
    int share;

    __device__ block_seat(const gs_sliced &s, int64_t g)
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
        name_index(s, at, first, lane);
    }

    __device__ void name_index(const gs_sliced &s, int32_t at, int64_t first, int lane)
    {
        if (!s.narrow) {
            entries.index = s.col + first * s.lanes + lane;
            return;
        }
        const gs_sliced_head head = s.head[at];
        if (head.at < 0) {
            entries.index = (const int32_t *)(s.unit + (int64_t)~head.at * s.lanes) + lane;
            return;
        }
        entries.index = s.unit + (int64_t)head.at * s.lanes + lane;
        entries.narrow = true;
        entries.base = head.base;
    }
};

// Lanes of a slice where the kernels know it, else 0: they know that slices are of 32 lanes, a row
// to each.
inline int step_of(const gs_sliced *s)
{
    return gs_sliced_row_a_lane(s) ? 32 : 0;
}

// Every step-th entry of a part of a long row from number `first` on.
template <class T>
__device__ inline lane_entries<T> part_entries(const gs_sliced &s, const gs_sliced_part &p,
                                               int first, int step)
{
    return {(const T *)s.csr.value + p.from + first,
            s.csr.col + p.from + first,
            nullptr,
            0,
            (p.entries - first + step - 1) / step,
            step,
            false};
}

} // namespace gs_lean_slices

#endif
