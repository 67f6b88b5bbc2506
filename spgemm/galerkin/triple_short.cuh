// triple_short.cuh: products whose rows are short: what is known of their rows, and the kernels for
// them. The products of an entry of A's row lie in different columns, and those of the next are
// added after them.
#ifndef GS_SPGEMM_GALERKIN_TRIPLE_SHORT_CUH
#define GS_SPGEMM_GALERKIN_TRIPLE_SHORT_CUH

#include "spgemm/galerkin/triple_kernels.cuh"

namespace gs_triple_rows
{

// What the rows of a product are like.
struct row_statistics {
    unsigned long long products, entries;
    int longest;             // entries of a row; too_long: of one that is counted no further
    unsigned long long of_B; // entries of B, where threads count
};
constexpr int too_long = INT32_MAX;

// What the rows of a block's threads are like, added to what is known of others.
__device__ inline void add_statistics(unsigned long long entries, unsigned long long products,
                                      int longest, row_statistics *f)
{
    __shared__ row_statistics all;

    if (threadIdx.x == 0) all = {};
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        entries += __shfl_xor_sync(all_lanes, entries, d);
        products += __shfl_xor_sync(all_lanes, products, d);
    }
    longest = __reduce_max_sync(all_lanes, longest);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&all.entries, entries);
        atomicAdd(&all.products, products);
        atomicMax(&all.longest, longest);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&f->entries, all.entries);
        atomicAdd(&f->products, all.products);
        atomicMax(&f->longest, all.longest);
    }
}

// count[0..nrows] = the columns of each row of A B, and 0; *f, which is all zero, what they are
// like. By a thread a row: triple_thread_cuda.cu; not where that is too much for one, on average,
// which counts as a row that is too long. By 4, 8 or 16 lanes, for longer ones:
// triple_short_cuda.cu.
gsolve_status count_by_threads(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                               int32_t *count, row_statistics *f);
gsolve_status count_by_lanes(gsolve_context *ctx, int lanes, const gsolve_csr *A,
                             const gsolve_csr *B, int32_t *count, row_statistics *f);

// The columns and values of M = A B from its offsets, rows having up to `longest` entries, as they
// were counted.
template <class T>
gsolve_status fill_by_threads(const gsolve_csr *M, int longest, gsolve_context *ctx,
                              const gsolve_csr *A, const gsolve_csr *B);
template <class T>
gsolve_status fill_by_lanes(const gsolve_csr *M, int longest, int lanes, gsolve_context *ctx,
                            const gsolve_csr *A, const gsolve_csr *B);

} // namespace gs_triple_rows

#endif
