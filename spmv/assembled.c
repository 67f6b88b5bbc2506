/* assembled.c: new values of a matrix from the values of triplets, which an assembly sums. */
#include "core/try.h"
#include "matrix/assembly.h"
#include "spmv/handle.h"

static gsolve_status check(const gsolve_matrix *A, const gsolve_assembly *plan)
{
    if (!plan || plan->ctx != A->ctx) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_update_assembled: the assembly is %s",
                           plan ? "in another context than the matrix" : "NULL");
    }
    return gs_matrix_check_rows(A);
}

/* Fails unless A has the pattern of plan. The patterns are compared in the first call for both. */
static gsolve_status need_pattern(gsolve_matrix *A, const gsolve_assembly *plan)
{
    const gsolve_csr *csr = &plan->csr;
    bool same = csr->nrows == A->csr.nrows && csr->ncols == A->csr.ncols &&
                csr->type == A->csr.type && plan->entries == A->entries;
    gsolve_status status = GSOLVE_OK;

    if (A->assembly == plan->number) return GSOLVE_OK;
    if (same) {
        TRY(gs_inspector(A->ctx, csr)->compare(A->ctx, &A->csr, A->entries, csr, false, &same));
    }
    if (!same) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_MATRIX,
                           "the matrix of the assembly (%d x %d, %lld entries) has another pattern "
                           "or type than the matrix to update; create the matrix from "
                           "gsolve_assembly_csr",
                           csr->nrows, csr->ncols, (long long)plan->entries);
    }
    A->assembly = plan->number;
done:
    return status;
}

static gsolve_status fail_for_entry(const gsolve_matrix *A, int64_t entry)
{
    int32_t row = 0, col = 0;
    gsolve_status status;

    TRY(gs_csr_row_of(A->ctx, &A->csr, entry, &row));
    TRY(gsolve_copy(A->ctx, &col, GSOLVE_HOST, A->csr.col + entry, A->csr.location, sizeof col));
    status =
        gsolve_fail(A->ctx, GSOLVE_BAD_MATRIX,
                    "the sum of the triplets in row %d and column %d (counted from 0) is "
                    "not finite; the values of the matrix are undefined until an update succeeds",
                    row, col);
done:
    return status;
}

gsolve_status gsolve_matrix_update_assembled(gsolve_matrix *A, gsolve_assembly *plan,
                                             const void *value, gsolve_location location)
{
    int64_t bad;
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    TRY(check(A, plan));
    TRY(gs_assembly_check_values(plan, value, location));
    TRY(gs_matrix_need_csr(A));
    TRY(need_pattern(A, plan));
    TRY(gs_assembly_sum(plan, value, location, gs_owned_block(A->ctx, A->csr.value), false, &bad));
    if (bad >= 0) {
        status = fail_for_entry(A, bad);
        goto done;
    }
    TRY(gs_matrix_refresh_rows(A));
    TRY(gs_matrix_update_form(A));
done:
    return status;
}
