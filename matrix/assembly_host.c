/* assembly_host.c: assemblies on the CPU. A plan is made by two stable counting sorts of the
 * triplets, by column and then by row. Mirror images are triplets in the first one, and skipped
 * triplets get the column ncols, after all others, so that the second one leaves them out. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "matrix/assembly.h"
#include "matrix/counting_sort.h"
#include "vector/blocks.h"

#define SMALL static inline
#include "matrix/assembly_rule.h"

enum { AHEAD = 32 }; /* place has this number of elements more, which are 0 */

#define GS_BODY "matrix/assembly_body.h"
#include "core/each_type.h"

/* Triplets without values: positions, counted from 0, and numbers in the caller's arrays. */
typedef struct positions {
    int32_t *row, *col;
    uint32_t *number;
} positions;

static gsolve_status new_positions(positions *p, gsolve_context *ctx, int64_t n, bool numbered)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, p->row, n);
    ALLOC(ctx, GSOLVE_HOST, p->col, n);
    if (numbered) ALLOC(ctx, GSOLVE_HOST, p->number, n);
done:
    return status;
}

static void free_positions(positions *p, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, p->row);
    gsolve_free(ctx, GSOLVE_HOST, p->col);
    gsolve_free(ctx, GSOLVE_HOST, p->number);
    memset(p, 0, sizeof *p);
}

/* --- reading the triplets --------------------------------------------------------------------- */

static int64_t index_at(const gsolve_triplets *t, const void *array, int64_t k)
{
    return t->index_type == GSOLVE_I64 ? ((const int64_t *)array)[k]
                                       : (int64_t)((const int32_t *)array)[k];
}

/* Copies the positions to p, where those of skipped triplets are (ncols, ncols). *bad = the first
 * that is not accepted, or -1. Returns the number of skipped triplets. */
static int64_t read_positions(const positions *p, gsolve_context *ctx, const gsolve_triplets *t,
                              int64_t *bad)
{
    const int threads = gs_threads_for(t->count, gsolve_threads(ctx));
    const bool lower = t->part != GSOLVE_UPPER, upper = t->part != GSOLVE_LOWER;
    int64_t first = INT64_MAX, skipped = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : first) \
    reduction(+ : skipped)
    for (int64_t k = 0; k < t->count; k++) {
        const int64_t i = index_at(t, t->row, k), j = index_at(t, t->col, k);
        const enum gs_triplet_kind kind =
            gs_triplet_kind_of(i, j, t->base, t->nrows, t->ncols, lower, upper);
        const bool valid = kind == GS_TRIPLET_VALID;
        if (kind == GS_TRIPLET_BAD && k < first) first = k;
        skipped += kind == GS_TRIPLET_SKIPPED;
        p->row[k] = (int32_t)(valid ? i - t->base : t->ncols);
        p->col[k] = (int32_t)(valid ? j - t->base : t->ncols);
    }
    *bad = first < INT64_MAX ? first : -1;
    return skipped;
}

/* --- sorts ------------------------------------------------------------------------------------ */

static void put(const positions *to, int64_t at, int32_t row, int32_t col, int64_t number)
{
    to->row[at] = row;
    to->col[at] = col;
    to->number[at] = (uint32_t)number;
}

/* to = from and its mirror images, if asked for, by ascending columns. *valid = the number of those
 * that are not skipped. */
