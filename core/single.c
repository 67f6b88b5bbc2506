/* single.c: which doubles single precision cannot hold: those that overflow, and those that are not
 * zero and become zero. */
#include <math.h>

#include "core/csr.h"
#include "core/try.h"

/* Values that are not finite anyway are refused elsewhere. */
static inline bool is_lost(double value)
{
    const float single = (float)value;
    return (single == 0) != (value == 0) || (isinf(single) && isfinite(value));
}

int64_t gs_first_lost(const gsolve_context *ctx, int64_t n, const double *value)
{
    int64_t first = INT64_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) \
    reduction(min : first) if (n > 10000)
    for (int64_t k = 0; k < n; k++) {
        if (is_lost(value[k]) && k < first) first = k;
    }
    return first == INT64_MAX ? -1 : first;
}

const char *gs_single_words(double value)
{
    return fabs(value) < 1 ? "0" : "infinite";
}

gsolve_status gs_need_single(gsolve_context *ctx, gsolve_dense v, const char *what)
{
    const bool here = v.place == GSOLVE_HOST || gs_place(ctx) == GSOLVE_HOST;
    double *fetched = NULL;
    gsolve_status status = GSOLVE_OK;

    if (v.type != GSOLVE_F64) return GSOLVE_OK;
    if (!here) ALLOC(ctx, GSOLVE_HOST, fetched, v.nrows);
    for (int32_t c = 0; c < v.ncols; c++) {
        const double *value = gs_column_of(v, c).value;
        if (!here) {
            TRY(gsolve_copy(ctx, fetched, GSOLVE_HOST, value, v.place,
                            (size_t)v.nrows * sizeof *fetched));
            value = fetched;
        }
        const int64_t lost = gs_first_lost(ctx, v.nrows, value);
        if (lost < 0) continue;
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "the element of %s in row %lld and column %d is %g, which would be %s "
                             "in single precision; scale the system, or compute in double "
                             "precision",
                             what, (long long)lost, c, value[lost], gs_single_words(value[lost]));
        goto done;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, fetched);
    return status;
}
