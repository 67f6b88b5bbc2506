/* csr.c: owned matrices: made, converted, cleaned, freed. */
#include "core/csr.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"

gsolve_status gs_csr_new(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                         int64_t entries, gsolve_type type)
{
    gsolve_csr new = {.nrows = nrows, .ncols = ncols, .type = type, .place = GSOLVE_HOST};

    new.offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    new.start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)nrows + 1, gs_offset_size(new.offset));
    new.col = new.start ? gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *new.col) : NULL;
    new.value =
        new.col ? gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, gs_type_size(type)) : NULL;
    if (!new.value) {
        gsolve_csr_free(&new, ctx);
        return GSOLVE_NO_MEMORY;
    }
    *csr = new;
    return GSOLVE_OK;
}

void gsolve_csr_free(gsolve_csr *csr, gsolve_context *ctx)
{
    if (!csr) return;
    gsolve_free(ctx, csr->place, (void *)(uintptr_t)csr->start);
    gsolve_free(ctx, csr->place, (void *)(uintptr_t)csr->col);
    gsolve_free(ctx, csr->place, (void *)(uintptr_t)csr->value);
    memset(csr, 0, sizeof *csr);
}

/* to[0..n) = from[0..n), of either type. */
static void convert_values(gsolve_context *ctx, int64_t n, gsolve_type to_type, void *to,
                           gsolve_type from_type, const void *from)
{
    if (to_type == from_type) {
        gsolve_copy(ctx, to, GSOLVE_HOST, from, GSOLVE_HOST, (size_t)n * gs_type_size(to_type));
    } else if (to_type == GSOLVE_F32) {
#pragma omp parallel for simd schedule(static) num_threads(gsolve_threads(ctx))
        for (int64_t k = 0; k < n; k++) ((float *)to)[k] = (float)((const double *)from)[k];
    } else {
#pragma omp parallel for simd schedule(static) num_threads(gsolve_threads(ctx))
        for (int64_t k = 0; k < n; k++) ((double *)to)[k] = (double)((const float *)from)[k];
    }
}

gsolve_status gs_csr_entries(gsolve_context *ctx, const gsolve_csr *csr, int64_t *entries)
{
    const char *last = (const char *)csr->start + (size_t)csr->nrows * gs_offset_size(csr->offset);
    int32_t narrow = 0;
    gsolve_status status;

    if (csr->offset == GSOLVE_O64) {
        return gsolve_copy(ctx, entries, GSOLVE_HOST, last, csr->place, sizeof *entries);
    }
    status = gsolve_copy(ctx, &narrow, GSOLVE_HOST, last, csr->place, sizeof narrow);
    *entries = narrow;
    return status;
}

/* A copy of bytes of a block that lies in from's place. */
static gsolve_status move_block(gsolve_context *ctx, gsolve_place place, const void **to,
                                const void *block, gsolve_place from, size_t bytes)
{
    void *copy = gsolve_alloc(ctx, place, bytes, 1);

    *to = copy;
    return copy ? gsolve_copy(ctx, copy, place, block, from, bytes) : GSOLVE_NO_MEMORY;
}

gsolve_status gs_csr_move(gsolve_csr *out, gsolve_context *ctx, gsolve_place place,
                          const gsolve_csr *A)
{
    gsolve_csr B = *A;
    const void *col = NULL;
    int64_t entries = 0;
    gsolve_status status;

    B.start = B.col = NULL;
    B.value = NULL;
    B.place = place;
    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(move_block(ctx, place, &B.start, A->start, A->place,
                   ((size_t)A->nrows + 1) * gs_offset_size(A->offset)));
    status = move_block(ctx, place, &col, A->col, A->place, (size_t)entries * sizeof *A->col);
    B.col = col;
    if (status != GSOLVE_OK) goto done;
    TRY(move_block(ctx, place, &B.value, A->value, A->place,
                   (size_t)entries * gs_type_size(A->type)));
    *out = B;
    memset(&B, 0, sizeof B);
done:
    gsolve_csr_free(&B, ctx);
    return status;
}

