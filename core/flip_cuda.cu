// flip_cuda.cu: dense blocks from one layout to the other on a GPU, by tiles in shared memory,
// which are read and written along what lies side by side. One of the two sides is the number of
// right-hand sides: tiles are as long along the other as there is room.
#include "core/cuda.cuh"

extern "C" {
#include "core/flip.h"
}

namespace
{

constexpr int most_narrow = 32;  // of the shorter side in a tile
constexpr int tile_items = 2048; // in a tile

// Tiles of wide x narrow items, wide along the longer side; TALL: rows are that side. Numbers of a
// tile are counted along what is read, and then along what is written, together.
template <class S, class T, bool TALL>
__global__ void __launch_bounds__(gs_block_size)
    flip_tiles(int32_t rows, int32_t columns, int wide, int narrow, int64_t tiles_wide,
               const S *from, int64_t stride, T *to, int64_t step, const int *ended)
{
    __shared__ T tile[tile_items + most_narrow]; // narrow lines of wide + 1
    const int64_t w0 = blockIdx.x % tiles_wide * wide, n0 = blockIdx.x / tiles_wide * narrow;
    const int height = (int)min((int64_t)(TALL ? wide : narrow), rows - (TALL ? w0 : n0));
    const int width = (int)min((int64_t)(TALL ? narrow : wide), columns - (TALL ? n0 : w0));
    const int items = height * width;

    if (ended && *ended) return;
    from += (TALL ? w0 : n0) * stride + (TALL ? n0 : w0);
    to += (TALL ? n0 : w0) * step + (TALL ? w0 : n0);
    for (int e = (int)threadIdx.x; e < items; e += gs_block_size) {
        const int r = e / width, c = e % width;
        tile[TALL ? c * (wide + 1) + r : r * (wide + 1) + c] = (T)from[r * stride + c];
    }
    __syncthreads();
    for (int e = (int)threadIdx.x; e < items; e += gs_block_size) {
        const int c = e / height, r = e % height;
        to[c * step + r] = tile[TALL ? c * (wide + 1) + r : r * (wide + 1) + c];
    }
}

template <class S, class T>
gsolve_status flip_from(gs_queue *q, int32_t rows, int32_t columns, const void *from,
                        int64_t stride, void *to, int64_t step)
{
    const bool tall = rows >= columns;
    const int32_t shorter = tall ? columns : rows, longer = tall ? rows : columns;
    if (shorter == 0) return GSOLVE_OK;
    const int narrow = shorter < most_narrow ? shorter : most_narrow, wide = tile_items / narrow;
    const int64_t tiles_wide = ((int64_t)longer + wide - 1) / wide;
    const int64_t tiles = tiles_wide * (((int64_t)shorter + narrow - 1) / narrow);
    const auto kernel = tall ? flip_tiles<S, T, true> : flip_tiles<S, T, false>;

    if (tiles > INT32_MAX) {
        return gsolve_fail(q->ctx, GSOLVE_UNSUPPORTED,
                           "a block of %d x %d numbers has more than 2^31 tiles", rows, columns);
    }
    return gs_launch(q, "the other layout", kernel, (int)tiles, gs_block_size, rows, columns, wide,
                     narrow, tiles_wide, (const S *)from, stride, (T *)to, step, q->guard);
}

template <class T>
gsolve_status flip(gs_queue *q, int32_t rows, int32_t columns, gsolve_type type, const void *from,
                   int64_t stride, void *to, int64_t step)
{
    return type == GSOLVE_F32 ? flip_from<float, T>(q, rows, columns, from, stride, to, step)
                              : flip_from<double, T>(q, rows, columns, from, stride, to, step);
}

} // namespace

extern "C" const gs_flip_kernels gs_flip_cuda[GSOLVE_TYPE_COUNT] = {{flip<float>}, {flip<double>}};
