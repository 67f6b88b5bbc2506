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

// *M = A B, owned, columns ascending; *products = its number of products.
template <class T>
gsolve_status multiply_short(gsolve_csr *M, int64_t *products, gsolve_context *ctx,
                             const gsolve_csr *A, const gsolve_csr *B);

// triple_short_cuda.cu: R M with a few lanes for each row. Rows of up to most_entries(part_bits[0])
// entries are stored in the part; count[i] = entries of row i. The numbers of the other rows are
// stored in left, f->left of them.
template <class T>
gsolve_status make_short_rows(gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *M,
                              const part *to, int32_t *count, int32_t *left, statistics *f);

// triple_update_cuda.cu: the plan of an update, see there.
template <class T>
gsolve_status update_values(void *plan, gsolve_context *ctx, const gsolve_csr *R,
                            const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C);
gsolve_status create_plan(void **plan, gsolve_context *ctx, int64_t products_with_R);
void destroy_plan(void *plan, gsolve_context *ctx);

} // namespace gs_triple_rows

#endif
