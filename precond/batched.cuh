// batched.cuh: row numbers of the elements of a row-major dense block, for kernels that are batched
// over right-hand sides.
#ifndef GS_PRECOND_BATCHED_CUH
#define GS_PRECOND_BATCHED_CUH

#include "core/cuda.cuh"

// The row of element k, if each row has `count` elements.
struct gs_row_of_element {
    uint32_t columns;
    int shift; // columns = 1 << shift; negative: not a power of two
    bool wide; // the block has 2^32 elements or more

    explicit gs_row_of_element(int64_t n, int32_t count) : columns((uint32_t)count), shift(-1)
    {
        for (int s = 0; s < 31; s++) shift = count == 1 << s ? s : shift;
        wide = n * count > (int64_t)UINT32_MAX;
    }
    __device__ int64_t operator()(int64_t k) const
    {
        if (shift >= 0) return k >> shift;
        return wide ? k / columns : (uint32_t)k / columns;
    }
};

#endif
