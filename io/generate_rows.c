/* generate_rows.c: compressed rows from a source that generates single rows. The first pass counts
 * the entries of groups of rows; the second pass writes the groups to their places. */
#include <string.h>

#include "core/try.h"
#include "io/generators.h"

enum { GROUP = 1024 }; /* rows */

static int64_t minimum(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* begin[g + 1] = entries of group g. */
static void count_groups(gsolve_context *ctx, const gs_row_source *s, int64_t groups,
                         int64_t *begin)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(gsolve_threads(ctx))
    for (int64_t g = 0; g < groups; g++) {
        const int64_t end = minimum((g + 1) * GROUP, s->nrows);
        int64_t sum = 0;
        for (int64_t i = g * GROUP; i < end; i++) sum += s->count(s->model, (int32_t)i);
        begin[g + 1] = sum;
    }
}

/* Writes the rows of a group, whose first entry is number `at`, and their offsets. */
static void fill_group(const gs_row_source *s, int64_t group, int64_t at, const gs_csr_arrays *A)
{
    const int64_t end = minimum((group + 1) * GROUP, s->nrows);
    int32_t *start32 = A->csr.offset == GSOLVE_O32 ? A->start : NULL;
    int64_t *start64 = A->csr.offset == GSOLVE_O64 ? A->start : NULL;
    int32_t *col = A->col;
    double *value = A->value;

    for (int64_t i = group * GROUP; i < end; i++) {
        at += s->fill(s->model, (int32_t)i, col + at, value + at);
        if (start32) start32[i + 1] = (int32_t)at;
        if (start64) start64[i + 1] = at;
    }
}

/* The first group of a part, if `parts` parts of about equally many entries are formed. */
static int64_t first_group(int64_t groups, const int64_t *begin, int part, int parts)
{
    const int64_t entry = begin[groups] / parts * part;
    int64_t low = 0, high = groups;

    if (part == parts) return groups;
    while (low < high) { /* the least group with begin >= entry */
        const int64_t middle = low + (high - low) / 2;
        if (begin[middle] < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return part == 0 ? 0 : low;
}

gsolve_status gs_csr_by_rows(gsolve_csr *csr, gsolve_context *ctx, const gs_row_source *s)
{
    const int64_t groups = (s->nrows + GROUP - 1) / GROUP;
    const int threads = gsolve_threads(ctx);
    int64_t *begin = NULL;
    gsolve_csr A;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, begin, groups + 1);
    begin[0] = 0;
    count_groups(ctx, s, groups, begin);
    for (int64_t g = 0; g < groups; g++) begin[g + 1] += begin[g];
    TRY(gs_csr_new(&A, ctx, (int32_t)s->nrows, (int32_t)s->ncols, begin[groups], GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &A);
    gs_set_start(&to, 0, 0);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        const int64_t end = first_group(groups, begin, t + 1, threads);
        for (int64_t g = first_group(groups, begin, t, threads); g < end; g++) {
            fill_group(s, g, begin[g], &to);
        }
    }
    *csr = A;
done:
    gsolve_free(ctx, GSOLVE_HOST, begin);
    return status;
}
