/* product.c: the products with a matrix handle, y = alpha A x + beta y and its transpose, products
 * with sums, and the steps of step.h. Arguments of products are checked; vectors that lie elsewhere
 * are staged. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "spmv/distributed/distributed.h"
#include "spmv/handle.h"
#include "vector/vector.h"

static gsolve_status check_vectors(const gsolve_matrix *A, gsolve_dense x, int32_t xrows,
                                   gsolve_dense y, int32_t yrows)
{
    if ((unsigned)x.layout > GSOLVE_ROW_MAJOR || (unsigned)y.layout > GSOLVE_ROW_MAJOR) {
        return gsolve_fail(
            A->ctx, GSOLVE_BAD_ARGUMENT,
            "x has layout %d and y layout %d; a layout is 0 (column-major) or 1 (row-major)",
            (int)x.layout, (int)y.layout);
    }
    if (x.nrows != xrows || y.nrows != yrows || x.ncols != y.ncols || x.ncols < 0 ||
        !gs_stride_fits(x) || !gs_stride_fits(y)) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "the product needs x with %d rows and y with %d, but x is %d x %d and y "
                           "is %d x %d (strides %lld and %lld)",
                           xrows, yrows, x.nrows, x.ncols, y.nrows, y.ncols, (long long)x.stride,
                           (long long)y.stride);
    }
    if (x.type != A->csr.type || y.type != A->csr.type || !gs_reachable(A->ctx, x.location) ||
        !gs_reachable(A->ctx, y.location)) {
        return gsolve_fail(
            A->ctx, GSOLVE_BAD_ARGUMENT,
            "x and y must have the matrix's type and lie on its device or on the host");
    }
    if ((!x.value && (int64_t)xrows * x.ncols > 0) || (!y.value && (int64_t)yrows * y.ncols > 0)) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "x or y of the product has no values (NULL)");
    }
    return GSOLVE_OK;
}

/* `checked`, the status of the vectors; if A is distributed, on all ranks, with equal numbers of
 * columns. Within a method all ranks pass vectors of the library, which fit. */
static gsolve_status agree_on_vectors(const gsolve_matrix *A, gsolve_dense x, gsolve_status checked)
{
    gsolve_status status;

    if (!A->dist || A->ctx->depth > 1) return checked;
    TRY(gs_comm_defer(A->ctx->comm, checked));
    status = gs_comm_same(A->ctx->comm, (uint64_t)x.ncols, "the numbers of columns of x");
done:
    return status;
}

static gs_block_space *space_of(const gsolve_matrix *A)
{
    return &A->lazy->space;
}

static gsolve_status multiply_form(const gsolve_matrix *A, void *self, double alpha, gsolve_dense x,
                                   double beta, gsolve_dense y)
{
    const gs_block_products by = gs_block_products_of(A->format);

    return gs_block_multiply(&by, self, A->ctx, space_of(A), alpha, x, beta, y);
}

/* y = alpha A x + beta y, or with A'. x and y are where kernels read them. */
static gsolve_status multiply(const gsolve_matrix *A, bool transposed, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y);

/* y = alpha A x + beta y, or with A'. x and y are at any location. */
static gsolve_status multiply_staged(const gsolve_matrix *A, bool transposed, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    gs_stage in = {0}, out = {0};
    gsolve_status status = gs_stage_in(&in, A->ctx, gs_location(A->ctx), x, true);

    if (status == GSOLVE_OK) {
        status = gs_stage_in(&out, A->ctx, gs_location(A->ctx), y, beta != 0);
    }
    if (status != GSOLVE_OK && A->dist) {
        status = gs_dist_agree(A, transposed, x, gs_dist_join(A, transposed, x, status));
    }
    if (status != GSOLVE_OK) goto done;
    TRY(multiply(A, transposed, alpha, in.used, beta, out.used));
    TRY(gs_stage_out(&out, A->ctx));
done:
    gs_stage_drop(&in, A->ctx);
    gs_stage_drop(&out, A->ctx);
    return status;
}

gsolve_status gsolve_matrix_apply(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y)
{
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    TRY(agree_on_vectors(A, x, check_vectors(A, x, A->csr.ncols, y, A->csr.nrows)));
    TRY(multiply_staged(A, false, alpha, x, beta, y));
done:
    return status;
}

/* The product with the rows of A; those of a distributed A without its boundary rows. */
static gsolve_status multiply_rows(const gsolve_matrix *A, bool transposed, double alpha,
                                   gsolve_dense x, double beta, gsolve_dense y)
{
    const gs_block_products back = {A->format->apply_transpose, NULL, false};
    gsolve_status status;

    TRY(gs_matrix_need_form(A));
    if (!transposed) return multiply_form(A, A->self, alpha, x, beta, y);
    if (back.one) return gs_block_multiply(&back, A->self, A->ctx, space_of(A), alpha, x, beta, y);
    TRY(gs_matrix_need_transposed(A));
    TRY(multiply_form(A, A->transposed_self, alpha, x, beta, y));
done:
    return status;
}

static gsolve_status multiply(const gsolve_matrix *A, bool transposed, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y)
{
    gsolve_status status;

    if (!A->dist) return multiply_rows(A, transposed, alpha, x, beta, y);
    if (transposed) {
        status = multiply_rows(A, true, alpha, x, beta, y);
        status = gs_dist_transposed(A, alpha, x, y, status);
        return gs_dist_agree(A, true, x, status);
    }
    TRY(gs_dist_begin(A, x));
    status = multiply_rows(A, false, alpha, x, beta, y);
    status = gs_dist_end(A, alpha, x, beta, y, NULL, status);
    status = gs_dist_agree(A, false, x, status);
done:
    return status;
}

