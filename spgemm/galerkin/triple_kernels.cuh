// triple_kernels.cuh: what the kernels of R A P share: A P, and the rows of C by classes.
#ifndef GS_SPGEMM_GALERKIN_TRIPLE_KERNELS_CUH
#define GS_SPGEMM_GALERKIN_TRIPLE_KERNELS_CUH

#include "spgemm/rows.cuh"

extern "C" {
#include "spgemm/galerkin/triple.h"
}

namespace gs_triple_rows
{

using namespace gs_rows;

constexpr int parts = 3; // classes of rows by their entries
constexpr int part_bits[parts] = {6, 8, 10};

// Entries at most of a row that a few lanes make in a table of 2^bits places, in which those that
// are new at once fit then, too.
__host__ __device__ constexpr int most_entries(int bits)
{
    return 3 << (bits - 2);
}

struct statistics {
    unsigned long long products, entries;
    unsigned left, refused; // rows with more entries than there is room; with too many steps
};

// Rows of one class: C's columns and values of the k-th from 2^bits k on.
struct part {
    int32_t *rows; // nullptr: all
    int32_t nrows;
    int32_t *col;
    void *value;
};

// triple_ap_cuda.cu: C's offsets, the sums before each of count[0..C->nrows].
gsolve_status number_entries(gsolve_context *ctx, const int32_t *count, const gsolve_csr *C);

// *M = A B, owned, columns ascending; *products of it.
template <class T>
gsolve_status multiply_short(gsolve_csr *M, int64_t *products, gsolve_context *ctx,
                             const gsolve_csr *A, const gsolve_csr *B);

// triple_short_cuda.cu: R M, by a few lanes a row: rows of up to most_entries(part_bits[0]) entries
// to where the part has room for them, count[i] entries of row i; others into left, f->left of
// them.
template <class T>
gsolve_status make_short_rows(gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *M,
                              const part *to, int32_t *count, int32_t *left, statistics *f);

// triple_update_cuda.cu: what updates go by, see there.
template <class T>
gsolve_status update_values(void *plan, gsolve_context *ctx, const gsolve_csr *R,
                            const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C);
gsolve_status create_plan(void **plan, gsolve_context *ctx, int64_t products_with_R);
void destroy_plan(void *plan, gsolve_context *ctx);

} // namespace gs_triple_rows

#endif
