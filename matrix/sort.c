/* sort.c: sorts entries on the CPU: the entries of unsorted rows by column, triplets by row, and
 * the entries of a transpose by column. */
#include <stdlib.h>

#include "core/try.h"
#include "matrix/counting_sort.h"
#include "matrix/statistics.h"
#include "vector/blocks.h"

/* --- rows with ascending columns and without duplicates. Each row is sorted by the keys (column,
 * position in the row); entries of the same column are summed in that order
 * ------------------------ */

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

gsolve_status gs_csr_clean(gsolve_csr *B, gsolve_context *ctx, const gsolve_csr *A, bool ascending,
                           int64_t **destination)
{
    if (!ascending) return clean_unsorted(B, ctx, A, destination);
    if (destination) *destination = NULL;
    return A->location == GSOLVE_HOST ? gs_csr_copy(B, ctx, A->type, A) : gs_csr_narrow(B, ctx, A);
}

/* --- triplets and the transpose --------------------------------------------------------------- */

gsolve_status gs_csr_from_triplets(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows,
                                   int32_t ncols, int64_t entries, const int32_t *i,
                                   const int32_t *j, const double *v)
{
    gsolve_csr A = {0}, B;
    gs_counting_sort o = {0};
    gs_csr_findings found;
    gsolve_status status;

    TRY(gs_csr_new(&A, ctx, nrows, ncols, entries, GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &A);
    double *value = to.value;
    TRY(gs_count_keys(&o, ctx, entries, i, NULL, nrows));
    gs_put_offsets(&o, &to);
#pragma omp parallel for schedule(static, 1) num_threads(o.chunks)
    for (int c = 0; c < o.chunks; c++) {
        int64_t *next = o.next + (int64_t)c * nrows;
        for (int64_t k = gs_chunk_begin(&o, c); k < gs_chunk_begin(&o, c + 1); k++) {
            const int64_t at = next[i[k]]++;
            to.col[at] = j[k];
            value[at] = v ? v[k] : 1;
        }
    }
    TRY(gs_csr_inspect(ctx, &A, &found, NULL));
    if (!found.ascending) {
        TRY(gs_csr_clean(&B, ctx, &A, false, NULL));
        gsolve_csr_free(&A, ctx);
        A = B;
    }
    *csr = A;
    A = (gsolve_csr){0};
done:
    gsolve_free(ctx, GSOLVE_HOST, o.next);
    gsolve_csr_free(&A, ctx);
    return status;
}

static void put_entry(const gs_csr_arrays *C, int64_t at, int32_t row, const gsolve_csr *A,
                      int64_t k)
{
    C->col[at] = row;
    if (C->csr.type == GSOLVE_F32) {
        ((float *)C->value)[at] = ((const float *)A->value)[k];
    } else {
        ((double *)C->value)[at] = ((const double *)A->value)[k];
    }
}

/* Copies the entries of chunk c of A to their positions in C = A'. from: NULL, or an array with
 * elements of width bytes that receives the number of each entry in A. */
static void put_chunk(const gs_counting_sort *o, int c, const gs_csr_arrays *C, void *from,
                      size_t width, const gsolve_csr *A)
{
    int64_t *next = o->next + (int64_t)c * A->ncols, k = gs_chunk_begin(o, c);
    const int64_t end = gs_chunk_begin(o, c + 1);

    for (int32_t i = k < end ? gs_row_of_entry(A, k) : 0; k < end; i++) {
        for (; k < end && k < gs_start(A, i + 1); k++) {
            const int64_t at = next[A->col[k]]++;
            put_entry(C, at, i, A, k);
            if (!from) continue;
            if (width == sizeof(int64_t)) {
                ((int64_t *)from)[at] = k;
            } else {
                ((int32_t *)from)[at] = (int32_t)k;
            }
        }
    }
}

/* *out = A'. Unless from is NULL, (*from)[k] = the number in A of entry k of A'. */
static gsolve_status transpose(gsolve_csr *out, void **from, gsolve_context *ctx,
                               const gsolve_csr *A, int64_t entries)
{
    const size_t width = entries > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
    gsolve_csr C = {0};
    gs_counting_sort o = {0};
    void *place = NULL;
    gsolve_status status;

    TRY(gs_csr_new_at(&C, ctx, A->location, A->ncols, A->nrows, entries, A->type));
    if (from) {
        place = gsolve_alloc(ctx, A->location, (size_t)entries, width);
        TRY(place ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    }
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C);
    TRY(gs_count_keys(&o, ctx, entries, A->col, NULL, A->ncols));
    gs_put_offsets(&o, &to);
#pragma omp parallel for schedule(static, 1) num_threads(o.chunks)
    for (int c = 0; c < o.chunks; c++) put_chunk(&o, c, &to, place, width, A);
    *out = C;
    C = (gsolve_csr){0};
    if (from) *from = place;
    place = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, o.next);
    gsolve_free(ctx, A->location, place);
    gsolve_csr_free(&C, ctx);
    return status;
}

gsolve_status gs_csr_transpose(gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *A)
{
    return transpose(C, NULL, ctx, A, gs_start(A, A->nrows));
}

gsolve_status gsolve_csr_transpose(gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *A)
{
    const gsolve_status status = gs_csr_check_host(ctx, A);

    return status == GSOLVE_OK ? gs_csr_transpose(C, ctx, A) : status;
}

static gsolve_status refill(const gsolve_csr *B, const void *from, gsolve_context *ctx,
                            const gsolve_csr *A)
{
    const int64_t entries = gs_start(A, A->nrows);
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    const bool wide = entries > INT32_MAX, single = A->type == GSOLVE_F32;
    void *to = gs_owned_block(ctx, B->value);

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = 0; k < entries; k++) {
        const int64_t at = wide ? ((const int64_t *)from)[k] : ((const int32_t *)from)[k];
        if (single) {
            ((float *)to)[k] = ((const float *)A->value)[at];
        } else {
            ((double *)to)[k] = ((const double *)A->value)[at];
        }
    }
    return GSOLVE_OK;
}

const gs_transpose_kernels gs_transpose_host[GSOLVE_TYPE_COUNT] = {{transpose, refill},
                                                                   {transpose, refill}};
