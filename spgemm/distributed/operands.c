/* operands.c: see operands.h. */
#include "spgemm/distributed/operands.h"

#include <string.h>

#include "core/try.h"
#include "dist/row_range.h"
#include "spgemm/operand.h"

static bool same_range(const gsolve_row_range *a, const gsolve_row_range *b)
{
    return a->first == b->first && a->count == b->count;
}

static gsolve_status fail_division(gsolve_context *ctx, const char *names,
                                   const gsolve_row_range *a, const gsolve_row_range *b)
{
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "%s: this rank owns columns %lld to %lld of the first matrix, but rows %lld "
                       "to %lld of the second (counted from 0, without the last number); divide "
                       "them in the same way",
                       names, (long long)a->first, (long long)a->first + a->count,
                       (long long)b->first, (long long)b->first + b->count);
}

gsolve_status gs_dist_check_fit(gsolve_context *ctx, const char *names, const gsolve_dist_csr *A,
                                const gsolve_dist_csr *B)
{
    if (gs_location(ctx) != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "%s: distributed matrices are multiplied on CPUs only; create the "
                           "contexts of all ranks with the device cpu",
                           names);
    }
    if (A->cols.total != B->rows.total) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "%s: the first matrix has %lld columns and the second %lld rows, so "
                           "they cannot be multiplied",
                           names, (long long)A->cols.total, (long long)B->rows.total);
    }
    if (A->type != B->type) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%s: one matrix has single and the other double precision; convert one",
                           names);
    }
    return same_range(&A->cols, &B->rows) ? GSOLVE_OK
                                          : fail_division(ctx, names, &A->cols, &B->rows);
}

/* *used = the complete rows of `given` with ascending columns: its arrays or, if it must be sorted,
 * those of *own. Local. */
static gsolve_status prepare(gsolve_dist_csr *used, gsolve_dist_csr *own, gsolve_context *ctx,
                             const char *name, const gsolve_dist_csr *given)
{
    gsolve_csr shape;
    gsolve_status status;

    TRY(gs_dist_check_view(ctx, given));
    *used = gs_dist_complete(given);
    TRY(gs_dist_shape(&shape, ctx, used));
    TRY(gs_dist_check_entries(ctx, used, &shape));
    if (gs_dist_rows_ascend(used)) return GSOLVE_OK;
    TRY(gs_dist_sort(own, ctx, used, &shape));
    *used = *own;
done:
    return gs_prefix_matrix(ctx, name, status);
}

/* All ranks check the ranges of all ranks. */
static gsolve_status check_ranges(gsolve_context *ctx, const gsolve_dist_csr *csr)
{
    gs_ownership owner = {0};
    gsolve_status status;

    TRY(gs_ownership_new(&owner, ctx, &csr->rows, "rows"));
    gs_ownership_drop(&owner, ctx);
    TRY(gs_ownership_new(&owner, ctx, &csr->cols, "columns"));
    gs_ownership_drop(&owner, ctx);
done:
    return status;
}

gsolve_status gs_dist_operand_prepare(gs_dist_operand *in, gsolve_context *ctx, const char *name,
                                      const gsolve_dist_csr *given)
{
    gsolve_status status;

    memset(in, 0, sizeof *in);
    TRY(gs_comm_check(ctx->comm, prepare(&in->used, &in->own, ctx, name, given)));
    TRY(gs_comm_same(ctx->comm, (uint64_t)in->used.type, "the value types of the matrix"));
    TRY(check_ranges(ctx, &in->used));
done:
    if (status != GSOLVE_OK) gs_dist_operand_free(in, ctx);
    return status;
}

void gs_dist_operand_free(gs_dist_operand *in, gsolve_context *ctx)
{
    gsolve_dist_csr_free(&in->own, ctx);
    memset(in, 0, sizeof *in);
}
