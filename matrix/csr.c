/* csr.c: owned matrices: made, converted, cleaned, freed. */
#include "matrix/csr.h"
#include "vector/blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"

gsolve_status gs_csr_new_at(gsolve_csr *csr, gsolve_context *ctx, gsolve_location location,
                            int32_t nrows, int32_t ncols, int64_t entries, gsolve_type type)
{
    gsolve_csr new = {.nrows = nrows, .ncols = ncols, .type = type, .location = location};

    new.offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    new.start = gsolve_alloc(ctx, location, (size_t)nrows + 1, gs_offset_size(new.offset));
    new.col = new.start ? gsolve_alloc(ctx, location, (size_t)entries, sizeof *new.col) : NULL;
    new.value = new.col ? gsolve_alloc(ctx, location, (size_t)entries, gs_type_size(type)) : NULL;
    if (!new.value) {
        gsolve_csr_free(&new, ctx);
        return GSOLVE_NO_MEMORY;
    }
    *csr = new;
    return GSOLVE_OK;
}

gsolve_status gs_csr_new(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                         int64_t entries, gsolve_type type)
{
    return gs_csr_new_at(csr, ctx, GSOLVE_HOST, nrows, ncols, entries, type);
}

void gsolve_csr_free(gsolve_csr *csr, gsolve_context *ctx)
{
    if (!csr) return;
    gsolve_free(ctx, csr->location, (void *)(uintptr_t)csr->start);
    gsolve_free(ctx, csr->location, (void *)(uintptr_t)csr->col);
    gsolve_free(ctx, csr->location, (void *)(uintptr_t)csr->value);
    memset(csr, 0, sizeof *csr);
}

/* to[0..n) = from[0..n), of either type. */
static void convert_values(gsolve_context *ctx, int64_t n, gsolve_type to_type, void *to,
                           gsolve_type from_type, const void *from)
{
    const int threads = gs_threads_for(n, gsolve_threads(ctx));

    if (to_type == from_type) {
        gsolve_copy(ctx, to, GSOLVE_HOST, from, GSOLVE_HOST, (size_t)n * gs_type_size(to_type));
    } else if (to_type == GSOLVE_F32) {
#pragma omp parallel for simd schedule(static) num_threads(threads)
        for (int64_t k = 0; k < n; k++) ((float *)to)[k] = (float)((const double *)from)[k];
    } else {
#pragma omp parallel for simd schedule(static) num_threads(threads)
        for (int64_t k = 0; k < n; k++) ((double *)to)[k] = (double)((const float *)from)[k];
    }
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

/* The row that entry is in. */
static int32_t row_of(const gsolve_csr *A, int64_t entry)
{
    int32_t low = 0, high = A->nrows; /* start[low] <= entry < start[high] */

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(A, middle) <= entry) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Refuses A where single precision cannot hold an entry. */
static gsolve_status need_single(gsolve_context *ctx, const gsolve_csr *A)
{
    const int64_t lost = gs_first_lost(ctx, gs_start(A, A->nrows), A->value);

    if (lost < 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                       "the entry in row %d and column %d is %g, which would be %s in single "
                       "precision; scale the matrix, or compute in double precision",
                       row_of(A, lost), A->col[lost], gs_value(A, lost),
                       gs_single_words(gs_value(A, lost)));
}

gsolve_status gsolve_csr_convert(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                                 const gsolve_csr *A)
{
    bool clean;
    gsolve_status status;

    TRY(gs_csr_check_host(ctx, A, &clean));
    if (type == GSOLVE_F32 && A->type == GSOLVE_F64) TRY(need_single(ctx, A));
    TRY(convert(out, ctx, type, A));
done:
    return status;
}

gsolve_status gs_csr_round(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                           const gsolve_csr *A)
{
    bool clean;
    const gsolve_status status = gs_csr_check_host(ctx, A, &clean);

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

/* Fills B's row from A's entries in the order of key; destination may be NULL. */
static void fill_row(const gsolve_csr *B, int64_t at, const gsolve_csr *A, int64_t from, int64_t to,
                     const uint64_t *key, int64_t *destination)
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
        if (destination) destination[entry] = b;
    }
}

static gsolve_status clean_unsorted(gsolve_csr *out, gsolve_context *ctx, const gsolve_csr *A,
                                    int64_t **destination_out)
{
    const int64_t entries = gs_start(A, A->nrows);
    gsolve_csr B = {0};
    uint64_t *key = NULL;
    int64_t *count = NULL, *destination = NULL;
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, key, entries);
    ALLOC(ctx, GSOLVE_HOST, count, (size_t)A->nrows + 1);
    if (destination_out) ALLOC(ctx, GSOLVE_HOST, destination, entries);
    count[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int32_t i = 0; i < A->nrows; i++) {
        count[i + 1] = sort_row(A, gs_start(A, i), gs_start(A, i + 1), key);
    }
    for (int32_t i = 0; i < A->nrows; i++) count[i + 1] += count[i];
    TRY(gs_csr_new(&B, ctx, A->nrows, A->ncols, count[A->nrows], A->type));
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int32_t i = 0; i < A->nrows; i++) {
        gs_set_start(&B, i, count[i]);
        fill_row(&B, count[i], A, gs_start(A, i), gs_start(A, i + 1), key, destination);
    }
    gs_set_start(&B, A->nrows, count[A->nrows]);
    *out = B;
    if (destination_out) *destination_out = destination;
    destination = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, destination);
    gsolve_free(ctx, GSOLVE_HOST, count);
    gsolve_free(ctx, GSOLVE_HOST, key);
    return status;
}

bool gs_rows_ascend(gsolve_context *ctx, const gsolve_csr *A)
{
    bool ascending = false;
    int64_t bad;
    int unsorted = 0;

    if (A->location == GSOLVE_DEVICE) {
        return gs_inspector(ctx, A)->check_entries(ctx, A, &bad, &ascending) == GSOLVE_OK &&
               ascending;
    }
    const int threads = gs_threads_for(gs_start(A, A->nrows), gsolve_threads(ctx));
#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads) reduction(| : unsorted)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t to = gs_start(A, i + 1);
        for (int64_t k = gs_start(A, i) + 1; k < to; k++) unsorted |= A->col[k] <= A->col[k - 1];
    }
    return !unsorted;
}

gsolve_status gs_csr_clean(gsolve_csr *B, gsolve_context *ctx, const gsolve_csr *A,
                           int64_t **destination)
{
    gsolve_status status;

    if (A->location == GSOLVE_HOST && !gs_rows_ascend(ctx, A)) {
        return clean_unsorted(B, ctx, A, destination);
    }
    status = A->location == GSOLVE_HOST ? convert(B, ctx, A->type, A) : gs_csr_narrow(B, ctx, A);
    if (status == GSOLVE_OK && destination) *destination = NULL;
    return status;
}
