/* assembly_support.h: triplets for the tests of assemblies, and the matrix that they make. */
#ifndef TESTS_ASSEMBLY_SUPPORT_H
#define TESTS_ASSEMBLY_SUPPORT_H

#include <math.h>

#include "tests/common.h"

typedef struct triplets {
    int32_t nrows, ncols;
    int64_t count;
    int64_t *row, *col; /* from 0; -1: skipped */
    double *value;
    gsolve_part part;
} triplets;

enum { RANDOM, ASCENDING, SAME_PLACE, EVERY_THIRD_ROW, ELEMENTS, SKIPPED, PATTERNS };

static inline int64_t draw_below(int64_t n, uint64_t seed, int64_t k)
{
    const int64_t x = (int64_t)(fabs(gsolve_random(seed, (uint64_t)k)) * (double)n);
    return x < n ? x : n - 1;
}

/* Puts a position into the triangle that is given. */
static inline void turn_into_part(triplets *t, int64_t k)
{
    const int64_t i = t->row[k], j = t->col[k];

    if (t->part == GSOLVE_FULL || (t->part == GSOLVE_LOWER ? j <= i : j >= i)) return;
    t->row[k] = j;
    t->col[k] = i;
}

static inline triplets new_triplets(int32_t nrows, int32_t ncols, int64_t count, int pattern,
                                    gsolve_part part)
{
    triplets t = {nrows, ncols, nrows > 0 && ncols > 0 ? count : 0, NULL, NULL, NULL, part};

    t.row = calloc((size_t)t.count + 1, sizeof *t.row);
    t.col = calloc((size_t)t.count + 1, sizeof *t.col);
    t.value = random_vector(t.count, 5);
    for (int64_t k = 0; k < t.count; k++) {
        t.row[k] = draw_below(nrows, 1, k);
        t.col[k] = draw_below(ncols, 2, k);
        if (pattern == ASCENDING) t.row[k] = k * nrows / t.count;
        if (pattern == SAME_PLACE && k % 7 > 0) t.row[k] = nrows / 2, t.col[k] = ncols / 2;
        if (pattern == EVERY_THIRD_ROW) t.row[k] -= t.row[k] % 3;
        if (pattern == ELEMENTS) { /* dense 4 x 4 blocks of neighbouring rows */
            t.row[k] = (k / 16 + k % 16 / 4) % nrows;
            t.col[k] = (k / 16 + k % 4) % ncols;
        }
        turn_into_part(&t, k);
        if (pattern == SKIPPED && k % 3 == 0) t.row[k] = k % 2 ? -1 : t.row[k];
        if (pattern == SKIPPED && k % 5 == 0) t.col[k] = -1;
    }
    return t;
}

static inline void free_triplets(triplets *t)
{
    free(t->row);
    free(t->col);
    free(t->value);
}

/* --- the matrix, by sorting ------------------------------------------------------------------- */

typedef struct placed {
    int64_t row, col, number;
} placed;

static inline int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;

    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->col != y->col) return x->col < y->col ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The triplets and their mirror images by rows, columns and numbers; *n of them. */
static inline placed *sort_placed(const triplets *t, int64_t *n)
{
    placed *all = calloc(2 * (size_t)t->count + 1, sizeof *all);

    *n = 0;
    for (int64_t k = 0; k < t->count; k++) {
        if (t->row[k] < 0 || t->col[k] < 0) continue;
        all[(*n)++] = (placed){t->row[k], t->col[k], k};
        if (t->part == GSOLVE_FULL || t->row[k] == t->col[k]) continue;
        all[(*n)++] = (placed){t->col[k], t->row[k], k};
    }
    qsort(all, (size_t)*n, sizeof *all, compare_placed);
    return all;
}

static inline bool is_new(const placed *all, int64_t k)
{
    return k == 0 || all[k].row != all[k - 1].row || all[k].col != all[k - 1].col;
}

/* Adds value to *sum in a type. */
static inline double sum_in(gsolve_type type, double sum, double value)
{
    return type == GSOLVE_F32 ? (double)(float)((float)sum + (float)value) : sum + value;
}

/* csr, which is on the host, is the matrix of the triplets to the last bit. factor: the values are
 * factor times those of t. times: they were added so often. */
