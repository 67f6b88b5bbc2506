/* symmetry.c: a matrix A counts as symmetric if x'Ay = y'Ax to rounding, for two random vectors x
 * and y. For an A that is not symmetric this equality would be a coincidence. */
#include "precond/amg/symmetry.h"

#include <math.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/chebyshev/polynomial.h"
#include "spmv/handle.h"
#include "vector/vector.h"

gsolve_status gs_amg_is_symmetric(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, A->type);
    const double rounding = A->type == GSOLVE_F32 ? 1e-5 : 1e-10;
    const int32_t n = A->nrows;
    gsolve_dense x = {0}, y = {0}, Ax = {0};
    double *sum = NULL, product[3];
    int64_t entries;
    void *matrix = NULL;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(gs_csr_format.build(&matrix, ctx, A, entries, NULL, NULL));
    ALLOC(ctx, GSOLVE_DEVICE, sum, 3);
    TRY(gs_dense_new(&x, ctx, gs_location(ctx), A->type, n, 1));
    TRY(gs_dense_new(&y, ctx, gs_location(ctx), A->type, n, 1));
    TRY(gs_dense_new(&Ax, ctx, gs_location(ctx), A->type, n, 1));
    TRY(kernels->random(ctx->queue, n, 1, x.value));
    TRY(kernels->random(ctx->queue, n, 2, y.value));
    TRY(gs_csr_format.apply_dot(matrix, ctx, x, Ax, y, &sum[0], &sum[2]));
    TRY(gs_csr_format.apply_dot(matrix, ctx, y, Ax, x, &sum[1], NULL));
    TRY(gsolve_copy(ctx, product, GSOLVE_HOST, sum, gs_location(ctx), sizeof product));
    *symmetric = fabs(product[0] - product[1]) <= rounding * sqrt(product[2]);
done:
    if (matrix) gs_csr_format.destroy(matrix, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    gsolve_free(ctx, GSOLVE_DEVICE, x.value);
    gsolve_free(ctx, GSOLVE_DEVICE, y.value);
    gsolve_free(ctx, GSOLVE_DEVICE, Ax.value);
    return status;
}
