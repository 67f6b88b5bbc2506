/* blocked_host.c: the conversions on the CPU. */
#include <string.h>

#include "spgemm/blocked/blocked.h"

static gsolve_status offsets(gsolve_context *ctx, const gsolve_csr *B, int64_t *count)
{
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, B);
    int64_t sum = 0;

    for (int32_t i = 0; i < B->nrows; i++) {
        gs_set_start(&to, i, sum);
        sum += count[i];
    }
    gs_set_start(&to, B->nrows, sum);
    return GSOLVE_OK;
}

static gsolve_status total(gsolve_context *ctx, int32_t n, const int64_t *count, int64_t *sum)
{
    (void)ctx;
    *sum = 0;
    for (int32_t i = 0; i < n; i++) *sum += count[i];
    return GSOLVE_OK;
}

#define GS_BODY "spgemm/blocked/blocked_body.h"
#include "core/each_type.h"

const gs_blocked_kernels gs_blocked_host[GSOLVE_TYPE_COUNT] = {
    {count_f32, fill_f32, refill_f32, offsets, total, spread_f32},
    {count_f64, fill_f64, refill_f64, offsets, total, spread_f64},
};