static inline void assert_assembled(const gsolve_csr *csr, const triplets *t, double factor,
                                    int times)
{
    int64_t n, e = -1, row = 0;
    placed *all = sort_placed(t, &n);
    double sum = 0;

    assert_int_equal(csr->nrows, t->nrows);
    assert_int_equal(csr->ncols, t->ncols);
    assert_int_equal(gs_start(csr, 0), 0);
    for (int64_t k = 0; k < n; k++) {
        const bool new = is_new(all, k);
        const double value = factor * t->value[all[k].number];
        double total = 0;
        e += new;
        for (; row < all[k].row; row++) {
            if (gs_start(csr, (int32_t)row + 1) != e)
                fail_msg("row %lld ends wrong", (long long)row);
        }
        if (csr->col[e] != all[k].col) fail_msg("entry %lld: wrong column", (long long)e);
        sum = new ? (csr->type == GSOLVE_F32 ? (double)(float)value : value)
                  : sum_in(csr->type, sum, value);
        if (k + 1 < n && !is_new(all, k + 1)) continue;
        for (int r = 0; r < times; r++) total = sum_in(csr->type, total, sum);
        if (gs_value(csr, e) != total) {
            fail_msg("row %lld, column %lld: %.17g, not %.17g", (long long)all[k].row,
                     (long long)all[k].col, gs_value(csr, e), total);
        }
    }
    for (; row < t->nrows; row++) assert_int_equal(gs_start(csr, (int32_t)row + 1), e + 1);
    free(all);
}

/* --- the library's arguments ------------------------------------------------------------------ */

/* A copy of n elements of `size` bytes at a location; free it with gsolve_free. */
static inline void *put_array(gsolve_context *ctx, gsolve_location location, const void *from,
                              int64_t n, size_t size)
{
    void *to = gsolve_alloc(ctx, location, (size_t)n, size);

    assert_non_null(to);
    OK(ctx, gsolve_copy(ctx, to, location, from, GSOLVE_HOST, (size_t)n * size));
    return to;
}

/* How the positions are given: their type, base and location. */
typedef struct layout {
    gsolve_index index_type;
    int base;
    gsolve_location location;
} layout;

static inline void *put_indices(gsolve_context *ctx, const int64_t *from, int64_t n, layout as)
{
    int64_t *wide = calloc((size_t)n + 1, sizeof *wide);
    int32_t *narrow = calloc((size_t)n + 1, sizeof *narrow);

    for (int64_t k = 0; k < n; k++) {
        wide[k] = from[k] < 0 ? from[k] : from[k] + as.base;
        narrow[k] = (int32_t)wide[k];
    }
    void *to = as.index_type == GSOLVE_I64 ? put_array(ctx, as.location, wide, n, sizeof *wide)
                                           : put_array(ctx, as.location, narrow, n, sizeof *narrow);
    free(wide);
    free(narrow);
    return to;
}

/* gsolve_assembly_create from t. */
static inline gsolve_status create_plan(gsolve_assembly **plan, gsolve_context *ctx,
                                        gsolve_type type, const triplets *t, layout as)
{
    const void *row = put_indices(ctx, t->row, t->count, as);
    const void *col = put_indices(ctx, t->col, t->count, as);
    const gsolve_triplets given = {t->nrows,      t->ncols, t->count, row,        col,
                                   as.index_type, as.base,  t->part,  as.location};
    const gsolve_status status = gsolve_assembly_create(plan, ctx, type, &given);

    gsolve_free(ctx, as.location, row);
    gsolve_free(ctx, as.location, col);
    return status;
}

/* factor times the values of t in a type, at a location. */
static inline void *put_values(gsolve_context *ctx, gsolve_location location, gsolve_type type,
                               const triplets *t, double factor)
{
    double *wide = calloc((size_t)t->count + 1, sizeof *wide);
    float *narrow = calloc((size_t)t->count + 1, sizeof *narrow);

    for (int64_t k = 0; k < t->count; k++) {
        wide[k] = factor * t->value[k];
        narrow[k] = (float)wide[k];
    }
    void *to = type == GSOLVE_F64 ? put_array(ctx, location, wide, t->count, sizeof *wide)
                                  : put_array(ctx, location, narrow, t->count, sizeof *narrow);
    free(wide);
    free(narrow);
    return to;
}

/* The matrix of plan, on the host; free it with gsolve_csr_free. */
static inline gsolve_csr fetch(gsolve_context *ctx, const gsolve_assembly *plan)
{
    gsolve_csr view, copy;

    OK(ctx, gsolve_assembly_csr(plan, &view));
    assert_int_equal(view.location, gs_location(ctx));
    OK(ctx, gs_csr_move(&copy, ctx, GSOLVE_HOST, &view));
    return copy;
}

static inline void assert_plan(gsolve_context *ctx, const gsolve_assembly *plan, const triplets *t,
                               double factor, int times)
{
    gsolve_csr csr = fetch(ctx, plan);

    assert_assembled(&csr, t, factor, times);
    gsolve_csr_free(&csr, ctx);
}

#endif
