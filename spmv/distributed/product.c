/* product.c: the products of several ranks. */
#include "core/try.h"
#include "spmv/distributed/distributed.h"
#include "vector/blocks.h"

/* A column c of x, of y, or of the ghost elements: element i is at[i * step]. */
#define GS_BODY "spmv/distributed/product_body.h"
#include "core/each_type.h"

const gs_boundary_kernels gs_boundary_host[GSOLVE_TYPE_COUNT] = {{multiply_f32, transposed_f32},
                                                                 {multiply_f64, transposed_f64}};

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
                          gsolve_dense y, const gs_dist_dots *dots, gsolve_status interior)
{
    gsolve_status status = gs_halo_end(&A->dist->halo, A->ctx);

    if (status != GSOLVE_OK || interior != GSOLVE_OK) return interior ? interior : status;
    if (A->dist->boundary_rows == 0 || x.ncols == 0) return GSOLVE_OK;
    return GS_SCALAR_KERNELS(gs_boundary, A->ctx, x.type)
        ->multiply(A->ctx->queue, A->dist, alpha, &x, beta, &y, dots);
}

/* The product with the transposed boundary rows. Its elements for other ranks are in the
 * buffer of the halo. */
static gsolve_status multiply_back(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                   gsolve_dense y)
{
    gsolve_status status = GSOLVE_OK;

    if (A->dist->boundary_rows == 0 || x.ncols == 0) return GSOLVE_OK;
    TRY(gs_dist_need_back(A->dist, A->ctx));
    TRY(GS_SCALAR_KERNELS(gs_boundary, A->ctx, x.type)
            ->transposed(A->ctx->queue, A->dist, alpha, &x, &y));
done:
    return status;
}

gsolve_status gs_dist_transposed(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                 gsolve_dense y, gsolve_status interior)
{
    gs_halo *halo = &A->dist->halo;
    gsolve_status status;

    TRY(gs_halo_reserve(halo, A->ctx, x.type, x.ncols));
    if (interior == GSOLVE_OK) interior = multiply_back(A, alpha, x, y);
    TRY(gs_halo_add_back(halo, A->ctx, y));
    status = interior;
done:
    return status;
}

gsolve_status gs_dist_sums(const gsolve_matrix *A, int32_t ncols, double *wy, double *yy,
                           gsolve_status product)
{
    const gs_numbers part[] = {{wy, ncols, NULL}, {yy, ncols, NULL}};
    const gsolve_status status = gs_comm_defer(A->comm, product);

    return status == GSOLVE_OK ? gs_comm_sum(A->comm, part, yy ? 2 : 1) : status;
}

gsolve_status gs_dist_agree(const gsolve_matrix *A, bool transposed, gsolve_dense x,
                            gsolve_status product)
{
    size_t *widest = &A->dist->multiplied[transposed][x.layout];
    const size_t width = (size_t)x.ncols * gs_type_size(x.type);
    gsolve_status status = product;

    if (A->ctx->depth > 1 && width <= *widest) return product;
    TRY(gs_comm_check(A->ctx->comm, product));
    *widest = width;
done:
    return status;
}

gsolve_status gs_dist_join(const gsolve_matrix *A, bool transposed, gsolve_dense x,
                           gsolve_status failed)
{
    gs_halo *halo = &A->dist->halo;
    gsolve_status status;

    TRY(gs_halo_reserve(halo, A->ctx, x.type, x.ncols));
    TRY(gs_halo_join(halo, A->ctx, x.ncols, transposed));
    status = failed;
done:
    return status;
}
