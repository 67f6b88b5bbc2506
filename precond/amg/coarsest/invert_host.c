/* invert_host.c: the inverse of a dense matrix on the CPU, see invert.h. */
#include "precond/amg/coarsest/invert.h"

#include <math.h>
#include <string.h>

#include "core/try.h"

/* a (n x n by rows) = its inverse, by Gauss and Jordan's elimination in place: n^3 multiplications
 * in long rows. */
static void eliminate(int64_t n, double *a, gs_inverted *found)
{
    found->least_pivot = n > 0 ? INFINITY : 1;
    found->most_pivot = n > 0 ? 0 : 1;
    for (int64_t k = 0; k < n; k++) {
        double *restrict pivot = a + k * n;
        const double given = pivot[k], p = 1 / given;
        found->least_pivot = given > 0 ? fmin(found->least_pivot, given) : 0;
        found->most_pivot = given > 0 ? fmax(found->most_pivot, given) : INFINITY;
        for (int64_t j = 0; j < n; j++) pivot[j] *= p;
        pivot[k] = p;
        for (int64_t i = 0; i < n; i++) {
            double *restrict row = a + i * n;
            const double factor = row[k];
            if (i == k || factor == 0) continue;
            row[k] = 0;
#pragma omp simd
            for (int64_t j = 0; j < n; j++) row[j] -= factor * pivot[j];
        }
    }
}

/* a = A's entries among zeros. */
static void spread(const gsolve_csr *A, double *a, gs_inverted *found)
{
    const int64_t n = A->nrows;

    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            a[i * n + A->col[k]] = gs_value(A, k);
            sum += fabs(gs_value(A, k));
        }
        found->norm = fmax(found->norm, sum);
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            found->asymmetry = fmax(found->asymmetry, fabs(a[i * n + j] - a[j * n + i]));
        }
    }
}

static double number(gsolve_dense v, int64_t i, int32_t c)
{
    const int64_t at = i + c * v.stride;
    return v.type == GSOLVE_F32 ? (double)((const float *)v.value)[at]
                                : ((const double *)v.value)[at];
}

static void inspect_image(const gsolve_csr *A, gsolve_dense v, int32_t c, gs_inverted *found)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            sum += gs_value(A, k) * number(v, A->col[k], c);
        }
        found->image[c] = fmax(found->image[c], fabs(sum));
        found->largest[c] = fmax(found->largest[c], fabs(number(v, i, c)));
    }
}

/* The largest |A x - I|_ij. */
static double residual_of(const gsolve_csr *A, const double *x)
{
    const int64_t n = A->nrows;
    double most = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;
            for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
                sum += gs_value(A, k) * x[A->col[k] * n + j];
            }
            most = fmax(most, fabs(sum));
        }
    }
    return most;
}

static void put(void *to, gsolve_type type, int64_t at, double x)
{
    if (type == GSOLVE_F32) {
        ((float *)to)[at] = (float)x;
    } else {
        ((double *)to)[at] = x;
    }
}

static gsolve_status invert(void *inverse, void *transposed, gs_inverted *found,
                            gsolve_context *ctx, const gsolve_csr *A, gsolve_dense near_null)
{
    const int64_t n = A->nrows;
    double *a = NULL;
    gsolve_status status;

    memset(found, 0, sizeof *found);
    ALLOC(ctx, GSOLVE_HOST, a, (size_t)n * (size_t)n);
    spread(A, a, found);
    for (int32_t c = 0; c < near_null.ncols && c < GS_MAX_NULL; c++) {
        inspect_image(A, near_null, c, found);
    }
    eliminate(n, a, found);
    if (transposed) found->residual = residual_of(A, a);
    for (int64_t k = 0; k < n * n; k++) {
        put(inverse, A->type, k, a[k]);
        if (transposed) put(transposed, A->type, k % n * n + k / n, a[k]);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, a);
    return status;
}

const gs_invert_kernels gs_invert_host[GSOLVE_TYPE_COUNT] = {{invert}, {invert}};
