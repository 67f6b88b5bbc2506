/* polynomial.c: the steps of polynomials and the spectrum that they are made for. */
#include "precond/polynomial.h"

#include <math.h>

#include "core/try.h"
#include "core/vector.h"

gs_polynomial_step gs_polynomial_first(gs_polynomial P)
{
    const double centre = P.most * (1 + 1 / P.ratio) / 2, radius = P.most * (1 - 1 / P.ratio) / 2;

    return (gs_polynomial_step){1 / centre, 0, radius / centre};
}

gs_polynomial_step gs_polynomial_next(gs_polynomial P, gs_polynomial_step s)
{
    const double centre = P.most * (1 + 1 / P.ratio) / 2, radius = P.most * (1 - 1 / P.ratio) / 2;
    const double rho = 1 / (2 * centre / radius - s.rho);

    return (gs_polynomial_step){2 * rho / radius, rho * s.rho, rho};
}

/* --- the spectrum ----------------------------------------------------------------------------- */

#define CAUTION 1.1 /* times the growth, which comes from below */

static gsolve_status norm(gsolve_context *ctx, gsolve_dense v, double *space, double *length)
{
    double square;
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, v.type)->dot(ctx->queue, v.nrows, v.value, v.value, space));
    TRY(gsolve_copy(ctx, &square, GSOLVE_HOST, space, GSOLVE_DEVICE, sizeof square));
    *length = sqrt(square);
done:
    return status;
}

gsolve_status gs_polynomial_most(double *most, gsolve_context *ctx, const gsolve_matrix *A,
                                 const void *d, int its, gsolve_dense p, gsolve_dense q)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, p.type);
    double *space = NULL, length = 0, growth = 0;
    gsolve_status status = GSOLVE_OK;

    if (its == 0) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_DEVICE, space, 1);
    TRY(kernels->noise(ctx->queue, p.nrows, 1, p.value));
    TRY(norm(ctx, p, space, &length));
    for (int it = 0; it < its && length > 0; it++) {
        TRY(gsolve_matrix_apply(A, 1 / length, p, 0, q));
        TRY(kernels->step(ctx->queue, p.nrows, 1, 0, d, q.value, NULL, NULL, p.value));
        TRY(norm(ctx, p, space, &length));
        growth = length;
    }
    if (growth > 0 && CAUTION * growth < *most) *most = CAUTION * growth;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}
