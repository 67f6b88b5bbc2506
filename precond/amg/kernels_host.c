/* kernels_host.c: instances of kernels_body.h. */
#include "precond/amg/kernels.h"

#include "precond/amg/options.h"
#include "precond/diagonal.h"
#include "vector/lanes.h"

static gsolve_status pack(gs_queue *q, int64_t n, const uint8_t *flag, uint32_t *bits)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t w = 0; w < (n + 31) / 32; w++) {
        uint32_t word = 0;
        for (int b = 0; b < 32 && 32 * w + b < n; b++)
            word |= (uint32_t)(flag[32 * w + b] > 0) << b;
        bits[w] = word;
    }
    return GSOLVE_OK;
}

static gsolve_status sum(gsolve_context *ctx, int32_t n, int32_t *count, int64_t *first,
                         int64_t *total)
{
    (void)ctx;
    count[n] = 0;
    first[0] = 0;
    for (int32_t i = 0; i < n; i++) first[i + 1] = first[i] + count[i];
    *total = first[n];
    return GSOLVE_OK;
}

static gsolve_status number(gsolve_context *ctx, int32_t n, int32_t *number, int32_t *total)
{
    (void)ctx;
    *total = 0;
    for (int32_t i = 0; i <= n; i++) {
        const int32_t count = number[i];
        number[i] = *total;
        *total += count;
    }
    return GSOLVE_OK;
}

#define GS_BODY "precond/amg/kernels_body.h"
#include "core/each_type.h"

const gs_amg_kernels gs_amg_host[GSOLVE_TYPE_COUNT] = {
    {sum, number, transpose_values_f32, pack, dense_f32},
    {sum, number, transpose_values_f64, pack, dense_f64}};
