// esc_sort.cuh: sorts keys in the registers of a group of lanes.
#ifndef GS_SPGEMM_ESC_ESC_SORT_CUH
#define GS_SPGEMM_ESC_ESC_SORT_CUH

#include "spgemm/esc/esc_common.cuh"

namespace gs_esc_parts
{

// Swaps x and y if x > y.
template <class K>
__device__ void in_order(K &x, K &y)
{
    const K less = min(x, y), more = max(x, y);
    x = less;
    y = more;
}

// The smaller of two keys if this lane is the lower one of the pair, else the larger.
template <class K>
__device__ K exchange(K own, K other, bool low)
{
    return low ? min(own, other) : max(own, other);
}

// Bitonic sort of LANES V keys, V of them in each lane, ascending. Each merge begins by comparing
// the first half with the mirror image of the second, so that all comparisons have one direction.
// Each group of LANES lanes sorts its own keys.
template <int V, int LANES, class K>
__device__ void sort_keys(K (&key)[V])
{
    const int lane = (int)threadIdx.x % LANES;

#pragma unroll
    for (int size = 2; size <= LANES * V; size *= 2) {
        if (size <= V) {
#pragma unroll
            for (int x = 0; x < V; x++) {
                if ((x ^ (size - 1)) > x) in_order(key[x], key[x ^ (size - 1)]);
            }
        } else {
            const int lanes = size / V;
            const bool low = (lane & (lanes / 2)) == 0;
            K other[V];
#pragma unroll
            for (int x = 0; x < V; x++) {
                other[x] = __shfl_xor_sync(all_lanes, key[V - 1 - x], lanes - 1);
            }
#pragma unroll
            for (int x = 0; x < V; x++) key[x] = exchange(key[x], other[x], low);
        }
#pragma unroll
        for (int d = size / 4; d > 0; d /= 2) {
            if (d < V) {
#pragma unroll
                for (int x = 0; x < V; x++) {
                    if ((x ^ d) > x) in_order(key[x], key[x ^ d]);
                }
            } else {
                const bool low = (lane & (d / V)) == 0;
#pragma unroll
                for (int x = 0; x < V; x++) {
                    key[x] = exchange(key[x], __shfl_xor_sync(all_lanes, key[x], d / V), low);
                }
            }
        }
    }
}

} // namespace gs_esc_parts

#endif
