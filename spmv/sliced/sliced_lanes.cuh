// sliced_lanes.cuh: where the entries of a lane are, for the products with several columns at once,
// see sliced_block.cuh and sliced_lean.cuh, and for rows out of slices.
#ifndef GS_SPMV_SLICED_SLICED_LANES_CUH
#define GS_SPMV_SLICED_SLICED_LANES_CUH

#include <type_traits>

#include "spmv/sliced/sliced.cuh"

namespace gs_by_slices
{

// V: the type that values are stored in.
template <class V>
struct lane_entries {
    const V *value;
    const void *index;
    const int32_t *bases; // those of columns that have their own
    int32_t base;         // that of all columns; ~base: number of that of the first one
    int32_t columns;      // of this lane
    int step;             // from one to the next
    bool narrow;          // numbers of 16 bits

    // Those of lane `lane` of slice `at`, whose first column is `first`. KINDS: bases is to begin
    // with the slice's own, where it has any; else it is left alone.
    template <bool KINDS>
    __device__ void name_index(const gs_sliced &s, int32_t at, int64_t first, int lane)
    {
        if (!s.narrow) {
            index = s.col + first * s.lanes + lane;
            return;
        }
        const gs_sliced_head head = s.head[at];
        if (head.at < 0) {
            index = (const int32_t *)(s.unit + (int64_t)~head.at * s.lanes) + lane;
            return;
        }
        index = s.unit + (int64_t)head.at * s.lanes + lane;
        narrow = true;
        base = head.base;
        if (KINDS && head.base < 0) bases = s.base + ~head.base;
    }

    // read(column numbers as they are stored, whether each has its base, which bases begins with)
    template <class Read>
    __device__ __forceinline__ void visit_kinds(Read read) const
    {
        if (!narrow) {
            read((const int32_t *)index, std::false_type());
        } else if (bases) {
            read((const uint16_t *)index, std::true_type());
        } else {
            read((const uint16_t *)index, std::false_type());
        }
    }

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

    // The column number of the lane's entry j, so many places on, after name_index<true>.
    __device__ int32_t column(int32_t j, int64_t place) const
    {
        if (!narrow) return ((const int32_t *)index)[place];
        return (bases ? bases[j] : base) + (int32_t)((const uint16_t *)index)[place];
    }
};

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

} // namespace gs_by_slices

#endif
