// esc_tiles.cuh: rows of few products. A warp processes several complete rows in registers.
#ifndef GS_SPGEMM_ESC_ESC_TILES_CUH
#define GS_SPGEMM_ESC_ESC_TILES_CUH

#include "spgemm/esc/esc_common.cuh"

namespace gs_esc_tiles
{

using namespace gs_esc_parts;

// Consecutive complete rows, at most one for each lane. rows = 0: the first row is not small; it is
// skipped, and total is the length of its part of order.
struct tile {
    int rows, total; // the number of rows, and of their products
    int at, own;     // of this lane's row: the products before it in the tile, and its own
};

// The tile that begins at `row`: as many rows as have at most small_products products together. All
// lanes of the warp call it.
__device__ inline tile cut_tile(const uint32_t *row_products, int32_t row, int32_t end)
{
    const int lane = (int)threadIdx.x % 32;
    const uint32_t w = row + lane < end ? row_products[row + lane] : large;
    const int own = w <= small_products ? (int)w : 1 << 20, upto = scan(own);
    tile t;

    t.rows = __popc(__ballot_sync(all_lanes, upto <= small_products));
    t.total = __shfl_sync(all_lanes, upto, max(t.rows - 1, 0));
    t.at = upto - own;
    t.own = own;
    if (t.rows == 0) {
        const uint32_t first = __shfl_sync(all_lanes, w, 0);
        t.total = first == large ? 0 : (int)first;
    }
    return t;
}

// The entries of A in a tile, see esc_common.cuh.
struct alignas(16) entries {
    int64_t from[small_products];
    uint32_t begins[small_products / 32];
};

// Lists the entries of A in [begin, end) that have products. Calls entry(number in the list,
// position in A, position in the tile, has products) for every entry, in all lanes of the warp, so
// that it may use warp operations.
template <class Entry>
__device__ void list_entries(const pattern &m, int64_t begin, int64_t end, int total, entries &s,
                             Entry entry)
{
    const int lane = (int)threadIdx.x % 32;
    int number = 0, products = 0;

    if (lane < small_products / 32) s.begins[lane] = 0;
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

inline int blocks_of(const tile_band &now, int shares) // shares: warps for a chunk
{
    return (int)(((now.last - now.first) * shares + small_warps - 1) / small_warps);
}

} // namespace gs_esc_tiles

#endif
