/* operator_residual.c: b - A x and its norm for an operator. A x is computed by the caller's
 * function in A's type, so that the residual of an operator in single precision has the accuracy of
 * single precision. All other arithmetic is in double precision. */
#include <math.h>

#include "core/staging.h"
#include "core/try.h"
#include "spmv/operator/operator.h"
#include "vector/vector.h"

typedef struct difference {
    gs_operator *op;
    gsolve_context *ctx;
    const gs_vector_kernels *vector; /* of double precision */
    gs_stage b, x;                   /* one column each, where kernels read them */
    gsolve_dense r, wide_b;          /* b - A x and b in double precision */
} difference;

static void close_difference(difference *d)
{
    gs_stage_drop(&d->b, d->ctx);
    gs_stage_drop(&d->x, d->ctx);
}

/* *used = v, or its values in this type in *space. */
static gsolve_status in_type(difference *d, gsolve_dense v, gsolve_type type, gsolve_dense *space,
                             gsolve_dense *used)
{
    gsolve_status status = GSOLVE_OK;

    *used = v;
    if (v.type == type) return GSOLVE_OK;
    TRY(gs_operator_need(d->ctx, type, v.nrows, space));
    *used = *space;
    TRY(GS_KERNELS(gs_vector, d->ctx, type)
            ->copy(d->ctx->queue, v.nrows, v.type, v.value, used->value));
done:
    return status;
}

/* Computes d->r = b - A x. */
static gsolve_status open_difference(difference *d, const gsolve_matrix *A, gsolve_dense b,
                                     gsolve_dense x)
{
    const gs_ratio one = {.sign = 1}, minus = {.sign = -1};
    gs_operator *op = A->self;
    gsolve_dense product;
    gsolve_status status;

    *d = (difference){.op = op, .ctx = A->ctx};
    d->vector = GS_KERNELS(gs_vector, A->ctx, GSOLVE_F64);
    TRY(gs_stage_in(&d->b, A->ctx, gs_location(A->ctx), b, true));
    TRY(gs_stage_in(&d->x, A->ctx, gs_location(A->ctx), x, true));
    TRY(in_type(d, d->x.used, A->csr.type, &op->x, &x));
    TRY(gs_operator_product(op, A->ctx, x));
    product = op->product;
    product.nrows = A->csr.nrows;
    TRY(in_type(d, product, GSOLVE_F64, &op->r, &d->r));
    TRY(in_type(d, d->b.used, GSOLVE_F64, &op->b, &d->wide_b));
    TRY(d->vector->axpby(A->ctx->queue, b.nrows, one, d->wide_b.value, minus, d->r.value));
done:
    return status;
}

/* --- norms ------------------------------------------------------------------------------------ */

/* *norm = |v|. Where the sum of squares leaves the range of double, v is multiplied by powers of
 * two, which changes no bit of the norm. */
static gsolve_status norm_of(difference *d, gsolve_dense v, double *norm)
{
    static const int exponents[] = {0, -540, 450, 900};
    gsolve_dense *scaled = &d->op->scaled;
    double sum = 0;
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < 4; i++) {
        const gs_ratio factor = {.sign = ldexp(1, exponents[i])}, none = {.sign = 0};
        const void *at = v.value;
        if (i > 0) {
            TRY(gs_operator_need(d->ctx, GSOLVE_F64, v.nrows, scaled));
            TRY(d->vector->axpby(d->ctx->queue, v.nrows, factor, v.value, none, scaled->value));
            at = scaled->value;
        }
        TRY(d->vector->dot(d->ctx->queue, v.nrows, at, at, d->op->sums));
        TRY(gsolve_copy(d->ctx, &sum, GSOLVE_HOST, d->op->sums, GSOLVE_DEVICE, sizeof sum));
        *norm = ldexp(sqrt(sum), -exponents[i]);
        if (isfinite(sum) && sum > 1e-280) return GSOLVE_OK;
    }
    *norm = sum == 0 ? 0 : INFINITY;
done:
    return status;
}

gsolve_status gs_operator_norms(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                gs_norms *norms)
{
    difference d;
    gsolve_status status;

    TRY(open_difference(&d, A, b, x));
    TRY(norm_of(&d, d.r, &norms->r));
    TRY(norm_of(&d, d.wide_b, &norms->b));
    norms->rounding = 0;
    norms->doubled = false;
    norms->relative = norms->b > 0 && isfinite(norms->r) ? norms->r / norms->b : norms->r;
done:
    close_difference(&d);
    return status;
}

gsolve_status gs_operator_residual_vector(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                          int exponent, gsolve_dense r)
{
    const gs_ratio factor = {.sign = ldexp(1, exponent)};
    difference d;
    gs_stage out = {0};
    gsolve_status status;

    TRY(open_difference(&d, A, b, x));
    TRY(gs_stage_in(&out, A->ctx, gs_location(A->ctx), r, false));
    TRY(d.vector->scale(A->ctx->queue, r.nrows, factor, d.r.value));
    TRY(GS_KERNELS(gs_vector, A->ctx, r.type)
            ->copy(A->ctx->queue, r.nrows, GSOLVE_F64, d.r.value, out.used.value));
    TRY(gs_stage_out(&out, A->ctx));
done:
    gs_stage_drop(&out, A->ctx);
    close_difference(&d);
    return status;
}
