/* bce_host.c: counting and sorting rows on the CPU. */
#include <string.h>

#include "core/try.h"
#include "spmv/bce/bce.h"

static gsolve_status count(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rows)
{
    (void)ctx;
    memset(rows, 0, (GS_BCE_LONGEST + 1) * sizeof *rows);
    for (int32_t i = 0; i < csr->nrows; i++) rows[gs_bce_length(csr, i)]++;
    return GSOLVE_OK;
}

/* Stores the rows of a window at their positions in order. first, unless NULL: positions where its
 * blocks begin. */
static void sort_window(const gsolve_csr *csr, const gs_bce_places *p, int32_t window,
                        int32_t *order, int32_t *first)
{
    const int32_t begin = window * p->window;
    const int32_t end = csr->nrows - begin < p->window ? csr->nrows : begin + p->window;
    int32_t at[GS_BCE_MOST_BLOCKS] = {0}, next = begin;

    for (int32_t i = begin; i < end; i++) at[p->block_of[gs_bce_length(csr, i)]]++;
    for (int32_t b = 0; b < p->blocks; b++) {
        const int32_t rows = at[b];
        if (first) first[(int64_t)window * p->blocks + b] = next;
        at[b] = next;
        next += rows;
    }
    for (int32_t i = begin; i < end; i++) order[at[p->block_of[gs_bce_length(csr, i)]]++] = i;
}

static gsolve_status sort(gsolve_context *ctx, const gsolve_csr *csr,
                          const gs_bce_places *positions, int32_t **out, int32_t *first)
{
    int32_t *order = NULL;
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), order, csr->nrows);
#pragma omp parallel for schedule(static) \
    num_threads(gsolve_threads(ctx)) if (positions->windows > 4)
    for (int32_t w = 0; w < positions->windows; w++) sort_window(csr, positions, w, order, first);
    *out = order;
done:
    return status;
}

const gs_bce_kernels gs_bce_host[GSOLVE_TYPE_COUNT] = {{count, sort}, {count, sort}};
