/* kernels_host.c: the kernels of kernels.h on the CPU. */
#include "precond/amg/kernels.h"

#include "precond/diagonal.h"

#define SMALL static inline
#include "precond/amg/transfer/transfer_rules.h"

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

static gsolve_status transpose_values(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R,
                                      void *value)
{
    const gsolve_dense from = {.value = (void *)P->value, .type = P->type};
    const gsolve_dense to = {.value = value, .type = R->type};

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t c = 0; c < R->nrows; c++) {
        for (int64_t k = gs_start(R, c); k < gs_start(R, c + 1); k++) {
            gs_set_element(to, k, 0, gs_element(from, gs_entry_at(P, R->col[k], c), 0));
        }
    }
    return GSOLVE_OK;
}

const gs_amg_kernels GS_LEVEL(gs_amg_host)[GSOLVE_TYPE_COUNT] = {
    {sum, number, transpose_values, pack, NULL}, {sum, number, transpose_values, pack, NULL}};
