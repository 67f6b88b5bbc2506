/* triples_host.c: the kernel table of the formats by coordinates on the CPU. */
#include "spmv/yardsticks/triples.h"

#include <string.h>

#include "core/try.h"
#include "spmv/handle.h"

#define SERIAL 4096 /* rows: fewer are not worth a parallel region */

static int64_t length_of(const gsolve_csr *csr, int32_t i)
{
    return gs_start(csr, i + 1) - gs_start(csr, i);
}

/* Fills t's entries and row, and t->nonempty except its columns and values. */
static gsolve_status find_rows(gs_triples *t, gsolve_context *ctx)
{
    const gsolve_csr *csr = &t->csr;
    void *start = NULL;
    int32_t n = 0;
    gsolve_status status;

    for (int32_t i = 0; i < csr->nrows; i++) n += length_of(csr, i) > t->skip;
    ALLOC(ctx, gs_location(ctx), t->row, n);
    start = gsolve_alloc(ctx, gs_location(ctx), (size_t)n + 1, gs_offset_size(csr->offset));
    TRY(start ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    t->nonempty = *csr;
    t->nonempty.nrows = n;
    t->nonempty.start = start;
    const gs_csr_arrays nonempty_arrays = {.csr = t->nonempty, .start = start};
    t->entries = 0;
    n = 0;
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t rest = length_of(csr, i) - t->skip;
        if (rest <= 0) continue;
        gs_set_start(&nonempty_arrays, n, t->entries);
        t->row[n++] = i;
        t->entries += rest;
    }
    gs_set_start(&nonempty_arrays, n, t->entries);
done:
    return status;
}

/* Bisects for the length: counts the rows that are longer. */
static gsolve_status ranked(gsolve_context *ctx, const gsolve_csr *csr, int32_t rank,
                            int64_t *length)
{
    int64_t low = 0, high = csr->ncols;

    (void)ctx;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        int32_t longer = 0;
        for (int32_t i = 0; i < csr->nrows; i++) longer += length_of(csr, i) > middle;
        if (longer > rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *length = low;
    return GSOLVE_OK;
}

#define GS_BODY "spmv/yardsticks/triples_body.h"
#include "core/each_type.h"

const gs_triples_kernels gs_triples_host[GSOLVE_TYPE_COUNT] = {
    {make_f32, refill_f32, add_f32, ranked, 0},
    {make_f64, refill_f64, add_f64, ranked, 0},
};
