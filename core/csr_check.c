/* csr_check.c: what may be called a matrix. One pass over the entries, rows in parallel. */
#include "core/csr.h"

#include <limits.h>
#include <math.h>

enum { CLEAN, UNSORTED, BAD_COLUMN, BAD_VALUE }; /* what can be said of a row, worst last */

static bool all_finite(const gsolve_csr *csr, int64_t from, int64_t to)
{
    double sum = 0; /* x - x is 0 for a finite x and nan for others */

    if (csr->type == GSOLVE_F32) {
        const float *v = csr->value;
        for (int64_t k = from; k < to; k++) sum += (double)(v[k] - v[k]);
    } else {
        const double *v = csr->value;
        for (int64_t k = from; k < to; k++) sum += v[k] - v[k];
    }
    return sum == 0;
}

static int judge_row(const gsolve_csr *csr, int64_t from, int64_t to)
{
    int verdict = CLEAN;

    for (int64_t k = from; k < to; k++) {
        if (csr->col[k] < 0 || csr->col[k] >= csr->ncols) return BAD_COLUMN;
        if (k > from && csr->col[k] <= csr->col[k - 1]) verdict = UNSORTED;
    }
    return all_finite(csr, from, to) ? verdict : BAD_VALUE;
}

static gsolve_status blame(gsolve_context *ctx, const gsolve_csr *csr, int32_t row)
{
    for (int64_t k = gs_start(csr, row); k < gs_start(csr, row + 1); k++) {
        if (csr->col[k] < 0 || csr->col[k] >= csr->ncols) {
            return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                               "row %d names column %d; columns count from 0 to %d", row,
                               csr->col[k], csr->ncols - 1);
        }
        if (!isfinite(gs_value(csr, k))) {
            return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                               "the entry in row %d and column %d is %g; values must be finite",
                               row, csr->col[k], gs_value(csr, k));
        }
    }
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX, "row %d is malformed", row);
}

static gsolve_status check_offsets(gsolve_context *ctx, const gsolve_csr *csr)
{
    int32_t bad = INT32_MAX;

    if (gs_start(csr, 0) != 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX, "the first offset is %lld; it must be 0",
                           (long long)gs_start(csr, 0));
    }
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(min : bad)
    for (int32_t i = 0; i < csr->nrows; i++) {
        if (gs_start(csr, i + 1) < gs_start(csr, i) && i < bad) bad = i;
    }
    if (bad == INT32_MAX) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                       "row %d begins at entry %lld and ends before it, at %lld; offsets must not "
                       "decrease",
                       bad, (long long)gs_start(csr, bad), (long long)gs_start(csr, bad + 1));
}

gsolve_status gs_csr_check(gsolve_context *ctx, const gsolve_csr *csr, bool *clean)
{
    int32_t bad = INT32_MAX;
    int unsorted = 0;
    gsolve_status status;

    if (!csr || csr->nrows < 0 || csr->ncols < 0 || !csr->start) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix is missing, or its size is negative, or it has no offsets");
    }
    if (csr->place != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the matrix must lie on the host");
    }
    if ((unsigned)csr->type >= GSOLVE_TYPE_COUNT || (unsigned)csr->offset > GSOLVE_O64) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix is of an unknown value or offset type");
    }
    status = check_offsets(ctx, csr);
    if (status != GSOLVE_OK) return status;
    if (gs_start(csr, csr->nrows) > 0 && (!csr->col || !csr->value)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix has entries but no columns or values");
    }
#pragma omp parallel for schedule(dynamic, 4096) num_threads(gsolve_threads(ctx)) reduction(min    \
                                                                                            : bad) \
    reduction(|                                                                                    \
              : unsorted)
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int verdict = judge_row(csr, gs_start(csr, i), gs_start(csr, i + 1));
        if (verdict == UNSORTED) unsorted |= 1;
        if (verdict > UNSORTED && i < bad) bad = i;
    }
    if (bad != INT32_MAX) return blame(ctx, csr, bad);
    *clean = !unsorted && (csr->offset == GSOLVE_O32 || gs_start(csr, csr->nrows) > INT32_MAX);
    return GSOLVE_OK;
}
