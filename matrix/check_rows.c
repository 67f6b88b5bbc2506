/* check_rows.c: checks and comparisons of compressed rows on the host. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "matrix/statistics.h"
#include "vector/blocks.h"

#define GS_BODY "matrix/check_rows_body.h"
#include "core/each_type.h"

static bool all_finite(const gsolve_csr *csr, int64_t from, int64_t to)
{
    return csr->type == GSOLVE_F32 ? all_finite_f32(csr->value, from, to)
                                   : all_finite_f64(csr->value, from, to);
}

/* --- the check -------------------------------------------------------------------------------- */

static bool is_valid(const gsolve_csr *csr, int64_t from, int64_t to)
{
    int outside = 0;

    for (int64_t k = from; k < to; k++) {
        outside |= csr->col[k] < 0 || csr->col[k] >= csr->ncols;
    }
    return !outside && all_finite(csr, from, to);
}

static bool ascends(const gsolve_csr *csr, int64_t from, int64_t to)
{
    int unsorted = 0;

    for (int64_t k = from + 1; k < to; k++) unsorted |= csr->col[k] <= csr->col[k - 1];
    return !unsorted;
}

/* The first invalid entry of a row that has one. */
static int64_t first_bad(const gsolve_csr *csr, int32_t row)
{
    int64_t k = gs_start(csr, row);

    while (csr->col[k] >= 0 && csr->col[k] < csr->ncols && isfinite(gs_value(csr, k))) k++;
    return k;
}

static int32_t find_bad_offset(gsolve_context *ctx, const gsolve_csr *csr)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int32_t bad = gs_start(csr, 0) == 0 ? INT32_MAX : 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (int32_t i = 0; i < csr->nrows; i++) {
        if (gs_start(csr, i + 1) < gs_start(csr, i) && i < bad) bad = i;
    }
    return bad == INT32_MAX ? -1 : bad;
}

static gsolve_status check(gs_csr_findings *found, gsolve_context *ctx, const gsolve_csr *csr)
{
    int32_t bad = INT32_MAX;
    int unsorted = 0;

    found->bad_row = find_bad_offset(ctx, csr);
    if (found->bad_row >= 0) return GSOLVE_OK;
    found->entries = gs_start(csr, csr->nrows);
    if (found->entries > 0 && (!csr->col || !csr->value)) return GSOLVE_OK;

    gs_range_push(ctx, "inspection: check of the rows");
    const int threads = gs_threads_for(found->entries, gsolve_threads(ctx));
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad) \
    reduction(| : unsorted)
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t from = gs_start(csr, i), to = gs_start(csr, i + 1);
        if (!is_valid(csr, from, to) && i < bad) bad = i;
        unsorted |= !ascends(csr, from, to);
    }
    found->bad_entry = bad == INT32_MAX ? -1 : first_bad(csr, bad);
    found->ascending = !unsorted;
    gs_range_pop(ctx);
    return GSOLVE_OK;
}

/* --- comparisons ------------------------------------------------------------------------------ */

static gsolve_status compare(gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                             const gsolve_csr *B, bool values, bool *same)
{
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    int differs = 0;

    *same = gs_start(B, B->nrows) == entries;
    if (!*same) return GSOLVE_OK;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : differs)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
        differs |= gs_start(B, i) != from || gs_start(B, i + 1) != to ||
                   (to > from && memcmp(A->col + from, B->col + from,
                                        (size_t)(to - from) * sizeof *A->col) != 0) ||
                   (values && !all_finite(B, from, to));
    }
    *same = !differs;
    return GSOLVE_OK;
}

static gsolve_status narrow(gsolve_context *ctx, const gsolve_csr *csr, int32_t *start)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i <= csr->nrows; i++) start[i] = (int32_t)gs_start(csr, (int32_t)i);
    return GSOLVE_OK;
}

const gs_inspect_kernels gs_inspect_host[GSOLVE_TYPE_COUNT] = {{check, compare, narrow},
                                                               {check, compare, narrow}};
