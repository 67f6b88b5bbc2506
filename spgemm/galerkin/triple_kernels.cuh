// triple_kernels.cuh: shared by the kernels of R A P: the product A P, and the parts into which the
// rows of C are divided by length.
#ifndef GS_SPGEMM_GALERKIN_TRIPLE_KERNELS_CUH
#define GS_SPGEMM_GALERKIN_TRIPLE_KERNELS_CUH

#include "spgemm/rows.cuh"

extern "C" {
#include "spgemm/galerkin/triple.h"
}

namespace gs_triple_rows
{

using namespace gs_rows;

constexpr int parts = 3; // of the rows of C, by their number of entries
constexpr int part_bits[parts] = {6, 8, 10};

// The most entries of a row in a table of 2^bits places; the rest is space for the columns that
// lanes insert at the same time.
__host__ __device__ constexpr int most_entries(int bits)
{
    return 3 << (bits - 2);
}

struct statistics {
    unsigned long long products, entries;
    unsigned left, rejected; // rows with too many entries; rows with too many steps
};

// The rows of one part: columns and values of the k-th row begin at element 2^bits k.
struct part {
    int32_t *rows; // nullptr: all
    int32_t nrows;
    int32_t *col;
    void *value;
};

// --- A P: M = A B with short rows. The products of one entry of A have different columns; those of
// the next entry are added after them.

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

// Set the columns and values of M = A B, whose offsets are set; `longest`: the most entries of a
// row, as counted.
gsolve_status fill_by_threads(const gsolve_csr *M, int longest, gsolve_context *ctx,
                              const gsolve_csr *A, const gsolve_csr *B);
gsolve_status fill_by_lanes(const gsolve_csr *M, int longest, int lanes, gsolve_context *ctx,
                            const gsolve_csr *A, const gsolve_csr *B);

// --- R M: the rows of a part. count[i] = the entries of row i. The numbers of the rows with too
// many entries are stored in left, f->left of them.

// triple_short_cuda.cu: all rows, with a few lanes for each; stores those of up to
// most_entries(part_bits[0]) entries.
gsolve_status make_short_rows(gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *M,
                              const part *to, int32_t *count, int32_t *left, statistics *f);
// triple_long_cuda.cu: the rows of the part, with a warp for each; stores those of up to 2^bits
// entries.
gsolve_status make_long_rows(gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *M,
                             const part *to, int bits, int32_t *count, int32_t *left,
                             statistics *f);

} // namespace gs_triple_rows

#endif
