// subwarps.cuh: products with several columns on a GPU, x row-major. All elements of x that an
// entry multiplies lie together, and the threads of a subwarp read them: thread t of a subwarp of G
// threads reads pack t, that is W neighbouring elements. More columns than G W are cut into chunks.
// The warps of one row's chunks have neighbouring numbers, so what they read of A comes from memory
// once and from the caches for the other chunks.
#ifndef GS_SPMV_MULTI_RHS_SUBWARPS_CUH
#define GS_SPMV_MULTI_RHS_SUBWARPS_CUH

#include "core/cuda.cuh"

namespace gs_subwarps
{

constexpr unsigned all_lanes_of_warp = 0xffffffffu;

template <class T>
struct block_operands {
    const T *x;
    T *y;
    int64_t xstride, ystride; // xstride fits into 32 bits where x is row-major
    int columns, chunks;
    bool rows; // y is row-major
    T alpha, beta;
};

// y = alpha sum + beta y
template <class T>
__device__ void finish(const block_operands<T> &a, T *y, T sum)
{
    *y = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * *y;
}

// The work of this warp: number `at` and a chunk of columns. Warps are numbered after the first
// blocks_before blocks.
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

// A thread of a subwarp of G threads. It owns W columns, from `column` on.
template <class T, int W, int G>
struct member {
    static constexpr int subwarps = 32 / G;
    int subwarp, column; // number of the subwarp in the warp; first column of the thread
    bool idle;           // the thread has no column and reads those of thread 0
    int32_t stride;
    const T *x; // the thread's first column of x

    __device__ member(const block_operands<T> &a, int chunk)
        : subwarp((int)threadIdx.x % 32 / G), column((chunk * G + (int)threadIdx.x % G) * W),
          idle(column >= a.columns), stride((int32_t)a.xstride), x(a.x + (idle ? 0 : column))
    {
    }
    // W elements of row c of x, `after` elements past the thread's column.
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
    // read(c, after), or zeros if c is -1.
    __device__ __forceinline__ gs_pack<T, W> read_if(int32_t c, int after = 0) const
    {
        return c >= 0 ? read(c, after) : gs_pack<T, W>{};
    }
};

// y = alpha sum + beta y for W columns of row i, from column `first` on.
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

// Adds the sums of subwarps whose lanes differ by G to `farthest`, powers of two. Every subwarp
// gets the result.
template <class T, int W, int G>
__device__ void add_subwarps(T (&sum)[W], int farthest)
{
    for (int d = farthest; d >= G; d /= 2) {
#pragma unroll
        for (int w = 0; w < W; w++) sum[w] += __shfl_xor_sync(all_lanes_of_warp, sum[w], d);
    }
}

// Whether this warp finishes the last of `parts` parts. The warp has written the sum of its part.
// *done counts the finished parts and is reset by the last warp.
__device__ inline bool is_last(int parts, unsigned *done)
{
    unsigned before = 0;

    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) before = atomicAdd(done, 1u);
    before = __shfl_sync(all_lanes_of_warp, before, 0);
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
