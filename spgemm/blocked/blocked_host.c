/* blocked_host.c: the conversions of blocked.h on the CPU. */
#include "spgemm/blocked/blocked.h"

#include <string.h>

static gsolve_status number(gsolve_context *ctx, int32_t n, int64_t *count, int64_t *total)
{
    (void)ctx;
    *total = 0;
    for (int32_t i = 0; i <= n; i++) {
        const int64_t own = i < n ? count[i] : 0;
        count[i] = *total;
        *total += own;
    }
    return GSOLVE_OK;
}

#define GS_BODY "spgemm/blocked/blocked_body.h"
#include "core/each_type.h"

const gs_blocked_kernels GS_LEVEL(gs_blocked_host)[GSOLVE_TYPE_COUNT] = {
    {count_f32, fill_f32, refill_f32, number, spread_f32},
    {count_f64, fill_f64, refill_f64, number, spread_f64},
};
