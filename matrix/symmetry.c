/* symmetry.c: the symmetry of a matrix, from one pass over its rows, and its empty columns. */
#include "matrix/symmetry.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "vector/blocks.h"

#define SMALL static inline
#include "matrix/row_rule.h"

#define SHORT 16 /* entries of a row that are searched one by one */

static double diagonal_of(const gsolve_csr *A, int32_t i)
{
    const int64_t k = gs_row_find(A->col, gs_start(A, i), gs_start(A, i + 1), i);
    return k < 0 ? 0 : gs_value(A, k);
}

bool gs_is_rounding(gsolve_type type, double difference, double most, double aii, double ajj)
{
    const double tolerance = type == GSOLVE_F32 ? 1e-6 : 1e-12;

    return fabs(difference) <= tolerance * (most + 1e-2 * sqrt(fabs(aii)) * sqrt(fabs(ajj)));
}

/* Whether the difference of entries k = (i, j) and mirror = (j, i) is a rounding error. */
static bool is_rounding(const gsolve_csr *A, double difference, int32_t i, int64_t k,
                        int64_t mirror)
{
    const double tolerance = A->type == GSOLVE_F32 ? 1e-6 : 1e-12;
    const double most = fmax(fabs(gs_value(A, k)), fabs(gs_value(A, mirror)));

    if (fabs(difference) <= tolerance * most) return true;
    return gs_is_rounding(A->type, difference, most, diagonal_of(A, i), diagonal_of(A, A->col[k]));
}

/* The entry of [from, to) in column i, or -1. Short rows are counted, without branches that the
 * processor cannot predict. */
static int64_t find(const int32_t *col, int64_t from, int64_t to, int32_t i)
{
    const int64_t end = to;

    while (to - from > SHORT) {
        const int64_t middle = from + (to - from) / 2;
        const bool after = col[middle] <= i;
        from = after ? middle : from;
        to = after ? to : middle;
    }
    int64_t at = from;
    for (int64_t k = from; k < to; k++) at += col[k] < i;
    return at < end && col[at] == i ? at : -1;
}

/* The entry (j, i), the mirror image of entry k = (i, j) of the row from `begin` on; -1: there is
 * none. In a stencil with rows of equal lengths it is as far from the end of its row as k is from
 * the begin. */
static int64_t mirror_of(const gsolve_csr *A, int32_t i, int64_t begin, int64_t k)
{
    const int32_t j = A->col[k];
    const int64_t from = gs_start(A, j), to = gs_start(A, j + 1), guess = to - 1 - (k - begin);

    if (guess >= from && A->col[guess] == i) return guess;
    return find(A->col, from, to, i);
}

/* Returns false at the first entry above the diagonal without a mirror image. */
static bool match_row(gs_symmetry *s, const gsolve_csr *A, int32_t i)
{
    const int64_t begin = gs_start(A, i), end = gs_start(A, i + 1);
    int64_t k = begin;

    while (k < end && A->col[k] < i) k++;
    s->below += k - begin;
    if (k < end && A->col[k] == i) s->skew &= gs_value(A, k++) == 0;
    s->above += end - k;
    for (; k < end; k++) {
        const int64_t mirror = mirror_of(A, i, begin, k);
        if (mirror < 0) return false;
        const double a = gs_value(A, k), b = gs_value(A, mirror);
        s->symmetric = s->symmetric && is_rounding(A, a - b, i, k, mirror);
        s->skew = s->skew && is_rounding(A, a + b, i, k, mirror);
    }
    return true;
}

gs_symmetry gs_symmetry_of_none(const gsolve_csr *A)
{
    return (gs_symmetry){.paired = A->nrows == A->ncols, .symmetric = true, .skew = true};
}

void gs_symmetry_add_rows(gs_symmetry *s, const gsolve_csr *A, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to && s->paired; i++) s->paired = match_row(s, A, i);
}

void gs_symmetry_add(gs_symmetry *s, const gs_symmetry *others)
{
    s->paired &= others->paired;
    s->symmetric &= others->symmetric;
    s->skew &= others->skew;
    s->above += others->above;
    s->below += others->below;
}

