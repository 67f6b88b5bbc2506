// esc_tiles.cuh: rows of few products. A warp processes several complete rows in registers.
#ifndef GS_SPGEMM_ESC_ESC_TILES_CUH
#define GS_SPGEMM_ESC_ESC_TILES_CUH

#include "spgemm/esc/esc_common.cuh"

namespace gs_esc_tiles
{

using namespace gs_esc_parts;

// Whole rows from row on, at most one a lane.
struct tile {
    int rows, total; // of their products; no rows: row is not for tiles, total are its products
    int at, own;     // products of this lane's row: those before, and their number
};

__device__ inline tile cut_tile(const uint32_t *weight, int32_t row, int32_t end)
{
    const int lane = (int)threadIdx.x % 32;
    const uint32_t w = row + lane < end ? weight[row + lane] : large;
    const int own = w <= small_room ? (int)w : 1 << 20, upto = scan(own);
    tile t;

    t.rows = __popc(__ballot_sync(all_lanes, upto <= small_room));
    t.total = __shfl_sync(all_lanes, upto, max(t.rows - 1, 0));
    t.at = upto - own;
    t.own = own;
    if (t.rows == 0) {
        const uint32_t first = __shfl_sync(all_lanes, w, 0);
        t.total = first == large ? 0 : (int)first;
    }
    return t;
}

// A tile's entries, see esc_common.cuh.
struct alignas(16) entries {
    int64_t from[small_room];
    uint32_t begins[small_room / 32];
};

// entry(number, a, e): of A's e-th entry of the tile, which is its entry a. Lanes together.
template <class Entry>
__device__ void list_entries(const pattern &m, int64_t begin, int64_t end, int total, entries &s,
                             Entry entry)
{
    const int lane = (int)threadIdx.x % 32;
    int number = 0, products = 0;

    if (lane < small_room / 32) s.begins[lane] = 0;
    __syncwarp();
    for (int64_t at = begin; at < end && products < total; at += 32) {
        const int64_t a = at + lane;
        const int32_t k = a < end ? __ldg(m.acol + a) : -1;
        const int64_t from = k >= 0 ? m.b[k] : 0;
        const int length = k >= 0 ? (int)(m.b[k + 1] - from) : 0, upto = products + scan(length);
        const unsigned some = __ballot_sync(all_lanes, length > 0);
        const int own = number + __popc(some & below(lane)), p = upto - length;
        if (length > 0) {
            s.from[own] = from - p;
            atomicOr(&s.begins[p / 32], 1u << p % 32);
        }
        entry(own, a, (int)(a - begin), length > 0);
        number += __popc(some);
        products = __shfl_sync(all_lanes, upto, 31);
    }
    __syncwarp();
}

inline int blocks_of(const tile_band &now, int shares) // warps to a chunk
{
    return (int)(((now.last - now.first) * shares + small_warps - 1) / small_warps);
}

} // namespace gs_esc_tiles

#endif
