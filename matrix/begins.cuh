// begins.cuh: tests whether the first columns of two neighbouring rows are near each other, for a
// sample of rows.
#ifndef GS_MATRIX_BEGINS_CUH
#define GS_MATRIX_BEGINS_CUH

#include <cstdint>

constexpr int gs_near = 4096; // largest distance, in columns, that counts as near

// The sample has one row per thread; the rows are n / threads apart. Returns 1 if the thread's row
// begins more than gs_near columns from where the row before begins, else 0. Returns -1 if there is
// no such row or one of the two rows is empty. Reads 3 offsets and 2 columns.
template <class O>
__device__ int gs_begins_far(int32_t n, const O *start, const int32_t *col, int64_t thread,
                             int64_t threads)
{
    const int64_t i = thread * max(n / threads, (int64_t)1);

    if (i == 0 || i >= n || start[i - 1] == start[i] || start[i] == start[i + 1]) return -1;
    const int64_t apart = (int64_t)col[start[i]] - (int64_t)col[start[i - 1]];
    return apart > gs_near || apart < -gs_near;
}

#endif
