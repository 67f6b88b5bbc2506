/* rowwise_body.h: the products on the CPU for one value type T. */

#include "spmv/row_sum.h"

/* sum of value[k] x[col[k]] over n entries, one after the other. */
static inline T FN(scalar_sum)(int64_t n, const T *restrict value, const int32_t *restrict col,
                               const T *restrict x)
{
    T sum = 0;

    for (int64_t k = 0; k < n; k++) sum += value[k] * x[col[k]];
    return sum;
}

/* The same, entry k into the (k mod GS_LANES)-th of GS_LANES sums, the last ones into one more. */
static inline T FN(vector_sum)(int64_t n, const T *restrict value, const int32_t *restrict col,
                               const T *restrict x)
{
    T lane[GS_LANES] = {0};
    int64_t k = 0;

    if (n < GS_LANES) return FN(scalar_sum)(n, value, col, x);
    for (; k + GS_LANES <= n; k += GS_LANES) {
#pragma omp simd
        for (int l = 0; l < GS_LANES; l++) lane[l] += value[k + l] * x[col[k + l]];
    }
    for (int d = GS_LANES / 2; d > 0; d /= 2) {
        for (int l = 0; l < d; l++) lane[l] += lane[l + d];
    }
    return lane[0] + FN(scalar_sum)(n - k, value + k, col + k, x);
}

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "spmv/rowwise/rowwise_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "spmv/rowwise/rowwise_rows.h"
#undef OFFSET
#undef ON

static gsolve_status FN(apply_scalar)(gs_queue *q, const gsolve_csr *A, double alpha, const void *x,
                                      double beta, void *y)
{
    (A->offset == GSOLVE_O64 ? FN(scalar_o64) : FN(scalar_o32))(gs_queue_threads(q), A, alpha, x,
                                                                beta, y);
    return GSOLVE_OK;
}

static gsolve_status FN(apply_vector)(gs_queue *q, const gsolve_csr *A, double alpha, const void *x,
                                      double beta, void *y)
{
    (A->offset == GSOLVE_O64 ? FN(vector_o64) : FN(vector_o32))(gs_queue_threads(q), A, alpha, x,
                                                                beta, y);
    return GSOLVE_OK;
}
