// sort.cuh: radix sorts of arrays on the device, by CUB: stable, by the lowest bits of the keys.
// sort_cuda.cu alone includes CUB's headers, which cost seconds of compilation in each file that
// does. As in CUB, a call with space == nullptr only sets bytes, the scratch memory that the same
// call needs at space.
#ifndef GS_CORE_SORT_CUH
#define GS_CORE_SORT_CUH

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

// The input and the output of a sort.
template <class T>
struct gs_reordered {
    const T *from;
    T *to;
};

// Two arrays of one size that a sort uses alternately: the elements are in array[current], before
// the sort and after it.
template <class T>
struct gs_double_buffer {
    T *array[2];
    int current;
};

// Sorts n pairs of a key and a value by ascending keys.
cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<uint32_t> key,
                          gs_reordered<int32_t> value, int32_t n, int bits, cudaStream_t stream);
cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<uint64_t> key,
                          gs_reordered<int32_t> value, int32_t n, int bits, cudaStream_t stream);
cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<int32_t> key,
                          gs_reordered<int32_t> value, int64_t n, int bits, cudaStream_t stream);
cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_reordered<int32_t> key,
                          gs_reordered<int64_t> value, int64_t n, int bits, cudaStream_t stream);

// These variants need less scratch memory.
cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_double_buffer<uint32_t> &key,
                          gs_double_buffer<uint64_t> &value, int64_t n, int bits,
                          cudaStream_t stream);
cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_double_buffer<unsigned long long> &key,
                          gs_double_buffer<uint64_t> &value, int64_t n, int bits,
                          cudaStream_t stream);

cudaError_t gs_sort_pairs(void *space, size_t &bytes, gs_double_buffer<unsigned long long> &key,
                          gs_double_buffer<uint32_t> &value, int64_t n, int bits,
                          cudaStream_t stream);

// Sorts by descending keys.
cudaError_t gs_sort_pairs_descending(void *space, size_t &bytes, gs_reordered<int32_t> key,
                                     gs_reordered<int32_t> value, int32_t n, int bits,
                                     cudaStream_t stream);

// Sorts keys without values, ascending.
cudaError_t gs_sort_keys(void *space, size_t &bytes, gs_reordered<uint64_t> key, int32_t n,
                         int bits, cudaStream_t stream);

#endif
