// esc_squares.cuh: rows of very few products: at most W entries of A, which refer to rows of B of
// at most W entries, W = 4 or 8. In order, such a row has a square of W x W bytes: byte r of word e
// is the position, in the row of C, of the product of A's entry r and element e of its row of B, or
// no_product. W lanes own a row, each lane a word. So products are read in the order of B, and the
// products of one entry of A, which have different columns, are added at the same time. Either all
// rows of a chunk have squares or none.
#ifndef GS_SPGEMM_ESC_ESC_SQUARES_CUH
#define GS_SPGEMM_ESC_ESC_SQUARES_CUH

#include "spgemm/esc/esc_common.cuh"

namespace gs_esc_squares
{

using namespace gs_esc_parts;

constexpr int no_product = 255;

template <int W>
constexpr int rows_at_once = 32 / W; // of a warp

// W bytes, as they lie in memory.
template <int W>
struct alignas(W) word_of {
    uint32_t part[W / 4];

    __device__ int operator[](int r) const { return (int)(part[r / 4] >> r % 4 * 8 & 255); }
};

// The entry of A of this lane: the e-th of a row, if there are so many.
struct entry_of_lane {
    int64_t at, from; // among A's entries; where its row of B begins
    int32_t j;        // that row; -1: there is no such entry

    __device__ entry_of_lane(const pattern &m, int64_t row, int e)
        : at(row < m.nrows ? m.a[row] + e : 0), from(0), j(-1)
    {
        if (row >= m.nrows || at >= m.a[row + 1]) return;
        j = __ldg(m.acol + at);
        from = m.b[j];
    }
};

// The words of a chunk, row by row.
template <int W>
__device__ word_of<W> *squares_of(uint16_t *order, const int64_t *chunk_at, int64_t c,
                                  const tile_band &now)
{
    return reinterpret_cast<word_of<W> *>(order + (chunk_at[c] - now.base));
}

} // namespace gs_esc_squares

#endif
