/* update.c: new values of a distributed matrix. */
#include <string.h>

#include "core/try.h"
#include "dist/rows.h"
#include "spmv/distributed/distributed.h"

static gsolve_status check_arguments(const gsolve_matrix *A, const gsolve_dist_csr *csr)
{
    if (!A->dist) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_update_dist needs a matrix of gsolve_matrix_create_dist; "
                           "update this one by gsolve_matrix_update");
    }
    if (!csr || !csr->start || csr->location != GSOLVE_HOST) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_update_dist: csr is NULL, has no offsets, or is not on "
                           "the host");
    }
    return GSOLVE_OK;
}

/* Fails unless csr has the pattern and the type of this rank's rows, and finite values. */
static gsolve_status check_rows(const gsolve_matrix *A, const gsolve_dist_csr *csr,
                                gsolve_csr *shape)
{
    const gs_dist_matrix *D = A->dist;
    const gsolve_row_range *rows = &csr->rows;
    gsolve_status status;

    if (rows->first == D->rows.first && rows->count == D->rows.count && csr->type == A->csr.type) {
        TRY(gs_dist_shape(shape, A->ctx, csr));
        if (gs_start(shape, shape->nrows) == D->given && (D->given == 0 || csr->col) &&
            gs_dist_pattern(A->ctx, shape, csr->col) == D->given_pattern) {
            return gs_dist_check_entries(A->ctx, csr, shape);
        }
    }
    status = gsolve_fail(A->ctx, GSOLVE_BAD_MATRIX,
                         "the new rows have another pattern or type than those to update; create a "
                         "new handle for them");
done:
    return status;
}

/* *sorted = the sums of the values in the order of the sorted rows. */
static void sum_values(const gs_dist_matrix *D, const gsolve_csr *shape, int64_t entries,
                       void *sorted)
{
    memset(sorted, 0, (size_t)entries * gs_type_size(shape->type));
    for (int64_t k = 0; k < D->given; k++) {
        if (shape->type == GSOLVE_F32) {
            ((float *)sorted)[D->destination[k]] += ((const float *)shape->value)[k];
        } else {
            ((double *)sorted)[D->destination[k]] += ((const double *)shape->value)[k];
        }
    }
}

/* Checks csr and reserves what an update needs: *sorted, if the entries must be sorted. */
static gsolve_status prepare(const gsolve_matrix *A, const gsolve_dist_csr *csr, gsolve_csr *shape,
                             int64_t entries, void **sorted)
{
    gsolve_status status;

    TRY(check_arguments(A, csr));
    const gsolve_dist_csr own = gs_dist_complete(csr);
    TRY(check_rows(A, &own, shape));
    if (!A->dist->destination) return GSOLVE_OK;
    *sorted = gsolve_alloc(A->ctx, GSOLVE_HOST, (size_t)entries, gs_type_size(shape->type));
    if (!*sorted) return GSOLVE_NO_MEMORY;
done:
    return status;
}

/* What kernels read follows the new values on the host. */
static gsolve_status renew(gsolve_matrix *A)
{
    gsolve_status status;

    TRY(gs_matrix_send_rows(A));
    TRY(gs_dist_renew_boundary(A->dist, A->ctx));
    TRY(gs_matrix_update_form(A));
done:
    return status;
}

gsolve_status gsolve_matrix_update_dist(gsolve_matrix *A, const gsolve_dist_csr *csr)
{
    void *sorted = NULL;
    gsolve_csr shape = {0};
    int64_t entries;
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    entries = A->dist ? A->entries + gs_start(&A->dist->boundary, A->dist->boundary_rows) : 0;
    TRY(gs_comm_check(A->ctx->comm, prepare(A, csr, &shape, entries, &sorted)));
    if (sorted) sum_values(A->dist, &shape, entries, sorted);
    gs_dist_split_values(A->dist, A->ctx, &A->rows, sorted ? sorted : shape.value);
    gs_dist_release_block(A, false);
    TRY(gs_comm_check(A->ctx->comm, renew(A)));
done:
    gsolve_free(A->ctx, GSOLVE_HOST, sorted);
    return status;
}
