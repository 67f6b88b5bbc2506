// product.cuh: what the kernels of products with one column share on a GPU: the operands, and what
// becomes of the sum of a row. A format adds its arrays in a struct that inherits the operands.
#ifndef GS_SPMV_PRODUCT_CUH
#define GS_SPMV_PRODUCT_CUH

#include "core/pdl.cuh"

extern "C" {
#include "core/try.h"
#include "vector/vector.h"
}

// y = alpha A x + beta y, and the sums for which out is not NULL; then alpha is 1 and beta is 0.
template <class T>
struct gs_operands {
    const T *x;
    T *y, alpha, beta;
    const T *w;
    double *out[2]; // w'y and y'y, or NULL
};

// dots: the sums that the kernel computes, or NULL.
template <class T>
gs_operands<T> gs_operands_of(double alpha, const void *x, double beta, void *y,
                              const gs_product_sums *dots)
{
    const gs_product_sums none = {}, sums = dots ? *dots : none;

    return {(const T *)x, (T *)y, (T)alpha, (T)beta, (const T *)sums.w, {sums.wy, sums.yy}};
}

// The operands and the rows of A. The type of the row starts is a kernel's template argument.
template <class T>
struct gs_row_operands : gs_operands<T> {
    const void *start;
    const int32_t *col;
    const T *value;
};

template <class T>
gs_row_operands<T> gs_row_operands_of(const gsolve_csr *A, double alpha, const void *x, double beta,
                                      void *y, const gs_product_sums *dots)
{
    return {gs_operands_of<T>(alpha, x, beta, y, dots), A->start, A->col, (const T *)A->value};
}

// y_i = alpha sum + beta y_i
template <class T>
__device__ __forceinline__ void gs_finish(const gs_operands<T> &a, int64_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// Adds the terms of row i to a thread's sums: w_i y_i, and with SUMS 2 also y_i y_i.
template <int SUMS, class T, int N>
__device__ __forceinline__ void gs_add_terms(double (&terms)[N], T w, T sum)
{
    if constexpr (SUMS > 0) terms[0] += (double)w * (double)sum;
    if constexpr (SUMS > 1) terms[1] += (double)sum * (double)sum;
}

// Adds the threads' terms over the grid and stores the sums; see gs_grid_sum.
template <int SUMS, class T>
__device__ __forceinline__ void gs_store_sums(const gs_operands<T> &a, double (&terms)[SUMS],
                                              double *partial, unsigned *arrived)
{
    gs_grid_sum(terms, partial, arrived,
                [&](int t, double total) { *(t == 0 ? a.out[0] : a.out[1]) = total; });
}

#endif
