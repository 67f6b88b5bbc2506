// subwarps.cuh: products with several columns on a GPU. This file has what does not depend on how a
// format stores entries: the operands, packs of neighbouring columns, the sums of parts of long
// rows, the launch. A format adds a walker, which reads the entries of a row, a slice's lane, a
// segment or a block row.
//
// With a row-major x, all elements of x that an entry multiplies lie together, and the threads of a
// subwarp read them: thread t of a subwarp of G threads reads pack t, that is W neighbouring
// elements. There are two ways to choose G:
// - at compile time (csr, slices): more columns than a subwarp has are cut into chunks. The warps
// of
//   one row's chunks have neighbouring numbers, so what they read of A comes from memory once and
//   from the caches for the other chunks.
// - at run time (bsr, segmented, ellr), from the number of columns: see subwarp_rows.cuh.
#ifndef GS_SPMV_MULTI_RHS_SUBWARPS_CUH
#define GS_SPMV_MULTI_RHS_SUBWARPS_CUH

#include "core/pdl.cuh"

extern "C" {
#include "spmv/multi_rhs/long_rows.h"
}

namespace gs_subwarps
{

constexpr unsigned all_lanes_of_warp = 0xffffffffu;

// --- operands ---------------------------------------------------------------------------------

// y = alpha A x + beta y for the columns of one pass.
template <class T>
struct block_operands {
    const T *x;
    T *y, *partial;           // partial: `pitch` sums for each index
    int64_t xstride, ystride; // xstride fits into 32 bits where x is row-major
    T alpha, beta;
    int columns;
    int chunks;        // with G at compile time: of the columns
    int pitch, shift;  // with G at run time: of partial; G = 1 << shift
    bool xrows, yrows; // x, y are row-major
};

// The operands with all columns, and the memory for partial sums.
template <class T>
block_operands<T> operands_of(double alpha, gsolve_dense x, double beta, gsolve_dense y,
                              void *sums = nullptr)
{
    return {(const T *)x.value,
            (T *)y.value,
            (T *)sums,
            x.stride,
            y.stride,
            (T)alpha,
            (T)beta,
            x.ncols,
            1,
            x.ncols,
            0,
            x.layout == GSOLVE_ROW_MAJOR,
            y.layout == GSOLVE_ROW_MAJOR};
}

// The operands from column `first` on, at most `most` columns.
template <class T>
block_operands<T> some_columns(block_operands<T> a, int first, int most)
{
    a.x += a.xrows ? first : first * a.xstride;
    a.y += a.yrows ? first : first * a.ystride;
    a.partial += first;
    a.columns = a.columns - first < most ? a.columns - first : most;
    return a;
}

// Whether packs of 16 bytes can be read and written.
template <class T>
bool takes_packs(const block_operands<T> &a)
{
    constexpr int wide = gs_wide<T>;

    return a.columns % wide == 0 && gs_aligned(a.x) && a.xstride % wide == 0 &&
           (!a.yrows || (gs_aligned(a.y) && a.ystride % wide == 0));
}

// y = alpha sum + beta y
template <class T>
__device__ void finish(const block_operands<T> &a, T *y, T sum)
{
    *y = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * *y;
}

// y = alpha sum + beta y for W columns of row i, from column `first` on.
template <class T, int W>
__device__ __forceinline__ void finish_columns(const block_operands<T> &a, int first, int64_t i,
                                               const T (&sum)[W])
{
    if (!a.yrows) {
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

// Reads W neighbouring numbers, with one load where they are 16 bytes.
template <int W, class T>
__device__ __forceinline__ void read_piece(const T *x, T (&piece)[W])
{
    if constexpr (W * sizeof(T) == 16) {
        const uint4 got = __ldg((const uint4 *)x);
        memcpy(piece, &got, sizeof got);
    } else {
#pragma unroll
        for (int w = 0; w < W; w++) piece[w] = __ldg(&x[w]);
    }
}

// --- subwarps of G threads --------------------------------------------------------------------

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
    // W elements of row c of x, `after` elements past the thread's column; zeros if c is -1.
    __device__ __forceinline__ gs_pack<T, W> read_if(int32_t c, int after = 0) const
    {
        gs_pack<T, W> v = {};

        if (c >= 0) read_piece<W>(x + (int64_t)c * stride + after, v.v);
        return v;
    }
};

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

// --- parts of long rows -----------------------------------------------------------------------

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

// If this warp finishes last among the parts of a row: makes sum, the sum of part number `at` in
// every subwarp of the warp, the sum of the row, and calls finish(). A thread has P packs, G W
// columns apart. own: its first column in the sums of part 0; step: distance from a part to the
// next. Subwarp s of n adds parts s, s + n, ... of the row in their order, then the subwarps' sums
// are added.
template <int G, class T, int P, int W, class Finish>
__device__ __forceinline__ void finish_part(const gs_row_part &part, int64_t at, T *own,
                                            int64_t step, unsigned *done, T (&sum)[P][W],
                                            Finish finish)
{
    constexpr int subwarps = 32 / G;
    const int subwarp = (int)threadIdx.x % 32 / G;

    if (part.parts > 1) {
#pragma unroll
        for (int p = 0; p < P && subwarp == 0; p++) {
            for (int w = 0; w < W; w++) own[at * step + p * G * W + w] = sum[p][w];
        }
        if (!is_last(part.parts, done)) return;
#pragma unroll
        for (int p = 0; p < P; p++) {
#pragma unroll
            for (int w = 0; w < W; w++) sum[p][w] = 0;
        }
        for (int k = subwarp; k < part.parts; k += subwarps) {
#pragma unroll
            for (int p = 0; p < P; p++) {
#pragma unroll
                for (int w = 0; w < W; w++) {
                    sum[p][w] += __ldcg(&own[(part.first + k) * step + p * G * W + w]);
                }
            }
        }
#pragma unroll
        for (int p = 0; p < P; p++) add_subwarps<T, W, G>(sum[p], 16);
    }
    finish();
}

// --- launches ---------------------------------------------------------------------------------

// Launches a kernel for that many columns, unless it needs too many blocks.
template <class... P, class... A>
gsolve_status launch_columns(gs_queue *q, const char *name, void (*kernel)(P...), int64_t grid,
                             int threads, int columns, A... arguments)
{
    if (grid > INT32_MAX) {
        return gsolve_fail(q->ctx, GSOLVE_UNSUPPORTED,
                           "a product with %d columns needs 2^31 thread blocks or more; multiply "
                           "fewer columns at a time",
                           columns);
    }
    return gs_launch_pdl(q, name, kernel, (int)grid, threads, arguments...);
}

} // namespace gs_subwarps

#endif