static gsolve_status sort_by_column(positions *to, gsolve_context *ctx, const positions *from,
                                    const gsolve_triplets *t, int64_t *valid)
{
    const bool mirror = t->part != GSOLVE_FULL;
    gs_counting_sort s = {0};
    gsolve_status status;

    TRY(gs_count_keys(&s, ctx, t->count, from->col, mirror ? from->row : NULL, t->ncols + 1));
    TRY(new_positions(to, ctx, s.total, true));
    *valid = s.next[t->ncols];
#pragma omp parallel for schedule(static, 1) num_threads(s.chunks)
    for (int c = 0; c < s.chunks; c++) {
        int64_t *next = s.next + c * s.nkeys;
        for (int64_t k = gs_chunk_begin(&s, c); k < gs_chunk_begin(&s, c + 1); k++) {
            const int32_t i = from->row[k], j = from->col[k];
            put(to, next[j]++, i, j, k);
            if (mirror && i != j) put(to, next[i]++, j, i, k);
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, s.next);
    return status;
}

/* number and col = those of from by ascending rows; begin[i] = the first of row i. */
static gsolve_status sort_by_row(uint32_t *number, int32_t *col, int64_t *begin,
                                 gsolve_context *ctx, const positions *from, int64_t count,
                                 int32_t nrows)
{
    gs_counting_sort s = {0};
    gsolve_status status;

    TRY(gs_count_keys(&s, ctx, count, from->row, NULL, nrows));
    for (int32_t i = 0; i < nrows; i++) begin[i] = s.next[i];
    begin[nrows] = count;
#pragma omp parallel for schedule(static, 1) num_threads(s.chunks)
    for (int c = 0; c < s.chunks; c++) {
        int64_t *next = s.next + c * s.nkeys;
        for (int64_t k = gs_chunk_begin(&s, c); k < gs_chunk_begin(&s, c + 1); k++) {
            const int64_t at = next[from->row[k]]++;
            number[at] = from->number[k];
            col[at] = from->col[k];
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, s.next);
    return status;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* start[i + 1] = the number of entries of row i, whose triplets are sorted by column. */
static void count_entries(int64_t *start, const int64_t *begin, const int32_t *col, int32_t nrows,
                          int threads)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int32_t i = 0; i < nrows; i++) {
        int64_t count = begin[i + 1] > begin[i];
        for (int64_t k = begin[i] + 1; k < begin[i + 1]; k++) count += col[k] != col[k - 1];
        start[i + 1] = count;
    }
}

/* The entries of row i: their columns, and where their triplets begin. */
static void fill_row(const gs_csr_arrays *to, uint32_t *first, int64_t at, const int32_t *col,
                     int64_t from, int64_t end)
{
    for (int64_t k = from; k < end; k++) {
        if (k > from && col[k] == col[k - 1]) continue;
        to->col[at] = col[k];
        first[at++] = (uint32_t)k;
    }
}

/* Makes the matrix of plan from the sorted triplets. */
static gsolve_status make_entries(gsolve_assembly *plan, gsolve_type type, const int64_t *begin,
                                  const int32_t *col, int32_t nrows, int32_t ncols)
{
    gsolve_context *ctx = plan->ctx;
    const gsolve_location there = gs_location(ctx);
    const int threads = gs_threads_for(begin[nrows], gsolve_threads(ctx));
    int64_t *start = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, start, (int64_t)nrows + 1);
    start[0] = 0;
    count_entries(start, begin, col, nrows, threads);
    for (int32_t i = 0; i < nrows; i++) start[i + 1] += start[i];
    plan->entries = start[nrows];
    TRY(gs_csr_new_at(&plan->csr, ctx, there, nrows, ncols, plan->entries, type));
    ALLOC(ctx, there, plan->first, plan->entries + 1);
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &plan->csr);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int32_t i = 0; i < nrows; i++) {
        gs_set_start(&to, i, start[i]);
        fill_row(&to, plan->first, start[i], col, begin[i], begin[i + 1]);
    }
    gs_set_start(&to, nrows, plan->entries);
    plan->first[plan->entries] = (uint32_t)begin[nrows];
    memset(to.value, 0, (size_t)plan->entries * gs_type_size(type));
done:
    gsolve_free(ctx, GSOLVE_HOST, start);
    return status;
}

static gsolve_status make(gsolve_assembly *plan, gsolve_type type, const gsolve_triplets *t,
                          int64_t *bad)
{
    gsolve_context *ctx = plan->ctx;
    const int32_t nrows = (int32_t)t->nrows;
    positions given = {0}, by_column = {0};
    int64_t *begin = NULL, valid = 0;
    int32_t *col = NULL;
    gsolve_status status;

    TRY(new_positions(&given, ctx, t->count, false));
    plan->skipped = read_positions(&given, ctx, t, bad);
    if (*bad >= 0) goto done;
    TRY(sort_by_column(&by_column, ctx, &given, t, &valid));
    free_positions(&given, ctx);
    ALLOC(ctx, gs_location(ctx), plan->place, valid + AHEAD);
    memset(plan->place + valid, 0, AHEAD * sizeof *plan->place);
    ALLOC(ctx, GSOLVE_HOST, col, valid);
    ALLOC(ctx, GSOLVE_HOST, begin, (int64_t)nrows + 1);
    TRY(sort_by_row(plan->place, col, begin, ctx, &by_column, valid, nrows));
    free_positions(&by_column, ctx);
    TRY(make_entries(plan, type, begin, col, nrows, (int32_t)t->ncols));
done:
    gsolve_free(ctx, GSOLVE_HOST, begin);
    gsolve_free(ctx, GSOLVE_HOST, col);
    free_positions(&by_column, ctx);
    free_positions(&given, ctx);
    return status;
}

const gs_assembly_kernels gs_assembly_host[GSOLVE_TYPE_COUNT] = {{make, sum_f32}, {make, sum_f64}};
