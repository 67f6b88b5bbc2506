// batched.cuh: vectors of several columns by rows, taken number by number.
#ifndef GS_PRECOND_BATCHED_CUH
#define GS_PRECOND_BATCHED_CUH

#include "core/cuda.cuh"

// The row of number k where a row has so many side by side.
struct gs_row_of_element {
    uint32_t columns;
    int shift; // columns are 1 << shift, or it is negative
    bool wide; // there are 2^32 numbers or more

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
