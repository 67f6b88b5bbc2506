/* null_space.c: the null spaces that a matrix handle holds, and the projection of a vector.
 * set_null_space.c makes and checks them. */
#include "matrix/null_space.h"

#include <math.h>

#include "core/try.h"
#include "dist/comm.h"
#include "spmv/handle.h"
#include "vector/vector.h"

/* --- the projection --------------------------------------------------------------------------- */

gsolve_status gs_null_project(gsolve_context *ctx, const gs_null_space *N, gsolve_dense v,
                              double *h)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, v.type);
    const gs_basis_vectors V = {N->V.ncols, N->V.type, N->V.value, N->V.stride};
    double *of_V = h + N->constants;
    gsolve_status status = GSOLVE_OK;

    if (N->n == 0) return GSOLVE_OK;
    if (N->constants) {
        TRY(gs_comm_defer(N->comm, vector->sum(ctx->queue, v.nrows, v.value, h)));
        TRY(gs_comm_sum_of(N->comm, h, 1));
        TRY(vector->shift(ctx->queue, v.nrows, h, -1.0 / (double)N->n, v.value));
    }
    if (V.m > 0) {
        TRY(gs_comm_defer(N->comm, vector->dots(ctx->queue, v.nrows, V, v.value, of_V)));
        TRY(gs_comm_sum_of(N->comm, of_V, V.m));
        TRY(vector->combine(ctx->queue, v.nrows, V, of_V, -1, v.value, NULL));
    }
done:
    return status;
}

double gs_null_norm(const gs_null_space *N, const double *h)
{
    double norm = N->constants ? fabs(h[0]) / sqrt((double)N->n) : 0;

    for (int32_t i = N->constants; i < gs_null_dimension(N); i++) norm = hypot(norm, h[i]);
    return norm;
}

/* --- the handle ------------------------------------------------------------------------------- */

void gs_null_space_drop(gs_null_space *N, gsolve_context *ctx)
{
    gsolve_free(ctx, gs_location(ctx), N->V.value);
    *N = (gs_null_space){0};
}

void gs_matrix_drop_null_spaces(gsolve_matrix *A)
{
    gs_null_spaces *own = &A->null_spaces;
    const uint64_t version = own->version;

    if (!own->borrowed) {
        if (own->left.V.value != own->right.V.value) gs_null_space_drop(&own->left, A->ctx);
        gs_null_space_drop(&own->right, A->ctx);
    }
    *own = (gs_null_spaces){.version = version};
}

const gs_null_spaces *gs_matrix_null_spaces(const gsolve_matrix *A)
{
    return &A->null_spaces;
}

void gs_matrix_borrow_null_spaces(gsolve_matrix *A, const gsolve_matrix *B)
{
    gs_matrix_drop_null_spaces(A);
    A->null_spaces = B->null_spaces;
    A->null_spaces.borrowed = true;
}
