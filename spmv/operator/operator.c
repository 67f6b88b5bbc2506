/* operator.c: a matrix handle whose product is a function of the caller, y = A x. To the rest of
 * the library it is a matrix in a format that no spec can name. */
#include "spmv/operator/operator.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "vector/vector.h"

/* --- products --------------------------------------------------------------------------------- */

gsolve_status gs_operator_need(gsolve_context *ctx, gsolve_type type, int32_t n, gsolve_dense *v)
{
    return v->value ? GSOLVE_OK : gs_dense_new(v, ctx, gs_location(ctx), type, n, 1);
}

/* Space for A x and for A'x. */
static gsolve_status need_product(gs_operator *op, gsolve_context *ctx)
{
    const gsolve_csr *A = &op->shape;

    return gs_operator_need(ctx, A->type, A->nrows > A->ncols ? A->nrows : A->ncols, &op->product);
}

gsolve_status gs_operator_product(gs_operator *op, gsolve_context *ctx, gsolve_dense x)
{
    gsolve_dense y;
    gsolve_status status;

    TRY(need_product(op, ctx));
    y = op->product;
    y.nrows = op->shape.nrows;
    TRY(gs_function_apply(&op->function, ctx, false, x, y));
done:
    return status;
}

/* y += A x for one column, with these factors. */
static gsolve_status add_product(gs_operator *op, gsolve_context *ctx, bool transposed,
                                 double alpha, gsolve_dense x, double beta, gsolve_dense y)
{
    const gs_ratio a = {.sign = alpha}, b = {.sign = beta};
    gsolve_dense t;
    gsolve_status status;

    TRY(need_product(op, ctx));
    t = op->product;
    t.nrows = y.nrows;
    TRY(gs_function_apply(&op->function, ctx, transposed, x, t));
    TRY(GS_KERNELS(gs_vector, ctx, y.type)->axpby(ctx->queue, y.nrows, a, t.value, b, y.value));
done:
    return status;
}

/* y = alpha A x + beta y, or with A'. The caller's function computes A x alone. */
static gsolve_status multiply(gs_operator *op, gsolve_context *ctx, bool transposed, double alpha,
                              gsolve_dense x, double beta, gsolve_dense y)
{
    const gs_ratio a = {.sign = alpha};
    gsolve_status status = GSOLVE_OK;

    if (beta == 0) TRY(gs_function_apply(&op->function, ctx, transposed, x, y));
    for (int32_t c = 0; c < x.ncols && (beta != 0 || alpha != 1); c++) {
        const gsolve_dense xc = gs_column_of(x, c), yc = gs_column_of(y, c);
        if (beta != 0) {
            TRY(add_product(op, ctx, transposed, alpha, xc, beta, yc));
        } else {
            TRY(GS_KERNELS(gs_vector, ctx, y.type)->scale(ctx->queue, y.nrows, a, yc.value));
        }
    }
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return multiply(self, ctx, false, alpha, x, beta, y);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                     double beta, gsolve_dense y)
{
    return multiply(self, ctx, true, alpha, x, beta, y);
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_operator *op = self;
    const bool single = op->shape.type == GSOLVE_F32;

    info->entries = info->stored = 0;
    info->bytes = ((size_t)info->nrows + (size_t)info->ncols) * gs_type_size(info->type);
    snprintf(info->note, sizeof info->note,
             "a function of the caller; residuals are computed by it%s",
             single ? ", in single precision" : "");
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_operator *op = self;

    gsolve_free(ctx, GSOLVE_DEVICE, op->product.value);
    gsolve_free(ctx, GSOLVE_DEVICE, op->x.value);
    gsolve_free(ctx, GSOLVE_DEVICE, op->b.value);
    gsolve_free(ctx, GSOLVE_DEVICE, op->r.value);
    gsolve_free(ctx, GSOLVE_DEVICE, op->scaled.value);
    gsolve_free(ctx, GSOLVE_DEVICE, op->sums);
    gsolve_free(ctx, GSOLVE_HOST, op);
}

