// subwarp.cuh: subwarps of L neighbouring threads, each of which works on one row or one node. All
// threads of a warp run through the same loops, because ballots and sums involve the whole warp.
#ifndef GS_PRECOND_SUBWARP_CUH
#define GS_PRECOND_SUBWARP_CUH

#include "core/cuda.cuh"

extern "C" {
#include "matrix/csr.h"
}

constexpr unsigned gs_all_lanes = 0xffffffffu;

// The sum, and the maximum, over the L lanes of a subwarp, returned to each lane. mask: the lanes
// of the warp that call.
template <int L, class T>
__device__ T gs_subwarp_sum(T x, unsigned mask)
{
    for (int d = L / 2; d > 0; d /= 2) x += __shfl_xor_sync(mask, x, d);
    return x;
}

template <int L>
__device__ double gs_subwarp_max(double x, unsigned mask)
{
    for (int d = L / 2; d > 0; d /= 2) x = fmax(x, __shfl_xor_sync(mask, x, d));
    return x;
}

template <int L>
struct gs_subwarp {
    int lane;     // 0 to L - 1
    int64_t unit; // the row or node of this subwarp

    __device__ gs_subwarp()
        : lane((int)(threadIdx.x % L)),
          unit(((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / L)
    {
    }
    // bit l: the value of `yes` in lane l of the subwarp
    __device__ unsigned ballot(bool yes) const
    {
        const unsigned warp = __ballot_sync(gs_all_lanes, yes);
        const unsigned first = threadIdx.x % 32 / L * L;
        return L == 32 ? warp : warp >> first & ((1u << (L % 32)) - 1);
    }
    __device__ unsigned below() const
    {
        return (1u << lane) - 1;
    } // a mask of the lanes before this one

    template <class T>
    __device__ T sum(T x) const
    {
        return gs_subwarp_sum<L>(x, gs_all_lanes);
    }
    __device__ double largest(double x) const { return gs_subwarp_max<L>(x, gs_all_lanes); }
};

// Thread blocks for this many units of one subwarp each.
inline int gs_subwarp_blocks(int64_t units, int lanes)
{
    const int64_t blocks = (units * lanes + gs_block_size - 1) / gs_block_size;
    return (int)(blocks < 1 ? 1 : blocks);
}

// Calls go with the subwarp size for rows of this many entries: 4, 8, 16 or 32.
template <class Go>
gsolve_status gs_with_subwarp(double entries, Go go)
{
    if (entries <= 4) return go(std::integral_constant<int, 4>());
    if (entries <= 8) return go(std::integral_constant<int, 8>());
    if (entries <= 16) return go(std::integral_constant<int, 16>());
    return go(std::integral_constant<int, 32>());
}

// Calls go(start) with csr's offsets as int32_t or int64_t.
template <class Go>
gsolve_status gs_with_start(const gsolve_csr *csr, Go go)
{
    return csr->offset == GSOLVE_O64 ? go((const int64_t *)csr->start)
                                     : go((const int32_t *)csr->start);
}

// Calls go(start, lanes) with csr's offsets and the subwarp size for its mean row. Synchronises.
template <class Go>
gsolve_status gs_with_rows(gsolve_context *ctx, const gsolve_csr *csr, Go go)
{
    int64_t entries = 0;
    const gsolve_status status = gs_csr_entries(ctx, csr, &entries);

    if (status != GSOLVE_OK) return status;
    return gs_with_start(csr, [&](auto start) {
        return gs_with_subwarp((double)entries / (csr->nrows + 1.0),
                               [&](auto lanes) { return go(start, lanes); });
    });
}

#endif
