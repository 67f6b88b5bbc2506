// sort_cuda.cu: radix sorts of arrays on the device, see sort.cuh.
#include "core/sort.cuh"

#include <cub/device/device_radix_sort.cuh>

using sorts = cub::DeviceRadixSort;

namespace
{

template <class K, class V, class N>
cudaError_t sort_buffers(void *space, size_t &bytes, gs_double_buffer<K> &key,
                         gs_double_buffer<V> &value, N n, int bits, cudaStream_t stream)
{
    cub::DoubleBuffer<K> keys(key.array[key.current], key.array[1 - key.current]);
    cub::DoubleBuffer<V> values(value.array[value.current], value.array[1 - value.current]);
    const cudaError_t code = sorts::SortPairs(space, bytes, keys, values, n, 0, bits, stream);

    if (keys.selector) key.current = 1 - key.current;
    if (values.selector) value.current = 1 - value.current;
    return code;
}

} // namespace

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<uint32_t> key,
                          gs_reordered<int32_t> value, int32_t n, int bits, cudaStream_t stream)
{
    return sorts::SortPairs(space, bytes, key.from, key.to, value.from, value.to, n, 0, bits,
                            stream);
}

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<uint64_t> key,
                          gs_reordered<int32_t> value, int32_t n, int bits, cudaStream_t stream)
{
    return sorts::SortPairs(space, bytes, key.from, key.to, value.from, value.to, n, 0, bits,
                            stream);
}

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<int32_t> key,
                          gs_reordered<int32_t> value, int64_t n, int bits, cudaStream_t stream)
{
    return sorts::SortPairs(space, bytes, key.from, key.to, value.from, value.to, n, 0, bits,
                            stream);
}

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<int32_t> key,
                          gs_reordered<int64_t> value, int64_t n, int bits, cudaStream_t stream)
{
    return sorts::SortPairs(space, bytes, key.from, key.to, value.from, value.to, n, 0, bits,
                            stream);
}

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_double_buffer<uint32_t> &key,
                          gs_double_buffer<uint64_t> &value, int64_t n, int bits,
                          cudaStream_t stream)
{
    return sort_buffers(space, bytes, key, value, n, bits, stream);
}

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_double_buffer<unsigned long long> &key,
                          gs_double_buffer<uint64_t> &value, int64_t n, int bits,
                          cudaStream_t stream)
{
    return sort_buffers(space, bytes, key, value, n, bits, stream);
}

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_double_buffer<unsigned long long> &key,
                          gs_double_buffer<uint32_t> &value, int64_t n, int bits,
                          cudaStream_t stream)
{
    return sort_buffers(space, bytes, key, value, n, bits, stream);
}

cudaError_t gs_sort_pairs_descending(void *space, size_t &bytes, gs_reordered<int32_t> key,
                                     gs_reordered<int32_t> value, int32_t n, int bits,
                                     cudaStream_t stream)
{
    return sorts::SortPairsDescending(space, bytes, key.from, key.to, value.from, value.to, n, 0,
                                      bits, stream);
}

cudaError_t gs_sort_keys(void *space, size_t &bytes, gs_reordered<uint64_t> key, int32_t n,
                         int bits, cudaStream_t stream)
{
    return sorts::SortKeys(space, bytes, key.from, key.to, n, 0, bits, stream);
}
