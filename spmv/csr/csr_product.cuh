// csr_product.cuh: the arguments of the products of csr with one column on a GPU.
#ifndef GS_SPMV_CSR_CSR_PRODUCT_CUH
#define GS_SPMV_CSR_CSR_PRODUCT_CUH

#include "core/pdl.cuh"
#include "spmv/csr/csr_tiles.cuh"

namespace gs_tiles
{

template <class T>
struct product {
    const void *start;
    const int32_t *col;
    const T *value, *x;
    T *y;
    T alpha, beta;
    const T *w;
    double *out[2]; // w'y and y'y, or NULL
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const product<T> &a, int32_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// csr_groups_cuda.cu: the product where plan->tiles->lanes > 0, with the sums for which a.out is
// not NULL.
template <class T>
gsolve_status by_groups(gs_queue *q, const product<T> &a, const gs_csr_plan *plan);

} // namespace gs_tiles

#endif
