/* symmetry.c: the symmetry of a matrix on the host, from one pass over its rows, and its empty
 * columns. */
#include "matrix/symmetry.h"

#include <string.h>

#include "core/try.h"
#include "vector/blocks.h"

#define SMALL static inline
#include "matrix/symmetry_rule.h"

/* Stops at the first entry above the diagonal without a mirror image. */
static void match_row(gs_symmetry *s, const gsolve_csr *A, int32_t i)
{
    const int64_t begin = gs_start(A, i), end = gs_start(A, i + 1);
    int64_t k = begin;

    while (k < end && A->col[k] < i) k++;
    s->below += k - begin;
    if (k < end && A->col[k] == i) s->skew &= gs_value(A, k++) == 0;
    s->above += end - k;
    for (; k < end && s->paired; k++) {
        s->paired = gs_match_entry(&s->symmetric, &s->skew, A, i, begin, k);
    }
}

gs_symmetry gs_symmetry_of_none(const gsolve_csr *A)
{
    return (gs_symmetry){.paired = A->nrows == A->ncols, .symmetric = true, .skew = true};
}

void gs_symmetry_add_rows(gs_symmetry *s, const gsolve_csr *A, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to && s->paired; i++) match_row(s, A, i);
}

void gs_symmetry_add(gs_symmetry *s, const gs_symmetry *others)
{
    s->paired &= others->paired;
    s->symmetric &= others->symmetric;
    s->skew &= others->skew;
    s->above += others->above;
    s->below += others->below;
}

void gs_symmetry_set(const gs_symmetry *s, gsolve_statistics *t)
{
    t->symmetric_pattern = s->paired && s->above == s->below;
    t->symmetric = t->symmetric_pattern && s->symmetric;
    t->skew = t->symmetric_pattern && s->skew && t->entries > 0;
    t->symmetric_rest = t->symmetric;
}

gsolve_status gs_count_empty_columns(int32_t *empty, gsolve_context *ctx, const gsolve_csr *A,
                                     int64_t entries)
{
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

/* --- without fixed rows ----------------------------------------------------------------------- */

/* gs_rest_match for the entries of row i, up to the first one that is false. */
static bool match_rest(int64_t *balance, const gsolve_csr *A, const char *fixed, int32_t i)
{
    const int64_t begin = gs_start(A, i), end = gs_start(A, i + 1);

    for (int64_t k = begin; k < end; k++) {
        if (!gs_rest_match(balance, A, fixed, i, begin, k)) return false;
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
        for (int32_t i = 0; i < A->nrows; i++) fixed[i] = (char)gs_row_is_fixed(A, i);
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
