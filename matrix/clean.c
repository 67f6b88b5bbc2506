/* clean.c: rows with ascending columns and without duplicates. Each row is sorted by the keys
 * (column, position in the row); entries of the same column are summed in that order. */
#include <stdlib.h>

#include "core/try.h"
#include "matrix/statistics.h"
#include "vector/blocks.h"

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
static void fill_row(const gs_csr_arrays *B, int64_t at, const gsolve_csr *A, int64_t from,
                     int64_t to, const uint64_t *key, int64_t *destination)
{
    for (int64_t k = from, b = at - 1; k < to; k++) {
        const int64_t entry = from + (int64_t)(key[k] & UINT32_MAX);
        const bool new = k == from || key[k] >> 32 != key[k - 1] >> 32;
        const double value = gs_value(A, entry);
        if (new) B->col[++b] = (int32_t)(key[k] >> 32);
        if (B->csr.type == GSOLVE_F32) {
            float *v = B->value;
            v[b] = new ? (float)value : v[b] + (float)value;
        } else {
            double *v = B->value;
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
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &B);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
    for (int32_t i = 0; i < A->nrows; i++) {
        gs_set_start(&to, i, count[i]);
        fill_row(&to, count[i], A, gs_start(A, i), gs_start(A, i + 1), key, destination);
    }
    gs_set_start(&to, A->nrows, count[A->nrows]);
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
    gs_csr_findings found;

    return gs_inspector(ctx, A)->check(&found, ctx, A, NULL) == GSOLVE_OK && found.bad_row < 0 &&
           found.ascending;
}

gsolve_status gs_csr_clean(gsolve_csr *B, gsolve_context *ctx, const gsolve_csr *A, bool ascending,
                           int64_t **destination)
{
    if (!ascending) return clean_unsorted(B, ctx, A, destination);
    if (destination) *destination = NULL;
    return A->location == GSOLVE_HOST ? gs_csr_copy(B, ctx, A->type, A) : gs_csr_narrow(B, ctx, A);
}
