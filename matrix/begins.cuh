// begins.cuh: whether rows begin near the rows before them, of a sample that threads share.
#ifndef GS_MATRIX_BEGINS_CUH
#define GS_MATRIX_BEGINS_CUH

#include <cstdint>

constexpr int gs_near = 4096; // columns

// Of the row that is that of a thread among so many: -1 if neither it nor the one before tells,
// else whether it begins far from where that one does.
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
