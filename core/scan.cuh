// scan.cuh: prefix sums of arrays on the device and selections from them, by CUB. scan_cuda.cu
// alone includes CUB's headers, which cost seconds of compilation in each file that does. As in
// CUB, a call with space == nullptr only sets bytes, the scratch memory that the same call needs at
// space.
#ifndef GS_CORE_SCAN_CUH
#define GS_CORE_SCAN_CUH

#include "core/cuda.cuh"

// The templates exist for 32-bit and 64-bit integers.

// out[i] = in[0] + ... + in[i - 1] for i < n, added in the wider of both types; out may be in.
template <class T, class S>
cudaError_t gs_exclusive_sum(void *space, size_t &bytes, const T *in, S *out, int64_t n,
                             cudaStream_t stream);

// gs_exclusive_sum with its scratch memory. If last is not NULL: *last, on the host, = out[n - 1];
// this waits for the device.
template <class I, class O>
gsolve_status gs_scan(gsolve_context *ctx, const char *what, const I *in, O *out, int64_t n,
                      O *last = nullptr)
{
    const gsolve_status status = gs_with_space(ctx, what, [&](void *space, size_t &bytes) {
        return gs_exclusive_sum(space, bytes, in, out, n, ctx->queue->stream);
    });

    if (status != GSOLVE_OK || !last) return status;
    return gsolve_copy(ctx, last, GSOLVE_HOST, out + n - 1, GSOLVE_DEVICE, sizeof *last);
}

// *out = in[0] + ... + in[n - 1].
cudaError_t gs_sum(void *space, size_t &bytes, const int64_t *in, int64_t *out, int32_t n,
                   cudaStream_t stream);

// A row is long if it has more than most entries and, where tile > 0, it and the next row begin in
// different tiles. Row i begins at start[i] + i; tile t is from t tile to (t + 1) tile.
template <class O>
struct gs_long_rows {
    const O *start;
    int64_t most, tile;

    __device__ int64_t begin(int32_t i) const { return (int64_t)start[i] + i; }
    __device__ bool operator()(int32_t i) const
    {
        return (int64_t)start[i + 1] - (int64_t)start[i] > most &&
               (tile == 0 || begin(i) / tile != begin(i + 1) / tile);
    }
};

// row = the numbers of the long rows among n rows, ascending; *count = their number.
template <class O>
cudaError_t gs_select_long(void *space, size_t &bytes, gs_long_rows<O> are_long, int32_t *row,
                           int32_t *count, int32_t n, cudaStream_t stream);

// head = the numbers k < n, ascending, where k is 0 or key[k] differs from key[k - 1]; *count =
// their number.
template <class K>
cudaError_t gs_select_heads(void *space, size_t &bytes, const K *key, uint32_t *head,
                            int64_t *count, int64_t n, cudaStream_t stream);

// out = in without the elements that equal the element before; *count = their number. out and in
// are different arrays.
cudaError_t gs_select_unique(void *space, size_t &bytes, const uint64_t *in, uint64_t *out,
                             int32_t *count, int32_t n, cudaStream_t stream);

#endif
