// layout_cuda.cu: transposes dense blocks on a GPU by tiles in shared memory. A tile is read along
// contiguous memory of the source and written along contiguous memory of the result. The shorter
// side of the block is the number of right-hand sides; the narrower the tile, the longer it is.
#include "core/pdl.cuh"

extern "C" {
#include "vector/layout.h"
}

namespace
{

constexpr int tile_items = 4096; // elements of a tile; half as many if it is very narrow
constexpr int most_narrow = 32;  // width of the widest tile along the shorter side

// The shape of a tile: NARROW elements along the shorter side, a power of two, and `wide` along the
// longer side. A thread loads its `each` elements before it stores the first, so all loads overlap.
template <int NARROW>
struct shape {
    static constexpr int items = NARROW < 4 ? tile_items / 2 : tile_items;
    static constexpr int wide = items / NARROW, each = items / gs_block_size;
    static constexpr int line = NARROW + 1; // one element of padding avoids bank conflicts
};

// The position in a tile of element number e, counted along the shorter side first (ALONG_SHORTER)
// or along the longer side first.
template <int NARROW, bool ALONG_SHORTER>
struct place {
    int w, n; // position along the longer side; along the shorter side

    __device__ explicit place(int e)
        : w(ALONG_SHORTER ? e / NARROW : e % shape<NARROW>::wide),
          n(ALONG_SHORTER ? e % NARROW : e / shape<NARROW>::wide)
    {
    }
};

// A block transposes one tile. ACROSS: the source is contiguous along the shorter side and the
// result along the longer side; else the reverse. Every element is read and written once.
// Adjacent threads read, and then write, adjacent elements of the contiguous side.
template <class S, class T, int NARROW, bool ACROSS>
__global__ void __launch_bounds__(gs_block_size)
    transpose_tiles(int32_t longer, int32_t shorter, int64_t tiles_wide, const S *from,
                    int64_t stride, T *to, int64_t step, gs_guard guard)
{
    using tile = shape<NARROW>;
    __shared__ T buffer[tile::wide * tile::line];
    const int64_t w0 = blockIdx.x % tiles_wide * tile::wide;
    const int n0 = (int)(blockIdx.x / tiles_wide) * NARROW;
    const int wide = (int)min((int64_t)tile::wide, longer - w0), narrow = min(NARROW, shorter - n0);
    T item[tile::each];

    if (guard.has_ended()) return;
    from += ACROSS ? w0 * stride + n0 : n0 * stride + w0;
    to += ACROSS ? n0 * step + w0 : w0 * step + n0;
#pragma unroll
    for (int u = 0; u < tile::each; u++) {
        const place<NARROW, ACROSS> at(u * gs_block_size + (int)threadIdx.x);
        const S *read = from + (ACROSS ? at.w * stride + at.n : at.n * stride + at.w);
        item[u] = at.w < wide && at.n < narrow ? (T)__ldcs(read) : T(0);
    }
#pragma unroll
    for (int u = 0; u < tile::each; u++) {
        const place<NARROW, ACROSS> at(u * gs_block_size + (int)threadIdx.x);
        buffer[at.w * tile::line + at.n] = item[u];
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < tile::each; u++) {
        const place<NARROW, !ACROSS> at(u * gs_block_size + (int)threadIdx.x);
        T *written = to + (ACROSS ? at.n * step + at.w : at.w * step + at.n);
        if (at.w < wide && at.n < narrow) *written = buffer[at.w * tile::line + at.n];
    }
}

template <class S, class T, int NARROW>
gsolve_status launch(gs_queue *q, int32_t rows, int32_t columns, const S *from, int64_t stride,
                     T *to, int64_t step)
{
    constexpr int wide = shape<NARROW>::wide;
    const bool across = rows >= columns;
    const int32_t shorter = across ? columns : rows, longer = across ? rows : columns;
    const int64_t tiles_wide = ((int64_t)longer + wide - 1) / wide;
    const int64_t tiles = tiles_wide * (((int64_t)shorter + NARROW - 1) / NARROW);
    const auto kernel =
        across ? transpose_tiles<S, T, NARROW, true> : transpose_tiles<S, T, NARROW, false>;

    if (tiles > INT32_MAX) {
        return gsolve_fail(q->ctx, GSOLVE_UNSUPPORTED,
                           "cannot transpose a block of %d x %d numbers: it has 2^31 tiles or more",
                           rows, columns);
    }
    return gs_launch_pdl(q, "changing the layout", kernel, (int)tiles, gs_block_size, longer,
                         shorter, tiles_wide, from, stride, to, step);
}

template <class S, class T>
gsolve_status transpose_from(gs_queue *q, int32_t rows, int32_t columns, const void *all,
                             int64_t stride, void *others, int64_t step)
{
    const int32_t shorter = rows < columns ? rows : columns;
    const S *from = (const S *)all;
    T *to = (T *)others;

    if (shorter == 0) return GSOLVE_OK;
    if (shorter <= 2) return launch<S, T, 2>(q, rows, columns, from, stride, to, step);
    if (shorter <= 4) return launch<S, T, 4>(q, rows, columns, from, stride, to, step);
    if (shorter <= 8) return launch<S, T, 8>(q, rows, columns, from, stride, to, step);
    if (shorter <= 16) return launch<S, T, 16>(q, rows, columns, from, stride, to, step);
    return launch<S, T, most_narrow>(q, rows, columns, from, stride, to, step);
}

template <class T>
gsolve_status transpose(gs_queue *q, int32_t rows, int32_t columns, gsolve_type type,
                        const void *from, int64_t stride, void *to, int64_t step)
{
    return type == GSOLVE_F32 ? transpose_from<float, T>(q, rows, columns, from, stride, to, step)
                              : transpose_from<double, T>(q, rows, columns, from, stride, to, step);
}

} // namespace

extern "C" const gs_layout_kernels gs_layout_cuda[GSOLVE_TYPE_COUNT] = {{transpose<float>},
                                                                        {transpose<double>}};
