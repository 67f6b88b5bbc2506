/* product.c: the products of several ranks. */
#include "core/try.h"
#include "spmv/distributed/distributed.h"
#include "vector/blocks.h"

/* A column c of x, of y, or of the ghost elements: element i is at[i * step]. */
#define GS_BODY "spmv/distributed/product_body.h"
#include "core/each_type.h"

gsolve_status gs_dist_begin(const gsolve_matrix *A, gsolve_dense x)
{
    gs_halo *halo = &A->dist->halo;
    gsolve_status status;

    TRY(gs_halo_reserve(halo, A->ctx, x.type, x.ncols));
    TRY(gs_halo_begin(halo, A->ctx, x));
done:
    return status;
}

gsolve_status gs_dist_end(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                          gsolve_dense y, gsolve_status interior)
{
    const gs_dist_matrix *D = A->dist;
    const int threads =
        gs_threads_for(gs_start(&D->boundary, D->boundary_rows) * x.ncols, gsolve_threads(A->ctx));
    gsolve_status status = gs_halo_end(&A->dist->halo, A->ctx);

    if (status != GSOLVE_OK || interior != GSOLVE_OK) return interior ? interior : status;
    if (D->boundary_rows == 0) return GSOLVE_OK;
    if (x.type == GSOLVE_F32) {
        multiply_boundary_f32(D, threads, alpha, &x, beta, &y);
    } else {
        multiply_boundary_f64(D, threads, alpha, &x, beta, &y);
    }
    return status;
}

gsolve_status gs_dist_transposed(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                 gsolve_dense y, gsolve_status interior)
{
    gs_dist_matrix *D = A->dist;
    gsolve_status status;

    TRY(gs_halo_reserve(&D->halo, A->ctx, x.type, x.ncols));
    if (D->boundary_rows > 0 && x.type == GSOLVE_F32) multiply_transposed_f32(D, alpha, &x, &y);
    if (D->boundary_rows > 0 && x.type == GSOLVE_F64) multiply_transposed_f64(D, alpha, &x, &y);
    TRY(gs_halo_add_back(&D->halo, A->ctx, y));
    status = interior;
done:
    return status;
}

gsolve_status gs_dist_sums(const gsolve_matrix *A, gsolve_dense y, gsolve_dense w, double *wy,
                           double *yy, gsolve_status product)
{
    const gs_numbers part[] = {{wy, y.ncols}, {yy, y.ncols}};
    gsolve_status status;

    for (int32_t c = 0; A->dist && c < y.ncols; c++) {
        if (y.type == GSOLVE_F32) {
            add_sums_f32(A->dist, gs_column_of(y, c).value, gs_column_of(w, c).value, &wy[c],
                         yy ? &yy[c] : NULL);
        } else {
            add_sums_f64(A->dist, gs_column_of(y, c).value, gs_column_of(w, c).value, &wy[c],
                         yy ? &yy[c] : NULL);
        }
    }
    status = gs_comm_defer(A->ctx->comm, product);
    return status == GSOLVE_OK ? gs_comm_sum(A->ctx->comm, part, yy ? 2 : 1) : status;
}

gsolve_status gs_dist_agree(const gsolve_matrix *A, bool transposed, gsolve_dense x,
                            gsolve_status product)
{
    size_t *widest = &A->dist->multiplied[transposed][x.layout];
    const size_t width = (size_t)x.ncols * gs_type_size(x.type);
    gsolve_status status = product;

    if (width <= *widest) return product;
    TRY(gs_comm_check(A->ctx->comm, product));
    *widest = width;
done:
    return status;
}
