/* statistics.c: statistics of a matrix, for the command info and the automatic choices: the second
 * pass, which completes what the check of the rows has found. */
#include <math.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "matrix/statistics.h"

#define SMALL static inline
#include "matrix/row_rule.h"

static double diagonal_of(const gsolve_csr *A, int32_t i)
{
    const int64_t k = gs_row_find(A->col, gs_start(A, i), gs_start(A, i + 1), i);
    return k < 0 ? 0 : gs_value(A, k);
}

/* Whether the difference of entries k = (i, j) and mirror = (j, i) is a rounding error. */
static bool is_rounding(const gsolve_csr *A, double difference, int32_t i, int64_t k,
                        int64_t mirror)
{
    const double tolerance = A->type == GSOLVE_F32 ? 1e-6 : 1e-12;
    const double most = fmax(fabs(gs_value(A, k)), fabs(gs_value(A, mirror)));

    if (fabs(difference) <= tolerance * most) return true;
    const double root = sqrt(fabs(diagonal_of(A, i)));
    const double other = sqrt(fabs(diagonal_of(A, A->col[k])));
    return fabs(difference) <= tolerance * (most + 1e-2 * root * other);
}

/* Tests the entries of row i on and above the diagonal. For each entry (i, j) above it, the entry
 * (j, i) must be the next entry of row j, because the rows i ascend. next[j] is the first entry of
 * row j without a partner so far. Returns false at the first entry without a partner. */
static bool match_row(const gsolve_csr *A, int32_t i, int64_t *next, gsolve_statistics *t)
{
    const int64_t end = gs_start(A, i + 1);
    int64_t k = next[i];

    if (k < end && A->col[k] < i) return false; /* below the diagonal */
    if (k < end && A->col[k] == i) t->skew = t->skew && gs_value(A, k++) == 0;
    for (; k < end; k++) {
        const int32_t j = A->col[k];
        const int64_t mirror = next[j];
        if (mirror >= gs_start(A, j + 1) || A->col[mirror] != i) return false;
        next[j]++;
        const double a = gs_value(A, k), b = gs_value(A, mirror);
        t->symmetric = t->symmetric && is_rounding(A, a - b, i, k, mirror);
        t->skew = t->skew && is_rounding(A, a + b, i, k, mirror);
    }
    return true;
}

/* The number of columns without entries. The rows before `from` have partners, so that the entries
 * in their columns follow from the rows; next is as in match_row. */
static int32_t count_empty_columns(const gsolve_csr *A, int32_t from, const int64_t *next,
                                   char *used)
{
    int32_t empty = 0;

    for (int32_t j = 0; j < from; j++) used[j] = gs_start(A, j) < gs_start(A, j + 1);
    for (int32_t j = from; j < A->ncols; j++) used[j] = next && next[j] > gs_start(A, j);
    for (int64_t k = gs_start(A, from); k < gs_start(A, A->nrows); k++) used[A->col[k]] = 1;
    for (int32_t j = 0; j < A->ncols; j++) empty += !used[j];
    return empty;
}

/* Tests symmetry and counts empty columns, in one pass. */
static gsolve_status inspect_columns(gsolve_context *ctx, const gsolve_csr *A, gsolve_statistics *t)
{
    const bool square = A->nrows == A->ncols;
    int32_t i = 0; /* the rows before it have partners */
    int64_t *next = NULL;
    char *used = NULL;
    gsolve_status status;

    gs_range_push(ctx, "inspection of the columns");
    if (square) ALLOC(ctx, GSOLVE_HOST, next, A->nrows);
    ALLOC(ctx, GSOLVE_HOST, used, A->ncols);
    for (int32_t j = 0; square && j < A->nrows; j++) next[j] = gs_start(A, j);
    t->symmetric = t->skew = true;
    while (square && i < A->nrows && match_row(A, i, next, t)) i++;
    t->symmetric_pattern = square && i == A->nrows;
    t->symmetric = t->symmetric_pattern && t->symmetric;
    t->skew = t->symmetric_pattern && t->skew && t->entries > 0;
    t->empty_cols = t->symmetric_pattern ? t->empty_rows : count_empty_columns(A, i, next, used);
done:
    gsolve_free(ctx, GSOLVE_HOST, used);
    gsolve_free(ctx, GSOLVE_HOST, next);
    gs_range_pop(ctx);
    return status;
}

gsolve_status gs_csr_need_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                     gs_statistics *statistics)
{
    gs_csr_findings found;
    gsolve_status status = GSOLVE_OK;

    if (statistics->known < GS_KNOWN_ROWS) TRY(gs_csr_inspect(ctx, csr, &found, statistics, NULL));
    if (statistics->known < GS_KNOWN_ALL) TRY(inspect_columns(ctx, csr, &statistics->t));
    statistics->known = GS_KNOWN_ALL;
done:
    return status;
}

gsolve_status gsolve_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                    gsolve_statistics *statistics)
{
    gs_statistics all = {.known = GS_KNOWN_NOTHING};
    gs_csr_findings found;
    gsolve_csr sorted = {0};
    gsolve_status status;

    TRY(GS_CHECK_INFO(ctx, gsolve_statistics, statistics));
    TRY(gs_csr_need_host(ctx, csr));
    TRY(gs_csr_inspect(ctx, csr, &found, &all, NULL));
    if (!found.ascending) TRY(gs_csr_clean(&sorted, ctx, csr, false, NULL));
    TRY(gs_csr_need_statistics(ctx, found.ascending ? csr : &sorted, &all));
    GS_FILL_INFO(gsolve_statistics, statistics, &all.t);
done:
    gsolve_csr_free(&sorted, ctx);
    return status;
}
