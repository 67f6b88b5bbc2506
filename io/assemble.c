/* assemble.c: compressed rows from triplets in the order of a file. Triplets in ascending order
 * become the rows without a copy. Otherwise a stable counting sort by row number places them and
 * mirrors the entries of a symmetric matrix. If columns do not ascend afterwards, gs_csr_clean
 * sorts the rows and sums duplicates. */
#include "core/try.h"
#include "io/market.h"
#include "matrix/counting_sort.h"

typedef struct sorting {
    const gs_triplets *t;
    gs_counting_sort by_row;
    double mirror; /* the factor of mirrored values; 0: no entry is mirrored */
    int32_t *col;
    double *value;
} sorting;

/* Whether rows ascend and columns within them. */
static bool ascending(gsolve_context *ctx, const gs_triplets *t, int64_t entries)
{
    int descents = 0;

#pragma omp parallel for simd schedule(static) num_threads(gsolve_threads(ctx)) \
    reduction(| : descents)
    for (int64_t k = 1; k < entries; k++) {
        const int row = t->i[k] > t->i[k - 1], same = t->i[k] == t->i[k - 1];
        descents |= !(row | (same & (t->j[k] > t->j[k - 1])));
    }
    return !descents;
}

static gsolve_status fill_ones(double **value, gsolve_context *ctx, int64_t entries)
{
    double *v;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, v, entries);
#pragma omp parallel for simd schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < entries; k++) v[k] = 1;
    *value = v;
done:
    return status;
}

/* Takes ownership of t's columns and values, and computes the offsets. */
static gsolve_status own_triplets(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows,
                                  int32_t ncols, int64_t entries, gs_triplets *t)
{
    gsolve_csr A = {.nrows = nrows, .ncols = ncols, .type = GSOLVE_F64, .location = GSOLVE_HOST};
    gsolve_status status = GSOLVE_OK;

    A.offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    A.start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)nrows + 1, gs_offset_size(A.offset));
    if (!A.start) return GSOLVE_NO_MEMORY;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &A);
    if (!t->v) TRY(fill_ones(&t->v, ctx, entries));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k <= entries; k++) { /* the rows that begin at k */
        const int32_t last = k < entries ? t->i[k] : nrows;
        for (int64_t i = k ? (int64_t)t->i[k - 1] + 1 : 0; i <= last; i++) gs_set_start(&to, i, k);
    }
    A.col = t->j;
    A.value = t->v;
    t->j = NULL;
    t->v = NULL;
    *csr = A;
    A.start = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, A.start);
    return status;
}

static void scatter_chunk(const sorting *s, int chunk)
{
    int64_t *next = s->by_row.next + chunk * s->by_row.nkeys;
    const int64_t end = gs_chunk_begin(&s->by_row, chunk + 1);
    const gs_triplets *t = s->t;

    for (int64_t k = gs_chunk_begin(&s->by_row, chunk); k < end; k++) {
        const int32_t i = t->i[k], j = t->j[k];
        const double v = t->v ? t->v[k] : 1;
        int64_t at = next[i]++;
        s->col[at] = j;
        s->value[at] = v;
        if (s->mirror != 0 && i != j) {
            at = next[j]++;
            s->col[at] = i;
            s->value[at] = s->mirror * v;
        }
    }
}

static gsolve_status sort(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                          int64_t entries, const gs_triplets *t, gsolve_symmetry symmetry)
{
    sorting s = {.t = t};
    gsolve_csr A = {0};
    gsolve_status status;

    s.mirror = symmetry == GSOLVE_GENERAL ? 0 : symmetry == GSOLVE_SKEW ? -1 : 1;
    TRY(gs_count_keys(&s.by_row, ctx, entries, t->i, s.mirror != 0 ? t->j : NULL, nrows));
    TRY(gs_csr_new(&A, ctx, nrows, ncols, s.by_row.total, GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &A);
    gs_put_offsets(&s.by_row, &to);
    s.col = to.col;
    s.value = to.value;
#pragma omp parallel for schedule(static, 1) num_threads(s.by_row.chunks)
    for (int c = 0; c < s.by_row.chunks; c++) scatter_chunk(&s, c);
    *csr = A;
done:
    gsolve_free(ctx, GSOLVE_HOST, s.by_row.next);
    return status;
}

int64_t gs_count_stored(gsolve_context *ctx, const gsolve_csr *A, int64_t row,
                        gsolve_symmetry symmetry)
{
    int64_t lower = 0;

    if (symmetry == GSOLVE_GENERAL) return gs_start(A, A->nrows);
#pragma omp parallel for schedule(dynamic, 4096) num_threads(gsolve_threads(ctx)) \
    reduction(+ : lower)
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) lower += A->col[k] <= row + i;
    }
    return lower;
}

gsolve_status gs_assemble(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                          int64_t entries, gs_triplets *t, gsolve_symmetry symmetry,
                          int64_t *duplicates)
{
    gsolve_csr A = {0}, B;
    gsolve_status status;

    *duplicates = 0;
    if (symmetry == GSOLVE_GENERAL && ascending(ctx, t, entries)) {
        return own_triplets(csr, ctx, nrows, ncols, entries, t);
    }
    TRY(sort(&A, ctx, nrows, ncols, entries, t, symmetry));
    gs_triplets_free(t, ctx);
    if (!gs_rows_ascend(ctx, &A)) {
        TRY(gs_csr_clean(&B, ctx, &A, false, NULL));
        gsolve_csr_free(&A, ctx);
        A = B;
        *duplicates = entries - gs_count_stored(ctx, &A, 0, symmetry);
    }
    *csr = A;
    A = (gsolve_csr){0};
done:
    gsolve_csr_free(&A, ctx);
    return status;
}
