// subwarps.cuh: products with several columns of which x lies by rows: all that an entry multiplies
// is one piece of memory, which a few threads of a warp, a subwarp, read in packs. Columns that are
// too many for a subwarp are cut into chunks; the same rows with their chunks are neighbours among
// the warps, so that what is read of A comes once from the memory.
#ifndef GS_SPMV_MULTI_RHS_SUBWARPS_CUH
#define GS_SPMV_MULTI_RHS_SUBWARPS_CUH

#include "core/cuda.cuh"

namespace gs_subwarps
{

constexpr unsigned whole_warp = 0xffffffffu;

template <class T>
struct block_operands {
    const T *x;
    T *y;
    int64_t xstride, ystride; // xstride of 32 bits where x lies by rows
    int columns, chunks;
    bool rows; // y lies by rows
    T alpha, beta;
};

// y = alpha sum + beta y
template <class T>
__device__ void finish(const block_operands<T> &a, T *y, T sum)
{
    *y = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * *y;
}

// What a warp works on by its number among all warps after the first blocks, and its chunk.
struct chunk_of_work {
    int64_t at;
    int chunk;

    __device__ explicit chunk_of_work(int chunks, int blocks_before = 0)
    {
        const int64_t thread =
            (int64_t)((int)blockIdx.x - blocks_before) * blockDim.x + threadIdx.x;
        const int64_t warp = thread / 32;
        at = chunks == 1 ? warp : warp / chunks;
        chunk = (int)(warp - at * chunks);
    }
};

// A thread of a subwarp of G, which reads packs of W.
template <class T, int W, int G>
struct member {
    static constexpr int subwarps = 32 / G;
    int subwarp, column; // of the warp's; first column of its pack
    bool idle;           // there is no such column: it reads the first one
    int32_t stride;
    const T *x; // its column

    __device__ member(const block_operands<T> &a, int chunk)
        : subwarp((int)threadIdx.x % 32 / G), column((chunk * G + (int)threadIdx.x % G) * W),
          idle(column >= a.columns), stride((int32_t)a.xstride), x(a.x + (idle ? 0 : column))
    {
    }
    // Row c's pack, so many numbers after the first.
    __device__ __forceinline__ gs_pack<T, W> read(int32_t c, int after = 0) const
    {
        const T *from = x + (int64_t)c * stride + after;
        gs_pack<T, W> v;

        if constexpr (sizeof v == sizeof(int4)) {
            const int4 raw = __ldg((const int4 *)from);
            memcpy(&v, &raw, sizeof v);
        } else {
            for (int w = 0; w < W; w++) v.v[w] = __ldg(&from[w]);
        }
        return v;
    }
    // The same; c -1: zeros
    __device__ __forceinline__ gs_pack<T, W> read_if(int32_t c, int after = 0) const
    {
        return c >= 0 ? read(c, after) : gs_pack<T, W>{};
    }
};

// A pack of row i of y, of the columns from the first on.
template <class T, int W>
__device__ __forceinline__ void finish_columns(const block_operands<T> &a, int first, int64_t i,
                                               const T (&sum)[W])
{
    if (!a.rows) {
#pragma unroll
        for (int w = 0; w < W; w++) finish(a, a.y + (first + w) * a.ystride + i, sum[w]);
        return;
    }
    T *y = a.y + i * a.ystride + first;
    gs_pack<T, W> v = {};
    if (a.beta != 0) v = gs_load<W>(y, 0);
#pragma unroll
    for (int w = 0; w < W; w++) finish(a, &v.v[w], sum[w]);
    gs_store<W>(y, 0, v);
}

template <class T, int W, int G>
__device__ __forceinline__ void finish_pack(const block_operands<T> &a, const member<T, W, G> &m,
                                            int64_t i, const T (&sum)[W])
{
    finish_columns(a, m.column, i, sum);
}

// The sums of so many neighbouring lanes' subwarps (2 farthest), in all of them.
template <class T, int W, int G>
__device__ void add_subwarps(T (&sum)[W], int farthest)
{
    for (int d = farthest; d >= G; d /= 2) {
#pragma unroll
        for (int w = 0; w < W; w++) sum[w] += __shfl_xor_sync(whole_warp, sum[w], d);
    }
}

// Whether this warp brings the last of so many parts of something, whose sums have been written;
// done: how many are there.
__device__ inline bool is_last(int parts, unsigned *done)
{
    unsigned before = 0;

    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) before = atomicAdd(done, 1u);
    before = __shfl_sync(whole_warp, before, 0);
    if (before != (unsigned)parts - 1) return false;
    __threadfence();
    if (threadIdx.x % 32 == 0) *done = 0;
    return true;
}

// Whether packs of 16 bytes can be read and written.
template <class T>
bool takes_packs(const block_operands<T> &a)
{
    constexpr int wide = gs_wide<T>;

    return a.columns % wide == 0 && gs_aligned(a.x) && a.xstride % wide == 0 &&
           (!a.rows || (gs_aligned(a.y) && a.ystride % wide == 0));
}

} // namespace gs_subwarps

#endif
