// scan_cuda.cu: prefix sums of arrays on the device and selections from them, see scan.cuh.
#include "core/scan.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <type_traits>

template <class T, class S>
cudaError_t gs_exclusive_sum(void *space, size_t &bytes, const T *in, S *out, int64_t n,
                             cudaStream_t stream)
{
    using sum = std::conditional_t<(sizeof(T) > sizeof(S)), T, S>;

    return cub::DeviceScan::ExclusiveScan(space, bytes, in, out, cuda::std::plus<>(), sum(0), n,
                                          stream);
}

template cudaError_t gs_exclusive_sum(void *, size_t &, const int32_t *, int32_t *, int64_t,
                                      cudaStream_t);
template cudaError_t gs_exclusive_sum(void *, size_t &, const int32_t *, int64_t *, int64_t,
                                      cudaStream_t);
template cudaError_t gs_exclusive_sum(void *, size_t &, const int64_t *, int64_t *, int64_t,
                                      cudaStream_t);
template cudaError_t gs_exclusive_sum(void *, size_t &, const int64_t *, int32_t *, int64_t,
                                      cudaStream_t);

cudaError_t gs_sum(void *space, size_t &bytes, const int64_t *in, int64_t *out, int32_t n,
                   cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(space, bytes, in, out, n, stream);
}

template <class O>
cudaError_t gs_select_long(void *space, size_t &bytes, gs_long_rows<O> are_long, int32_t *row,
                           int32_t *count, int32_t n, cudaStream_t stream)
{
    const thrust::counting_iterator<int32_t> rows(0);

    return cub::DeviceSelect::If(space, bytes, rows, row, count, n, are_long, stream);
}

template cudaError_t gs_select_long(void *, size_t &, gs_long_rows<int32_t>, int32_t *, int32_t *,
                                    int32_t, cudaStream_t);
template cudaError_t gs_select_long(void *, size_t &, gs_long_rows<int64_t>, int32_t *, int32_t *,
                                    int32_t, cudaStream_t);

namespace
{

template <class K>
struct is_head {
    const K *key;
    __device__ bool operator()(uint32_t k) const { return k == 0 || key[k] != key[k - 1]; }
};

} // namespace

template <class K>
cudaError_t gs_select_heads(void *space, size_t &bytes, const K *key, uint32_t *head,
                            int64_t *count, int64_t n, cudaStream_t stream)
{
    const thrust::counting_iterator<uint32_t> all(0);

    return cub::DeviceSelect::If(space, bytes, all, head, count, n, is_head<K>{key}, stream);
}

template cudaError_t gs_select_heads(void *, size_t &, const uint32_t *, uint32_t *, int64_t *,
                                     int64_t, cudaStream_t);
template cudaError_t gs_select_heads(void *, size_t &, const unsigned long long *, uint32_t *,
                                     int64_t *, int64_t, cudaStream_t);

cudaError_t gs_select_unique(void *space, size_t &bytes, const uint64_t *in, uint64_t *out,
                             int32_t *count, int32_t n, cudaStream_t stream)
{
    return cub::DeviceSelect::Unique(space, bytes, in, out, count, n, stream);
}
