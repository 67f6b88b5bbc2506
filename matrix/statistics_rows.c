/* statistics_rows.c: checks and comparisons of compressed rows on the host. Each reads the entries
 * once, with the rows in parallel. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "matrix/statistics.h"
#include "vector/blocks.h"

enum { CLEAN, UNSORTED, BAD_COLUMN, BAD_VALUE }; /* the state of a row, worst last */

static bool all_finite(const gsolve_csr *csr, int64_t from, int64_t to)
{
    double sum = 0; /* x - x is 0 if x is finite, else nan */

    if (csr->type == GSOLVE_F32) {
        const float *v = csr->value;
        for (int64_t k = from; k < to; k++) sum += (double)(v[k] - v[k]);
    } else {
        const double *v = csr->value;
        for (int64_t k = from; k < to; k++) sum += v[k] - v[k];
    }
    return sum == 0;
}

static int check_row(const gsolve_csr *csr, int64_t from, int64_t to)
{
    int state = CLEAN;

    for (int64_t k = from; k < to; k++) {
        if (csr->col[k] < 0 || csr->col[k] >= csr->ncols) return BAD_COLUMN;
        if (k > from && csr->col[k] <= csr->col[k - 1]) state = UNSORTED;
    }
    return all_finite(csr, from, to) ? state : BAD_VALUE;
}

static gsolve_status check_offsets(gsolve_context *ctx, const gsolve_csr *csr, int32_t *row)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int32_t bad = gs_start(csr, 0) == 0 ? INT32_MAX : 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (int32_t i = 0; i < csr->nrows; i++) {
        if (gs_start(csr, i + 1) < gs_start(csr, i) && i < bad) bad = i;
    }
    *row = bad == INT32_MAX ? -1 : bad;
    return GSOLVE_OK;
}

/* The first invalid entry of a row that has one. */
static int64_t first_bad(const gsolve_csr *csr, int32_t row)
{
    int64_t k = gs_start(csr, row);

    while (csr->col[k] >= 0 && csr->col[k] < csr->ncols && isfinite(gs_value(csr, k))) k++;
    return k;
}

static gsolve_status check_entries(gsolve_context *ctx, const gsolve_csr *csr, int64_t *entry,
                                   bool *ascending)
{
    const int threads = gs_threads_for(gs_start(csr, csr->nrows), gsolve_threads(ctx));
    int32_t bad = INT32_MAX;
    int unsorted = 0;

#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads) reduction(min : bad) \
    reduction(| : unsorted)
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int state = check_row(csr, gs_start(csr, i), gs_start(csr, i + 1));
        if (state == UNSORTED) unsorted |= 1;
        if (state > UNSORTED && i < bad) bad = i;
    }
    *entry = bad == INT32_MAX ? -1 : first_bad(csr, bad);
    *ascending = !unsorted;
    return GSOLVE_OK;
}

static gsolve_status compare_patterns(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                                      bool *same)
{
    const int threads = gs_threads_for(gs_start(A, A->nrows), gsolve_threads(ctx));
    int differs = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : differs)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
        differs |= gs_start(B, i) != from || gs_start(B, i + 1) != to ||
                   memcmp(A->col + from, B->col + from, (size_t)(to - from) * sizeof *A->col) != 0;
    }
    *same = !differs;
    return GSOLVE_OK;
}

static gsolve_status compare_and_check(gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                                       const gsolve_csr *B, bool *same)
{
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    int differs = 0;

    *same = gs_start(B, B->nrows) == entries;
    if (!*same) return GSOLVE_OK;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : differs)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
        differs |=
            gs_start(B, i) != from || gs_start(B, i + 1) != to ||
            memcmp(A->col + from, B->col + from, (size_t)(to - from) * sizeof *A->col) != 0 ||
            !all_finite(B, from, to);
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

static gsolve_status check_all(gs_csr_findings *f, gsolve_context *ctx, const gsolve_csr *csr)
{
    const gsolve_status status = check_offsets(ctx, csr, &f->bad_row);

    if (status != GSOLVE_OK || f->bad_row >= 0) return status;
    f->entries = gs_start(csr, csr->nrows);
    return check_entries(ctx, csr, &f->bad_entry, &f->ascending);
}

const gs_check_rows_kernels gs_check_rows_host[GSOLVE_TYPE_COUNT] = {{check_all}, {check_all}};
const gs_inspect_kernels gs_inspect_host[GSOLVE_TYPE_COUNT] = {
    {check_offsets, check_entries, compare_patterns, compare_and_check, narrow},
    {check_offsets, check_entries, compare_patterns, compare_and_check, narrow}};
