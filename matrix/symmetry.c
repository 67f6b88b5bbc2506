/* symmetry.c: the symmetry of a matrix, from one pass over its rows in ascending order. */
#include "matrix/symmetry.h"

#include <math.h>
#include <string.h>

#include "core/try.h"

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
 * (j, i) must be the next entry of row j, because the rows i ascend. s->next[j] is the first entry
 * of row j without a partner so far. Returns false at the first entry without a partner. */
static bool match_row(gs_symmetry *s, const gsolve_csr *A, int32_t i)
{
    const int64_t end = gs_start(A, i + 1);
    int64_t k = s->next[i];

    if (k < end && A->col[k] < i) return false; /* below the diagonal */
    if (k < end && A->col[k] == i) s->skew = s->skew && gs_value(A, k++) == 0;
    for (; k < end; k++) {
        const int32_t j = A->col[k];
        const int64_t mirror = s->next[j];
        if (mirror >= gs_start(A, j + 1) || A->col[mirror] != i) return false;
        s->next[j]++;
        const double a = gs_value(A, k), b = gs_value(A, mirror);
        s->symmetric = s->symmetric && is_rounding(A, a - b, i, k, mirror);
        s->skew = s->skew && is_rounding(A, a + b, i, k, mirror);
    }
    return true;
}

gsolve_status gs_symmetry_begin(gs_symmetry *s, gsolve_context *ctx, const gsolve_csr *A)
{
    const bool square = A->nrows == A->ncols;
    gsolve_status status;

    *s = (gs_symmetry){.symmetric = true, .skew = true};
    if (square) ALLOC(ctx, GSOLVE_HOST, s->next, A->nrows);
    ALLOC(ctx, GSOLVE_HOST, s->used, A->ncols);
    memset(s->used, 0, (size_t)A->ncols);
    for (int32_t j = 0; square && j < A->nrows; j++) s->next[j] = gs_start(A, j);
done:
    return status;
}

void gs_symmetry_end(gs_symmetry *s, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, s->next);
    gsolve_free(ctx, GSOLVE_HOST, s->used);
}

void gs_symmetry_add_rows(gs_symmetry *s, const gsolve_csr *A, int32_t from, int32_t to)
{
    int32_t i = from;

    while (s->next && s->matched == i && i < to && match_row(s, A, i)) s->matched = ++i;
    for (int64_t k = gs_start(A, i); k < gs_start(A, to); k++) s->used[A->col[k]] = 1;
}

/* The entries in the columns of the matched rows follow from these rows. */
static int32_t count_empty_columns(const gs_symmetry *s, const gsolve_csr *A)
{
    int32_t empty = 0;

    for (int32_t j = 0; j < A->ncols; j++) {
        const bool in_matched = j < s->matched ? gs_start(A, j) < gs_start(A, j + 1)
                                               : s->next && s->next[j] > gs_start(A, j);
        empty += !in_matched && !s->used[j];
    }
    return empty;
}

void gs_symmetry_set(const gs_symmetry *s, const gsolve_csr *A, gsolve_statistics *t)
{
    t->symmetric_pattern = s->next && s->matched == A->nrows;
    t->symmetric = t->symmetric_pattern && s->symmetric;
    t->skew = t->symmetric_pattern && s->skew && t->entries > 0;
    t->empty_cols = t->symmetric_pattern ? t->empty_rows : count_empty_columns(s, A);
}
