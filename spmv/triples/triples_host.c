/* triples_host.c: the kernels of formats by coordinates on the CPU. */
#include "core/try.h"
#include "spmv/scattered.h"
#include "spmv/triples/triples.h"

static int64_t end_of(const gs_triples *t, int64_t n)
{
    const int64_t end = (n + 1) * GS_TRIPLES_HOST;
    return end < t->entries ? end : t->entries;
}

/* Whether the row of entry k has an entry before it. */
static bool is_within(const gs_triples *t, int64_t k)
{
    return k > 0 && k < t->entries && t->row[k - 1] == t->row[k];
}

/* The first entry of row i or of a later one. */
static int64_t first_of_row(const gs_triples *t, int32_t i)
{
    int64_t low = 0, high = t->entries;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (t->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int64_t length_of(const gsolve_csr *csr, int32_t i)
{
    return gs_start(csr, i + 1) - gs_start(csr, i);
}

/* t's entries and row. */
static gsolve_status name_rows(gs_triples *t, gsolve_context *ctx)
{
    int64_t at = 0;
    gsolve_status status;

    for (int32_t i = 0; i < t->csr.nrows; i++) {
        const int64_t left = length_of(&t->csr, i) - t->skip;
        t->entries += left > 0 ? left : 0;
    }
    ALLOC(ctx, gs_place(ctx), t->row, t->entries);
    for (int32_t i = 0; i < t->csr.nrows; i++) {
        for (int64_t left = length_of(&t->csr, i) - t->skip; left > 0; left--) t->row[at++] = i;
    }
done:
    return status;
}

/* By bisection of the length: how many rows are longer. */
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

#define GS_BODY "spmv/triples/triples_body.h"
#include "core/each_type.h"

const gs_triples_kernels gs_triples_host[GSOLVE_TYPE_COUNT] = {
    {make_f32, refill_f32, add_f32, ranked, GS_TRIPLES_HOST, apply_f32},
    {make_f64, refill_f64, add_f64, ranked, GS_TRIPLES_HOST, apply_f64},
};