/* *empty = the number of columns without entries. */
static gsolve_status count_empty_columns(int32_t *empty, gsolve_context *ctx, const gsolve_csr *A)
{
    const int64_t entries = gs_start(A, A->nrows);
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    char *used = NULL;
    gsolve_status status;

    *empty = 0;
    ALLOC(ctx, GSOLVE_HOST, used, A->ncols);
    memset(used, 0, (size_t)A->ncols);
    gs_range_push(ctx, "inspection: empty columns");
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = 0; k < entries; k++) {
        if (!__atomic_load_n(&used[A->col[k]], __ATOMIC_RELAXED)) {
            __atomic_store_n(&used[A->col[k]], 1, __ATOMIC_RELAXED);
        }
    }
    gs_range_pop(ctx);
    for (int32_t j = 0; j < A->ncols; j++) *empty += !used[j];
done:
    gsolve_free(ctx, GSOLVE_HOST, used);
    return status;
}

gsolve_status gs_symmetry_set(const gs_symmetry *s, gsolve_context *ctx, const gsolve_csr *A,
                              gsolve_statistics *t)
{
    t->symmetric_pattern = s->paired && s->above == s->below;
    t->symmetric = t->symmetric_pattern && s->symmetric;
    t->skew = t->symmetric_pattern && s->skew && t->entries > 0;
    t->empty_cols = t->empty_rows;
    return t->symmetric_pattern ? GSOLVE_OK : count_empty_columns(&t->empty_cols, ctx, A);
}

/* --- without fixed rows ----------------------------------------------------------------------- */

/* Whether the only nonzero entry of row i is on the diagonal. */
static bool is_fixed(const gsolve_csr *A, int32_t i)
{
    const int64_t end = gs_start(A, i + 1);
    bool diagonal = false;

    for (int64_t k = gs_start(A, i); k < end; k++) {
        if (gs_value(A, k) == 0) continue;
        if (A->col[k] != i) return false;
        diagonal = true;
    }
    return diagonal;
}

/* Adds the number of nonzero entries of row i above the diagonal, less those below it, to *balance;
 * entries in fixed columns do not count. False at the first entry above the diagonal that differs
 * from its mirror image. */
static bool match_rest(int64_t *balance, const gsolve_csr *A, const char *fixed, int32_t i)
{
    const int64_t begin = gs_start(A, i), end = gs_start(A, i + 1);

    for (int64_t k = begin; k < end; k++) {
        const int32_t j = A->col[k];
        const double a = gs_value(A, k);
        if (j == i || a == 0 || fixed[j]) continue;
        *balance += j > i ? 1 : -1;
        if (j < i) continue;
        const int64_t mirror = mirror_of(A, i, begin, k);
        if (mirror < 0 || gs_value(A, mirror) == 0) return false;
        if (!is_rounding(A, a - gs_value(A, mirror), i, k, mirror)) return false;
    }
    return true;
}

gsolve_status gs_symmetry_of_rest(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A)
{
    const int threads = gs_threads_for(gs_start(A, A->nrows), gsolve_threads(ctx));
    int64_t balance = 0;
    int same = 1;
    char *fixed = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, fixed, A->nrows);
    gs_range_push(ctx, "inspection: symmetry without fixed rows");
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int32_t i = 0; i < A->nrows; i++) fixed[i] = (char)is_fixed(A, i);
#pragma omp for schedule(dynamic, 4096) reduction(+ : balance)
        for (int32_t i = 0; i < A->nrows; i++) {
            if (fixed[i] || !__atomic_load_n(&same, __ATOMIC_RELAXED)) continue;
            if (!match_rest(&balance, A, fixed, i)) __atomic_store_n(&same, 0, __ATOMIC_RELAXED);
        }
    }
    gs_range_pop(ctx);
    *symmetric = same && balance == 0;
done:
    gsolve_free(ctx, GSOLVE_HOST, fixed);
    return status;
}
