// sliced_block.cuh: what the products with several columns at once share, see sliced_block_cuda.cu.
// A warp works on 32 lanes of slices, or on a part of a long row, and on a chunk of the columns.
#ifndef GS_SLICED_BLOCK_CUH
#define GS_SLICED_BLOCK_CUH

#include "spmv/sliced/sliced.cuh"
#include "spmv/teams.cuh"

namespace gs_by_slices
{

using namespace gs_teams;

template <class V>
struct entry {
    int32_t c; // -1: padding, or past the end
    V v;
};

// Where a lane's entries are. V: the type that values are stored in.
template <class V>
struct lane_entries {
    const V *value;
    const void *index;
    const int32_t *bases; // of each column, or
    int32_t base;         // of all
    int32_t columns;      // of this lane
    int step;             // from one to the next
    bool narrow;          // numbers of 16 bits
    bool again;           // another warp reads the same

    __device__ entry<V> at(int32_t k) const
    {
        const int64_t place = (int64_t)k * step;
        entry<V> e = {-1, V(0)};

        if (k >= columns) return e;
        if (narrow) {
            const uint16_t *unit = (const uint16_t *)index + place;
            const uint16_t c = again ? __ldg(unit) : __ldcs(unit);
            if (c != 0xffff) e.c = (bases ? __ldg(&bases[k]) : base) + c;
        } else {
            const int32_t *col = (const int32_t *)index + place;
            e.c = again ? __ldg(col) : __ldcs(col);
        }
        e.v = again ? __ldg(&value[place]) : __ldcs(&value[place]);
        return e;
    }
};

// What lane g of all has to do.
template <class V>
struct block_seat {
    lane_entries<V> entries;
    int32_t row; // -1: none, or not the first lane of its row
    int share;

    __device__ block_seat(const gs_sliced &s, int64_t g, bool again)
        : entries{nullptr, nullptr, nullptr, 0, 0, s.lanes, false, again}, row(-1), share(0)
    {
        const int32_t at = (int32_t)(g >> s.shift);
        const int lane = (int)(g & (s.lanes - 1));

        if (at >= s.slices) return;
        const int64_t first = s.first[at];
        share = share_of(s, at);
        const places p = places_of(s, at, share);
        const int r = lane >> share, sub = lane & ((1 << share) - 1);
        entries.columns = (int32_t)(s.first[at + 1] - first);
        if (s.length) {
            entries.columns =
                p.first + r < p.end ? columns_of(s.length[p.first + r], sub, share) : 0;
        }
        if (sub == 0) row = row_at(s, p, r);
        entries.value = (const V *)s.value_of + first * s.lanes + lane;
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
        if (head.base < 0) entries.bases = s.base + ~head.base;
    }
};

// The entries of a part of a long row that a lane reads.
template <class T>
__device__ inline lane_entries<T> part_entries(const gs_sliced &s, const gs_sliced_part &p,
                                               int lane, bool again)
{
    return {(const T *)s.csr.value + p.from + lane,
            s.csr.col + p.from + lane,
            nullptr,
            0,
            (p.entries - lane + 31) / 32,
            32,
            false,
            again};
}

// x by rows, y in either layout: sliced_block_cuda.cu; both by columns: sliced_columns_cuda.cu.
template <class T, class V>
gsolve_status gs_sliced_by_rows(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);
template <class T, class V>
gsolve_status gs_sliced_by_columns(gs_queue *q, const gs_sliced *s, const block_operands<T> &a);

} // namespace gs_by_slices

#endif