gsolve_status gsolve_matrix_apply_transpose(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                            double beta, gsolve_dense y)
{
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    TRY(agree_on_vectors(A, x, check_vectors(A, x, A->csr.nrows, y, A->csr.ncols)));
    TRY(multiply_staged(A, true, alpha, x, beta, y));
done:
    return status;
}

static double *element_of(double *of_columns, int32_t j)
{
    return of_columns ? of_columns + j : NULL;
}

/* y = A x and the sums, with the rows of A; those of a distributed A without its boundary rows. */
static gsolve_status multiply_rows_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                       gsolve_dense w, double *wy, double *yy)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, A->ctx, x.type);
    gsolve_status status = GSOLVE_OK;

    TRY(gs_matrix_need_form(A));
    if (!A->format->apply_dot) TRY(multiply_form(A, A->self, 1, x, 0, y));
    for (int32_t j = 0; j < x.ncols;
         j++) { /* the bits of a column do not depend on the other columns */
        const gsolve_dense xj = gs_column_of(x, j), yj = gs_column_of(y, j);
        const gsolve_dense wj = gs_column_of(w, j);
        const gs_product_sums sums = {wj.value, &wy[j], element_of(yy, j)};
        if (A->format->apply_dot) {
            TRY(A->format->apply_dot(A->self, A->ctx, xj, yj, wj, sums.wy, sums.yy));
        } else {
            TRY(gs_sum_product(vector, A->ctx->queue, y.nrows, yj.value, &sums));
        }
    }
done:
    return status;
}

/* y = A x and the sums, where all vectors lie where kernels read them. */
static gsolve_status multiply_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                  gsolve_dense w, double *wy, double *yy)
{
    const gs_dist_dots dots = {w, wy, yy};
    gsolve_status status;

    if (!A->comm) return multiply_rows_dot(A, x, y, w, wy, yy);
    if (A->dist) TRY(gs_dist_begin(A, x));
    status = multiply_rows_dot(A, x, y, w, wy, yy);
    if (A->dist) status = gs_dist_end(A, 1, x, 0, y, &dots, status);
    status = gs_dist_sums(A, y.ncols, wy, yy, status);
done:
    return status;
}

/* multiply_dot on a rank that has no memory for its vectors: the others fail, too. */
static gsolve_status fail_dot(const gsolve_matrix *A, gsolve_dense x, int sums,
                              gsolve_status failed)
{
    const gsolve_status status = A->dist ? gs_dist_join(A, false, x, failed) : failed;

    return A->comm ? gs_comm_fail_sum(A->comm, x.ncols * sums, status) : status;
}

enum { X, W, Y, WY, YY }; /* the vectors of a product with sums */

/* Stages the vectors up to number `last`; X and W are read. */
static gsolve_status stage_all(gsolve_context *ctx, gs_stage stage[5], const gsolve_dense vector[5],
                               int last)
{
    gsolve_status status = GSOLVE_OK;

    for (int i = X; i <= last && status == GSOLVE_OK; i++) {
        status = gs_stage_in(&stage[i], ctx, gs_location(ctx), vector[i], i <= W);
    }
    return status;
}

static gsolve_status check_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, const double *wy)
{
    gsolve_status status;

    TRY(check_vectors(A, x, A->csr.ncols, y, A->csr.nrows));
    TRY(check_vectors(A, x, A->csr.ncols, w, A->csr.nrows));
    TRY(gs_need_columns(A->ctx, x, "x of a product with sums"));
    TRY(gs_need_columns(A->ctx, y, "y of a product with sums"));
    TRY(gs_need_columns(A->ctx, w, "w of a product with sums"));
    if (!wy && x.ncols > 0) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_matrix_apply_dot: wy is NULL");
    }
done:
    return status;
}

gsolve_status gsolve_matrix_apply_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                      gsolve_dense w, double *wy, double *yy)
{
    gs_stage stage[5];
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    const gsolve_dense sums = {
        x.ncols, 1, x.ncols, wy, GSOLVE_F64, x.location, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense squares = {
        x.ncols, 1, x.ncols, yy, GSOLVE_F64, x.location, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense vector[] = {x, w, y, sums, squares};
    memset(stage, 0, sizeof stage);
    TRY(agree_on_vectors(A, x, check_dot(A, x, y, w, wy)));
    status = stage_all(A->ctx, stage, vector, yy ? YY : WY);
    if (status != GSOLVE_OK) {
        status = fail_dot(A, x, yy ? 2 : 1, status);
        goto done;
    }
    TRY(multiply_dot(A, stage[X].used, stage[Y].used, stage[W].used, stage[WY].used.value,
                     stage[YY].used.value));
    for (int s = Y; s <= YY; s++) TRY(gs_stage_out(&stage[s], A->ctx));
done:
    for (int s = X; s <= YY; s++) gs_stage_drop(&stage[s], A->ctx);
    return status;
}

bool gs_matrix_can_step(const gsolve_matrix *A)
{
    const gs_format_extras *extras = gs_format_extras_of(A->format);

    return extras && extras->can_step(A->self, A->ctx);
}

gsolve_status gs_matrix_step(const gsolve_matrix *A, const void *x, const gs_step *step)
{
    gsolve_status status;

    TRY(gs_matrix_need_form(A));
    TRY(gs_format_extras_of(A->format)->step(A->self, A->ctx, x, step));
done:
    return status;
}
