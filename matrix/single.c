/* single.c: which doubles single precision cannot hold: those that overflow, and those that are not
 * zero and become zero. */
#include <math.h>

#include "matrix/csr.h"

/* Whether single precision loses value. Values that are not finite are no loss: gs_csr_check
 * refuses them. */
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
