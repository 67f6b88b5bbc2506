// hash_update.cuh: shared by the kernels that recompute C's values, see hash_update_cuda.cu.
#ifndef GS_SPGEMM_HASH_HASH_UPDATE_CUH
#define GS_SPGEMM_HASH_HASH_UPDATE_CUH

#include "spgemm/hash/hash_plan.cuh"

namespace gs_hash_rows
{

// U elements of a row of B that a lane loads at once, `size` elements apart, with their places.
template <class T, class P, int U>
struct elements {
    T value[U];
    P place[U];

    __device__ __forceinline__ void load(const T *b, const P *p, int left, int size)
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            value[u] = u * size < left ? b[u * size] : T(0);
            place[u] = u * size < left ? p[u * size] : P(0);
        }
    }
    // Adds a times the elements to their sums. sum[0] belongs to the place `segment`.
    __device__ __forceinline__ void add(T a, T *sum, int left, int size, unsigned segment)
    {
        T s[U];
#pragma unroll
        for (int u = 0; u < U; u++) s[u] = u * size < left ? sum[place[u] - segment] : T(0);
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (u * size < left) sum[place[u] - segment] = fma(a, value[u], s[u]);
        }
    }
};

struct operands {
    const plan_on_device *p;
    gs_queue *q;
    rows_of A, B, C;
    void *value;
};

// The matrices as the kernels see them.
struct product_rows {
    rows_of A, B, C;
};

// The rows of a bin, and the places of the products of each row.
struct placed_rows {
    const int32_t *rows; // NULL: all rows
    int32_t nrows;
    const int64_t *begin;
    const uint8_t *place;

    // The row of this number; -1: there is none.
    __device__ int32_t row(int64_t nth) const
    {
        return nth >= nrows ? -1 : rows ? rows[nth] : (int32_t)nth;
    }
};

// hash_update_long_cuda.cu: rows of the bins from first_cut_bin on.
template <class T>
gsolve_status update_long_rows(const operands &o);

} // namespace gs_hash_rows

#endif
