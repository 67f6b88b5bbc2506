// rows.cuh: shared by the kernels on compressed rows: offsets of 32 or 64 bits, hash tables of
// columns, the offsets of a result.
#ifndef GS_SPGEMM_ROWS_CUH
#define GS_SPGEMM_ROWS_CUH

#include "core/scan.cuh"

extern "C" {
#include "core/try.h"
}

namespace gs_rows
{

constexpr unsigned all_lanes = 0xffffffffu;

// Compressed rows as kernels see them, with offsets of 32 or 64 bits.
struct rows_of {
    const void *start;
    const int32_t *col;
    const void *value;
    bool wide;

    rows_of(const gsolve_csr *csr)
        : start(csr->start), col(csr->col), value(csr->value), wide(csr->offset == GSOLVE_O64)
    {
    }
    __device__ int64_t begin(int64_t i) const
    {
        return wide ? static_cast<const int64_t *>(start)[i]
                    : (int64_t) static_cast<const int32_t *>(start)[i];
    }
    template <class T>
    __device__ T number(int64_t k) const
    {
        return static_cast<const T *>(value)[k];
    }
};

// C while a kernel writes it: its offsets are set, its columns and values are not.
template <class T>
struct rows_to_fill {
    rows_of C;
    int32_t *col;
    T *value;

    rows_to_fill(const gsolve_context *ctx, const gsolve_csr *csr)
        : C(csr), col((int32_t *)gs_owned_block(ctx, csr->col)),
          value((T *)gs_owned_block(ctx, csr->value))
    {
    }
};

// The inclusive prefix sum of x over groups of `lanes` lanes.
template <class N>
__device__ N running_sum(N x, int lanes)
{
    const int lane = (int)threadIdx.x % lanes;

    for (int d = 1; d < lanes; d *= 2) {
        const N below = __shfl_up_sync(all_lanes, x, d, lanes);
        if (lane >= d) x += below;
    }
    return x;
}

// f over the x of each group of `lanes` lanes, in all of them.
template <class N, class F>
__device__ N over_lanes(N x, int lanes, F f)
{
    for (int d = lanes / 2; d > 0; d /= 2) x = f(x, __shfl_xor_sync(all_lanes, x, d));
    return x;
}

struct sum_of {
    template <class N>
    __device__ N operator()(N x, N y) const
    {
        return x + y;
    }
};

struct least_of {
    template <class N>
    __device__ N operator()(N x, N y) const
    {
        return min(x, y);
    }
};

struct most_of {
    template <class N>
    __device__ N operator()(N x, N y) const
    {
        return max(x, y);
    }
};

// The first k of [low, high) that is not below, or high; below(k) holds for the first of them
// alone.
template <class N, class Below>
__device__ N first_not(N low, N high, Below below)
{
    while (low < high) {
        const N middle = low + (high - low) / 2;
        if (below(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The last k of [low, high) for which upto(k) holds; it holds for low, and for the first of them
// alone.
template <class N, class Upto>
__device__ N last_of(N low, N high, Upto upto)
{
    while (high - low > 1) {
        const N middle = low + (high - low) / 2;
        if (upto(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// A value type where kernels read columns alone.
struct nothing {
};

// Finds or inserts column j in a hash table of 2^bits places and returns its place. Free places
// hold -1. *fresh: this thread inserted it.
__device__ inline int place_in(int32_t *key, int bits, int32_t j, bool *fresh)
{
    const int last = (1 << bits) - 1;
    int place = (int)((uint32_t)j * 2654435769u >> (32 - bits));

    *fresh = false;
    for (;; place = (place + 1) & last) {
        int32_t there = *(volatile int32_t *)&key[place];
        if (there == j) return place;
        if (there >= 0) continue;
        there = atomicCAS(&key[place], -1, j);
        *fresh = there == -1;
        if (*fresh || there == j) return place;
    }
}

// Launches kernel on `grid` blocks with `bytes` bytes of dynamic shared memory each.
template <class... P, class... X>
gsolve_status launch_with(gs_queue *q, const char *name, void (*kernel)(P...), int64_t grid,
                          int threads, int bytes, X... arguments)
{
    constexpr int always_there = 48 << 10;
    cudaError_t code = cudaSuccess;

    if (grid == 0) return GSOLVE_OK;
    if (bytes > always_there) {
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    }
    if (code == cudaSuccess) {
        kernel<<<(unsigned)grid, (unsigned)threads, (size_t)bytes, q->stream>>>(P(arguments)...);
        code = cudaGetLastError();
    }
    return gs_cuda(q, code, name);
}

// Frees arrays on the device.
template <class... P>
void free_all(gsolve_context *ctx, P *...array)
{
    (gsolve_free(ctx, GSOLVE_DEVICE, array), ...);
}

// C's offsets = the exclusive prefix sums of count[0..C->nrows].
template <class N>
gsolve_status number_rows(gsolve_context *ctx, const N *count, const gsolve_csr *C)
{
    void *start = gs_owned_block(ctx, C->start);
    const int64_t n = (int64_t)C->nrows + 1;

    return C->offset == GSOLVE_O64
               ? gs_scan(ctx, "numbering entries", count, static_cast<int64_t *>(start), n)
               : gs_scan(ctx, "numbering entries", count, static_cast<int32_t *>(start), n);
}

} // namespace gs_rows

#endif
