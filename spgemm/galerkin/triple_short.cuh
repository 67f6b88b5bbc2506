// triple_short.cuh: products with short rows: their statistics and the kernels for them. The
// products of one entry of A have different columns; those of the next entry are added after them.
#ifndef GS_SPGEMM_GALERKIN_TRIPLE_SHORT_CUH
#define GS_SPGEMM_GALERKIN_TRIPLE_SHORT_CUH

#include "spgemm/galerkin/triple_kernels.cuh"

namespace gs_triple_rows
{

// Statistics of the rows of a product.
struct row_statistics {
    unsigned long long products, entries;
    int longest;             // the most entries of a row; too_long: a row exceeded the limit
    unsigned long long of_B; // entries of B, where threads count
};
constexpr int too_long = INT32_MAX;

// Adds the statistics of the rows of a block to *f.
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

// count[0..nrows) = the columns of each row of A B, count[nrows] = 0; *f, all zero before, receives
// their statistics. triple_thread_cuda.cu: one thread for each row; where a row has too many
// products on average, it counts nothing and reports too_long. triple_short_cuda.cu: 4, 8 or 16
// lanes for each row.
gsolve_status count_by_threads(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                               int32_t *count, row_statistics *f);
gsolve_status count_by_lanes(gsolve_context *ctx, int lanes, const gsolve_csr *A,
                             const gsolve_csr *B, int32_t *count, row_statistics *f);

// Sets the columns and values of M = A B, whose offsets are set; `longest`: the most entries of a
// row, as counted.
template <class T>
gsolve_status fill_by_threads(const gsolve_csr *M, int longest, gsolve_context *ctx,
                              const gsolve_csr *A, const gsolve_csr *B);
template <class T>
gsolve_status fill_by_lanes(const gsolve_csr *M, int longest, int lanes, gsolve_context *ctx,
                            const gsolve_csr *A, const gsolve_csr *B);

} // namespace gs_triple_rows

#endif