/* The handle has its self before it has this format, so there is no build. */
static const gsolve_format operator_format = {
    .plugin = {"operator", "a function of the caller", NULL, 0},
    .destroy = destroy,
    .apply = apply,
    .apply_block = apply,
    .apply_transpose = apply_transpose,
    .describe = describe,
};

/* --- the handle ------------------------------------------------------------------------------- */

static gsolve_status check(gsolve_context *ctx, bool complete, int32_t nrows, int32_t ncols,
                           gsolve_type type)
{
    if (!complete) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_operator: A or apply is NULL");
    }
    if (nrows < 0 || ncols < 0 || (unsigned)type >= GSOLVE_TYPE_COUNT) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_operator: an operator of %d x %d with values of "
                           "type %d is impossible; sizes are 0 or more and the type is GSOLVE_F32 "
                           "or GSOLVE_F64",
                           nrows, ncols, (int)type);
    }
    return GSOLVE_OK;
}

gsolve_status gsolve_matrix_create_operator(gsolve_matrix **out, gsolve_context *ctx, int32_t nrows,
                                            int32_t ncols, gsolve_type type,
                                            gsolve_apply_function *function,
                                            gsolve_apply_function *transpose, void *user)
{
    gsolve_matrix *A = NULL;
    gs_operator *op;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    TRY(check(ctx, out && function, nrows, ncols, type));
    TRY(gs_matrix_new(&A, ctx, &operator_format));
    A->is_operator = true;
    A->entries = 0;
    A->csr = (gsolve_csr){.nrows = nrows, .ncols = ncols, .type = type};
    ALLOC(ctx, GSOLVE_HOST, op, 1);
    memset(op, 0, sizeof *op);
    A->self = op;
    op->function = (gs_function){"operator", function, transpose, user, 0};
    op->shape = A->csr;
    ALLOC(ctx, GSOLVE_DEVICE, op->sums, 2);
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    return status;
}

/* *op = A's operator. */
static gsolve_status get_operator(gsolve_matrix *A, const char *caller, gs_operator **op)
{
    if (!A) return GSOLVE_BAD_ARGUMENT;
    if (!A->is_operator) {
        return gsolve_fail(A->ctx, GSOLVE_UNSUPPORTED,
                           "%s needs a matrix of gsolve_matrix_create_operator, and this one has "
                           "rows",
                           caller);
    }
    *op = A->self;
    return GSOLVE_OK;
}

gsolve_status gsolve_matrix_update_operator(gsolve_matrix *A, void *user)
{
    gs_operator *op = NULL;
    gsolve_status status;

    TRY(get_operator(A, "gsolve_matrix_update_operator", &op));
    op->function.user = user;
    A->version++;
done:
    return status;
}

gsolve_status gsolve_matrix_set_flags(gsolve_matrix *A, unsigned flags)
{
    const unsigned symmetric = GSOLVE_FUNCTION_SYMMETRIC | GSOLVE_FUNCTION_DEFINITE;
    gs_operator *op = NULL;
    gsolve_status status;

    TRY(get_operator(A, "gsolve_matrix_set_flags", &op));
    TRY(gs_function_set_flags(&op->function, A->ctx, flags,
                              GSOLVE_FUNCTION_COLUMNS | GSOLVE_FUNCTION_NO_CAPTURE |
                                  (A->csr.nrows == A->csr.ncols ? symmetric : 0)));
    A->version++; /* a recorded graph holds what the function did before */
done:
    return status;
}

/* --- what the solver asks --------------------------------------------------------------------- */

bool gs_matrix_is_operator(const gsolve_matrix *A)
{
    return A->is_operator;
}

gs_comm *gs_matrix_comm(const gsolve_matrix *A)
{
    return A->comm && A->comm->ranks > 1 ? A->comm : NULL;
}

unsigned gs_matrix_flags(const gsolve_matrix *A)
{
    return A->is_operator ? ((const gs_operator *)A->self)->function.flags : 0;
}

bool gs_matrix_is_recordable(const gsolve_matrix *A)
{
    return !(gs_matrix_flags(A) & GSOLVE_FUNCTION_NO_CAPTURE);
}
