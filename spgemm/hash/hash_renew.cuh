// hash_renew.cuh: what the kernels that make C's values once more share, see hash_update_cuda.cu.
#ifndef GS_SPGEMM_HASH_HASH_RENEW_CUH
#define GS_SPGEMM_HASH_HASH_RENEW_CUH

#include "spgemm/hash/hash_plan.cuh"

namespace gs_hash_rows
{

// The elements of a row of B that a lane takes at once, every `size`-th.
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
    // To the sums of the places from `piece` on, n of them.
    __device__ __forceinline__ void add(T a, T *sum, int left, int size, unsigned piece)
    {
        T s[U];
#pragma unroll
        for (int u = 0; u < U; u++) s[u] = u * size < left ? sum[place[u] - piece] : T(0);
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (u * size < left) sum[place[u] - piece] = fma(a, value[u], s[u]);
        }
    }
};

struct operands {
    const plan_on_device *p;
    gs_queue *q;
    rows_of A, B, C;
    void *value;
};

// hash_pieces_cuda.cu: rows of the ways from cut_ways on.
template <class T>
gsolve_status renew_long_rows(const operands &o);

} // namespace gs_hash_rows

#endif
