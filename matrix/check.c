/* check.c: checks a matrix at its location and describes what is wrong with it. */
#include <limits.h>
#include <math.h>

#include "core/try.h"
#include "matrix/statistics.h"

gsolve_status gs_csr_row_of(gsolve_context *ctx, const gsolve_csr *csr, int64_t entry, int32_t *row)
{
    int32_t low = 0, high = csr->nrows; /* start[low] <= entry < start[high] */
    int64_t offset;
    gsolve_status status = GSOLVE_OK;

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        TRY(gs_csr_offset(ctx, csr, middle, &offset));
        if (offset <= entry) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *row = low;
done:
    return status;
}

static gsolve_status fail_for_entry(gsolve_context *ctx, const gsolve_csr *csr, int64_t entry)
{
    const size_t size = gs_type_size(csr->type);
    int32_t row, col;
    double value;
    float single;
    void *to = csr->type == GSOLVE_F32 ? (void *)&single : &value;
    gsolve_status status;

    TRY(gs_csr_row_of(ctx, csr, entry, &row));
    TRY(gsolve_copy(ctx, &col, GSOLVE_HOST, csr->col + entry, csr->location, sizeof col));
    TRY(gsolve_copy(ctx, to, GSOLVE_HOST, (const char *)csr->value + (size_t)entry * size,
                    csr->location, size));
    if (csr->type == GSOLVE_F32) value = (double)single;
    if (col < 0 || col >= csr->ncols) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_MATRIX,
            "row %d has column index %d (counted from 0); column indices are from 0 to %d", row,
            col, csr->ncols - 1);
    }
    status = gsolve_fail(
        ctx, GSOLVE_BAD_MATRIX,
        "the entry in row %d and column %d (counted from 0) is %g; values must be finite", row, col,
        value);
done:
    return status;
}

static gsolve_status fail_for_offsets(gsolve_context *ctx, const gsolve_csr *csr, int32_t bad)
{
    int64_t begin, end;
    gsolve_status status;

    TRY(gs_csr_offset(ctx, csr, 0, &begin));
    if (begin != 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX, "the first row offset is %lld; it must be 0",
                           (long long)begin);
    }
    TRY(gs_csr_offset(ctx, csr, bad, &begin));
    TRY(gs_csr_offset(ctx, csr, bad + 1, &end));
    status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                         "row %d begins at entry %lld but ends at entry %lld (all counted from 0); "
                         "row offsets must not decrease",
                         bad, (long long)begin, (long long)end);
done:
    return status;
}

static gsolve_status check_view(gsolve_context *ctx, const gsolve_csr *csr)
{
    if (!csr || csr->nrows < 0 || csr->ncols < 0 || !csr->start) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix is NULL, or its size is negative, or it has no row offsets");
    }
    if (!gs_reachable(ctx, csr->location)) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the matrix must be on the host");
    }
    if ((unsigned)csr->type >= GSOLVE_TYPE_COUNT || (unsigned)csr->offset > GSOLVE_O64) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix has an unknown value type or offset type");
    }
    return GSOLVE_OK;
}

gsolve_status gs_csr_inspect(gsolve_context *ctx, const gsolve_csr *csr, gs_csr_findings *found,
                             bool *clean)
{
    gsolve_status status;

    TRY(check_view(ctx, csr));
    TRY(gs_inspector(ctx, csr)->check(found, ctx, csr));
    if (found->bad_row >= 0) return fail_for_offsets(ctx, csr, found->bad_row);
    if (found->entries > 0 && (!csr->col || !csr->value)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix has entries but no columns or values");
    }
    if (found->bad_entry >= 0) return fail_for_entry(ctx, csr, found->bad_entry);
    if (clean)
        *clean = found->ascending && (csr->offset == GSOLVE_O32 || found->entries > INT32_MAX);
done:
    return status;
}

gsolve_status gs_csr_check(gsolve_context *ctx, const gsolve_csr *csr, bool *clean)
{
    gs_csr_findings found;

    return gs_csr_inspect(ctx, csr, &found, clean);
}

gsolve_status gs_check_size_in_blocks(gsolve_context *ctx, int32_t nrows, int32_t ncols,
                                      int32_t height, int32_t width)
{
    if ((int64_t)nrows * height <= INT32_MAX && (int64_t)ncols * width <= INT32_MAX) {
        return GSOLVE_OK;
    }
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "a matrix of %d x %d blocks of %d x %d has 2^31 or more rows or columns",
                       nrows, ncols, height, width);
}

gsolve_status gs_csr_need_host(gsolve_context *ctx, const gsolve_csr *csr)
{
    if (!csr || csr->location == GSOLVE_HOST) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the matrix must be on the host");
}

gsolve_status gs_csr_check_host(gsolve_context *ctx, const gsolve_csr *csr)
{
    const gsolve_status status = gs_csr_need_host(ctx, csr);

    return status == GSOLVE_OK ? gs_csr_check(ctx, csr, NULL) : status;
}

bool gs_rows_ascend(gsolve_context *ctx, const gsolve_csr *A)
{
    gs_csr_findings found;

    return gs_inspector(ctx, A)->check(&found, ctx, A) == GSOLVE_OK && found.bad_row < 0 &&
           found.ascending;
}
