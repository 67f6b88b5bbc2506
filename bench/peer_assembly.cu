// peer_assembly.cu: see peer_assembly.h. Every call is checked; a failure travels as an exception
// to the function that C calls.
#include "bench/peer_assembly.h"

#include <cstdio>
#include <stdexcept>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <cuda_runtime.h>
#include <thrust/iterator/permutation_iterator.h>

namespace
{

typedef unsigned long long sort_key;

void check(cudaError_t code)
{
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

template <class T>
void allocate(T *&array, size_t count)
{
    check(cudaMalloc(&array, (count + 1) * sizeof(T)));
}

int bits_of(int64_t n)
{
    int bits = 1;
    while (n >> bits) bits++;
    return bits;
}

} // namespace

struct peer_assembly {
    int64_t count = 0;
    int bits = 0;
    cudaStream_t stream = nullptr;
    sort_key *key = nullptr, *sorted = nullptr, *unique = nullptr, *again = nullptr;
    uint32_t *number = nullptr, *order = nullptr;
    double *moved = nullptr;
    int64_t *entries = nullptr;
    void *space = nullptr;
    size_t bytes = 0;

    ~peer_assembly()
    {
        void *const all[] = {key, sorted, unique, again, number, order, moved, entries, space};
        for (void *array : all) cudaFree(array);
    }

    cudaError_t sort_order(void *at, size_t &size)
    {
        return cub::DeviceRadixSort::SortPairs(at, size, key, sorted, number, order, count, 0, bits,
                                               stream);
    }

    cudaError_t sort_values(void *at, size_t &size, const double *value)
    {
        return cub::DeviceRadixSort::SortPairs(at, size, key, again, value, moved, count, 0, bits,
                                               stream);
    }

    template <class Values>
    cudaError_t reduce(void *at, size_t &size, const sort_key *keys, Values values, double *sums)
    {
        return cub::DeviceReduce::ReduceByKey(at, size, keys, unique, values, sums, entries,
                                              cuda::std::plus<>(), count, stream);
    }

    cudaError_t reduce_kept(void *at, size_t &size, const double *value, double *sums)
    {
        return reduce(at, size, sorted, thrust::make_permutation_iterator(value, order), sums);
    }

    void take(size_t size)
    {
        if (size > bytes) bytes = size;
    }

    void open(const int32_t *row, const int32_t *col, int32_t nrows, int32_t ncols)
    {
        const int shift = bits_of(ncols);
        std::vector<sort_key> keys(count);
        std::vector<uint32_t> numbers(count);
        size_t size = 0;

        bits = shift + bits_of(nrows);
        for (int64_t k = 0; k < count; k++) {
            keys[k] = (sort_key)row[k] << shift | (sort_key)col[k];
            numbers[k] = (uint32_t)k;
        }
        allocate(key, count), allocate(sorted, count), allocate(unique, count);
        allocate(again, count), allocate(number, count), allocate(order, count);
        allocate(moved, count), allocate(entries, 1);
        check(cudaMemcpy(key, keys.data(), count * sizeof(sort_key), cudaMemcpyHostToDevice));
        check(cudaMemcpy(number, numbers.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice));
        check(sort_order(nullptr, size)), take(size);
        check(sort_values(nullptr, size, moved)), take(size);
        check(reduce(nullptr, size, again, moved, moved)), take(size);
        check(reduce_kept(nullptr, size, moved, moved)), take(size);
        check(cudaMalloc(&space, bytes + 1));
        size = bytes;
        check(sort_order(space, size));
    }

    void run(peer_sum how, const double *value, double *sums)
    {
        size_t size = bytes;

        if (how == PEER_KEPT) return check(reduce_kept(space, size, value, sums));
        check(sort_values(space, size, value));
        check(reduce(space, size, again, moved, sums));
    }
};

extern "C" peer_assembly *peer_assembly_open(int64_t count, const int32_t *row, const int32_t *col,
                                             int32_t nrows, int32_t ncols, void *stream,
                                             char why[256])
{
    peer_assembly *peer = new peer_assembly;

    peer->count = count;
    peer->stream = (cudaStream_t)stream;
    try {
        peer->open(row, col, nrows, ncols);
        return peer;
    } catch (const std::exception &error) {
        snprintf(why, 256, "%s", error.what());
        delete peer;
        return nullptr;
    }
}

extern "C" void peer_assembly_close(peer_assembly *peer)
{
    delete peer;
}

extern "C" bool peer_assembly_run(peer_assembly *peer, peer_sum how, const double *value,
                                  double *sums, char why[256])
{
    try {
        peer->run(how, value, sums);
        return true;
    } catch (const std::exception &error) {
        snprintf(why, 256, "%s", error.what());
        return false;
    }
}
