// sliced_lanes.cuh: where the entries of a lane are stored, for the products with several columns
// at once (sliced_block.cuh) and for restoring rows from slices.
#ifndef GS_SPMV_SLICED_SLICED_LANES_CUH
#define GS_SPMV_SLICED_SLICED_LANES_CUH

#include <type_traits>

#include "spmv/sliced/sliced.cuh"

namespace gs_by_slices
{

// What is added to a stored column number.
struct no_base { // it is the column
};
struct one_base { // lane_entries::base
};
struct own_base { // the base of the lane's column
};
struct tested_base { // one_base or own_base, as the sign of lane_entries::base says
};

// The entries of a lane. V: the type that values are stored in.
template <class V>
struct lane_entries {
    const V *value;
    const void *index;
    const int32_t *bases; // the bases of columns, where each has one
    int32_t base;         // the base of all columns; ~base: number of the base of the first column
    int32_t columns;      // columns of this lane
    int step;             // slots from a column to the next
    bool narrow;          // column numbers have 16 bits

    // Sets index and base for lane `lane` of slice `at`, whose first column is `first`. EACH: bases
    // is set too, if the slice has a base per column; else it stays as it is.
    template <bool EACH>
    __device__ void set_index(const gs_sliced &s, int32_t at, int64_t first, int lane)
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
        if (EACH && head.base < 0) bases = s.base + ~head.base;
    }

    // Calls read(stored column numbers, their base). FEW: read is compiled for two cases, which
    // needs fewer registers: the base of 16-bit numbers is tested at each number. Else it is
    // compiled for three, which is faster for regular rows; this needs set_index<true>.
    template <bool FEW, class Read>
    __device__ __forceinline__ void visit(Read read) const
    {
        if (!narrow) {
            read((const int32_t *)index, std::conditional_t<FEW, no_base, one_base>());
        } else if constexpr (FEW) {
            read((const uint16_t *)index, tested_base());
        } else if (bases) {
            read((const uint16_t *)index, own_base());
        } else {
            read((const uint16_t *)index, one_base());
        }
    }

    // The column number of entry j of the lane, `position` slots after the first. Needs
    // set_index<true>.
    __device__ int32_t column(int32_t j, int64_t position) const
    {
        if (!narrow) return ((const int32_t *)index)[position];
        return (bases ? bases[j] : base) + (int32_t)((const uint16_t *)index)[position];
    }
};

// The lane that reads every step-th entry of a part of a long row, from number `first` on.
template <class T>
__device__ inline lane_entries<T> part_entries(const gs_sliced &s, const gs_row_part &p, int first,
                                               int step)
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
