/* operand.c: prepares the caller's matrices for a product, see operand.h. */
#include "spgemm/operand.h"

#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"

void gs_operand_free(gs_operand *in, gsolve_context *ctx)
{
    gsolve_csr_free(&in->own, ctx);
    memset(in, 0, sizeof *in);
}

gsolve_status gs_prefix_matrix(gsolve_context *ctx, const char *name, gsolve_status status)
{
    char message[sizeof ctx->error];

    if (status != GSOLVE_BAD_MATRIX && status != GSOLVE_BAD_ARGUMENT) return status;
    memcpy(message, ctx->error, sizeof message);
    return gsolve_fail(ctx, status, "%s: %.900s", name, message);
}

/* *own = csr with sorted rows, where kernels read it. The host sorts. */
static gsolve_status sort_rows(gsolve_csr *own, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_csr fetched = {0}, sorted = {0};
    gsolve_status status;

    TRY(gs_csr_to_host(&csr, ctx, &fetched));
    TRY(gs_csr_clean(&sorted, ctx, csr, false, NULL));
    gsolve_csr_free(&fetched, ctx);
    if (gs_location(ctx) == GSOLVE_DEVICE) {
        TRY(gs_csr_move(own, ctx, GSOLVE_DEVICE, &sorted));
    } else {
        *own = sorted;
        memset(&sorted, 0, sizeof sorted);
    }
done:
    gsolve_csr_free(&fetched, ctx);
    gsolve_csr_free(&sorted, ctx);
    return status;
}

gsolve_status gs_operand_prepare(gs_operand *out, gsolve_context *ctx, const char *name,
                                 const gsolve_csr *given)
{
    gs_operand in = {0};
    gs_csr_findings findings;
    gsolve_status status = gs_csr_inspect(ctx, given, &findings, NULL);

    if (status != GSOLVE_OK) return gs_prefix_matrix(ctx, name, status);
    in.entries = findings.entries;
    if (!findings.ascending) {
        TRY(sort_rows(&in.own, ctx, given));
        TRY(gs_csr_entries(ctx, &in.own, &in.entries)); /* after duplicates have been summed */
    } else if (given->location != gs_location(ctx)) {
        TRY(gs_csr_move(&in.own, ctx, gs_location(ctx), given));
    }
    in.used = in.own.start ? in.own : *given;
    *out = in;
done:
    if (status != GSOLVE_OK) gs_operand_free(&in, ctx);
    return status;
}

gsolve_status gs_operand_own(gs_operand *in, gsolve_context *ctx, bool values)
{
    const gsolve_csr from = in->used;
    const size_t entries = (size_t)in->entries;
    gsolve_csr own = from;
    gsolve_status status;

    if (in->own.start) return GSOLVE_OK; /* it owns all three arrays */
    TRY(gs_csr_new_arrays(&own, ctx, in->entries, values));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &own);
    TRY(gsolve_copy(ctx, to.start, own.location, from.start, from.location,
                    ((size_t)from.nrows + 1) * gs_offset_size(from.offset)));
    TRY(gsolve_copy(ctx, to.col, own.location, from.col, from.location,
                    entries * sizeof *from.col));
    if (values) {
        TRY(gsolve_copy(ctx, to.value, own.location, from.value, from.location,
                        entries * gs_type_size(from.type)));
    }
    in->used = in->own = own;
    if (!values) in->used.value = from.value;
    memset(&own, 0, sizeof own);
done:
    gsolve_csr_free(&own, ctx);
    return status;
}

void gs_operand_free_values(gs_operand *in, gsolve_context *ctx)
{
    gsolve_free(ctx, in->own.location, in->own.value);
    in->own.value = in->used.value = NULL;
}

static gsolve_status fail_pattern(gsolve_context *ctx, const char *name, const gsolve_csr *given)
{
    int64_t entries = 0;

    gs_csr_entries(ctx, given, &entries);
    return gsolve_fail(
        ctx, GSOLVE_BAD_MATRIX,
        "%s: the new matrix (%d x %d, %lld entries) differs in pattern or type from the "
        "matrix of the product; create a new product",
        name, given->nrows, given->ncols, (long long)entries);
}

/* *same: given is where kernels read it, has the pattern of kept, and has finite values. */
static gsolve_status inspect_values(gsolve_context *ctx, const gs_operand *kept,
                                    const gsolve_csr *given, bool *same)
{
    const gsolve_csr *A = &kept->used;

    *same = A->nrows == given->nrows && A->ncols == given->ncols && A->type == given->type &&
            A->location == given->location && (unsigned)given->offset <= GSOLVE_O64 &&
            given->start && (kept->entries == 0 || (given->col && given->value));
    return *same ? gs_inspector(ctx, A)->compare(ctx, A, kept->entries, given, true, same)
                 : GSOLVE_OK;
}

gsolve_status gs_operand_update(gs_operand *fresh, gsolve_context *ctx, const char *name,
                                const gs_operand *kept, const gsolve_csr *given)
{
    const gsolve_csr *A = &kept->used;
    gs_operand in = {0};
    bool same;
    gsolve_status status;

    TRY(inspect_values(ctx, kept, given, &same));
    if (same) {
        *fresh = (gs_operand){.used = *A};
        fresh->used.value = given->value;
        return GSOLVE_OK;
    }
    TRY(gs_operand_prepare(&in, ctx, name,
                           given)); /* finds errors, and sorts rows of another order */
    same = A->nrows == given->nrows && A->ncols == given->ncols && A->type == given->type &&
           in.entries == kept->entries;
    if (same) {
        TRY(gs_inspector(ctx, A)->compare(ctx, A, in.entries, &in.used, false, &same));
    }
    if (!same) {
        status = fail_pattern(ctx, name, given);
        goto done;
    }
    in.used.start = A->start;
    in.used.col = A->col;
    in.used.offset = A->offset;
    *fresh = in;
    memset(&in, 0, sizeof in);
done:
    gs_operand_free(&in, ctx);
    return status;
}

gsolve_status gs_operands_check(gsolve_context *ctx, const char *names, const gsolve_csr *A,
                                const gsolve_csr *B)
{
    if (A->ncols != B->nrows) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "%s: %d x %d and %d x %d cannot be multiplied: the first has %d columns "
                           "and the second %d rows",
                           names, A->nrows, A->ncols, B->nrows, B->ncols, A->ncols, B->nrows);
    }
    if (A->type != B->type) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%s: one matrix has single and the other double precision; convert one "
                           "with gsolve_csr_convert",
                           names);
    }
    if (A->location != B->location) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%s: one matrix is on the host and the other on the device; move one",
                           names);
    }
    return GSOLVE_OK;
}
