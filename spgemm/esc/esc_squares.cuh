// esc_squares.cuh: rows of very few products: at most W entries of A, which refer to rows of B of
// at most W entries, W = 4 or 8. In order, such a row has a square of W x W bytes. Byte r of word e
// is the position in the row of C of a product: that of A's entry r and element e of its row of B.
// If there is no such product, the byte is no_product. W lanes own a row, each lane a word. So
// products are read in the order of B. The products of one entry of A, which have different
// columns, are added at the same time. Either all rows of a chunk have squares or none.
#ifndef GS_SPGEMM_ESC_ESC_SQUARES_CUH
#define GS_SPGEMM_ESC_ESC_SQUARES_CUH

#include "spgemm/esc/esc_common.cuh"

namespace gs_esc_squares
{

using namespace gs_esc_parts;

constexpr int no_product = 255;

template <int W>
constexpr int rows_at_once = 32 / W; // rows that a warp processes at the same time

// A word of a square: W bytes, each the position of a product.
template <int W>
struct alignas(W) word_of {
    uint32_t part[W / 4];

    __device__ int operator[](int r) const { return (int)(part[r / 4] >> r % 4 * 8 & 255); }
};

// The entry of A that this lane owns: entry e of a row.
struct entry_of_lane {
    int64_t at, from; // its position in A; the first position of its row of B
    int32_t j;        // its row of B; -1: the row of A has no entry e

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
__device__ word_of<W> *squares_of(uint16_t *order, const int64_t *chunk_begin, int64_t c,
                                  const tile_band &now)
{
    return reinterpret_cast<word_of<W> *>(order + (chunk_begin[c] - now.base));
}

} // namespace gs_esc_squares

#endif