gsolve_status gs_csr_to_host(const gsolve_csr **csr, gsolve_context *ctx, gsolve_csr *fetched)
{
    gsolve_status status;

    if (!*csr || (*csr)->place == GSOLVE_HOST || gs_place(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    status = gs_csr_move(fetched, ctx, GSOLVE_HOST, *csr);
    if (status == GSOLVE_OK) *csr = fetched;
    return status;
}

static gsolve_status convert(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                             const gsolve_csr *A)
{
    const int64_t entries = gs_start(A, A->nrows);
    gsolve_csr B;
    gsolve_status status = gs_csr_new(&B, ctx, A->nrows, A->ncols, entries, type);

    if (status != GSOLVE_OK) return status;
    if (B.offset == A->offset) {
        gsolve_copy(ctx, (void *)(uintptr_t)B.start, GSOLVE_HOST, A->start, GSOLVE_HOST,
                    ((size_t)A->nrows + 1) * gs_offset_size(A->offset));
    } else {
        for (int32_t i = 0; i <= A->nrows; i++) gs_set_start(&B, i, gs_start(A, i));
    }
    gsolve_copy(ctx, (void *)(uintptr_t)B.col, GSOLVE_HOST, A->col, GSOLVE_HOST,
                (size_t)entries * sizeof *A->col);
    convert_values(ctx, entries, type, (void *)(uintptr_t)B.value, A->type, A->value);
    *out = B;
    return GSOLVE_OK;
}

gsolve_status gsolve_csr_convert(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                                 const gsolve_csr *A)
{
    bool clean;
    const gsolve_status status = gs_csr_check(ctx, A, &clean);

    return status == GSOLVE_OK ? convert(out, ctx, type, A) : status;
}

/* --- cleaning: each row sorted by keys (column, place in the row), equal columns summed ------ */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* key[from..to) sorted; returns the number of different columns. */
static int64_t sort_row(const gsolve_csr *A, int64_t from, int64_t to, uint64_t *key)
{
    int64_t unique = to > from;
    bool sorted = true;

    for (int64_t k = from; k < to; k++) {
        key[k] = (uint64_t)(uint32_t)A->col[k] << 32 | (uint64_t)(k - from);
        if (k > from && key[k] < key[k - 1]) sorted = false;
    }
    if (!sorted) qsort(key + from, (size_t)(to - from), sizeof *key, compare_keys);
    for (int64_t k = from + 1; k < to; k++) unique += key[k] >> 32 != key[k - 1] >> 32;
    return unique;
}

/* Fills B's row from A's entries in the order of key; place may be NULL. */
static void fill_row(const gsolve_csr *B, int64_t at, const gsolve_csr *A, int64_t from, int64_t to,
                     const uint64_t *key, int64_t *place)
{
    int32_t *col = (int32_t *)(uintptr_t)B->col;

    for (int64_t k = from, b = at - 1; k < to; k++) {
        const int64_t entry = from + (int64_t)(key[k] & UINT32_MAX);
        const bool new = k == from || key[k] >> 32 != key[k - 1] >> 32;
        const double value = gs_value(A, entry);
        if (new) col[++b] = (int32_t)(key[k] >> 32);
        if (B->type == GSOLVE_F32) {
            float *v = (float *)(uintptr_t)B->value;
            v[b] = new ? (float)value : v[b] + (float)value;
        } else {
            double *v = (double *)(uintptr_t)B->value;
            v[b] = new ? value : v[b] + value;
        }
        if (place) place[entry] = b;
    }
}

static gsolve_status clean_unsorted(gsolve_csr *out, gsolve_context *ctx, const gsolve_csr *A,
                                    int64_t **place_out)
{
    const int64_t entries = gs_start(A, A->nrows);
    gsolve_csr B = {0};
    uint64_t *key = NULL;
    int64_t *count = NULL, *place = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, key, entries);
    ALLOC(ctx, GSOLVE_HOST, count, (size_t)A->nrows + 1);
    if (place_out) ALLOC(ctx, GSOLVE_HOST, place, entries);
    count[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        count[i + 1] = sort_row(A, gs_start(A, i), gs_start(A, i + 1), key);
    }
    for (int32_t i = 0; i < A->nrows; i++) count[i + 1] += count[i];
    TRY(gs_csr_new(&B, ctx, A->nrows, A->ncols, count[A->nrows], A->type));
#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        gs_set_start(&B, i, count[i]);
        fill_row(&B, count[i], A, gs_start(A, i), gs_start(A, i + 1), key, place);
    }
    gs_set_start(&B, A->nrows, count[A->nrows]);
    *out = B;
    if (place_out) *place_out = place;
    place = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_free(ctx, GSOLVE_HOST, count);
    gsolve_free(ctx, GSOLVE_HOST, key);
    return status;
}

bool gs_rows_ascend(const gsolve_context *ctx, const gsolve_csr *A)
{
    int unsorted = 0;

#pragma omp parallel for schedule(dynamic, 4096) num_threads(gsolve_threads(ctx)) \
    reduction(|                                                                   \
              : unsorted)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t to = gs_start(A, i + 1);
        for (int64_t k = gs_start(A, i) + 1; k < to; k++) unsorted |= A->col[k] <= A->col[k - 1];
    }
    return !unsorted;
}

gsolve_status gs_csr_clean(gsolve_csr *B, gsolve_context *ctx, const gsolve_csr *A, int64_t **place)
{
    gsolve_status status;

    if (!gs_rows_ascend(ctx, A)) return clean_unsorted(B, ctx, A, place);
    status = convert(B, ctx, A->type, A);
    if (status == GSOLVE_OK && place) *place = NULL;
    return status;
}
