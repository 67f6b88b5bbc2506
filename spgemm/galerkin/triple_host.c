/* triple_host.c: R A P in one step on the CPU. For each row of R, first the row of R A and then the
 * row of R A P is computed, with its columns in the order in which they occur. Rows of R with the
 * same columns are computed together (grouped.h). Each thread appends rows to a list of its own,
 * which becomes a part of C. A full list grows between two parallel regions. */
#include <string.h>

#include "core/try.h"
#include "spgemm/galerkin/grouped.h"
#include "spgemm/galerkin/triple.h"
#include "vector/blocks.h"

typedef struct worker {
    gs_row_sums ra, c; /* row i of R A; row i of R A P */
    int32_t next, end; /* the rows that are left to compute */
    int64_t used, capacity, products;
    int32_t *col; /* capacity elements; the rows computed so far */
    void *value;
} worker;

typedef struct workers {
    int size;
    worker *of;
    gs_grouping grouping;
} workers;

#define EXPECTED_ENTRIES  32   /* of a row of C; sets the first size of a list */
#define MIN_PARALLEL_ROWS 1000 /* for fewer rows one thread is faster; */
#define MIN_GROUPED       5000 /* and for fewer entries of R, if its rows come in groups */

/* --- the threads ------------------------------------------------------------------------------ */

/* longest: the sums of a row, or of a group of rows */
static gsolve_status new_row_sums(gs_row_sums *g, gsolve_context *ctx, int32_t ncols,
                                  int64_t longest, gsolve_type type)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, g->slot, ncols);
    g->base = 1;
    TRY(longest <= INT32_MAX - GS_RANKED ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_row_new_lists(g, ctx, (int32_t)longest, type));
done:
    return status;
}

static void drop_workers(workers *t, gsolve_context *ctx)
{
    for (int k = 0; t->of && k < t->size; k++) {
        worker *w = &t->of[k];
        gs_row_drop_lists(&w->ra, ctx);
        gs_row_drop_lists(&w->c, ctx);
        gsolve_free(ctx, GSOLVE_HOST, w->ra.slot);
        gsolve_free(ctx, GSOLVE_HOST, w->c.slot);
        gsolve_free(ctx, GSOLVE_HOST, w->col);
        gsolve_free(ctx, GSOLVE_HOST, w->value);
    }
    gsolve_free(ctx, GSOLVE_HOST, t->of);
}

/* The first row of the k-th of `parts` parts of R with about equally many entries and with whole
 * groups of rows. */
static int32_t first_row(const gsolve_csr *R, int k, int parts, int32_t group)
{
    const int64_t at = gs_start(R, R->nrows) * k / parts;
    int32_t low = 0, high = R->nrows;

    if (k == parts) return R->nrows;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(R, middle) < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low / group * group;
}

static int useful_threads(gsolve_context *ctx, const gsolve_csr *R, const gs_grouping *G)
{
    const bool small =
        G->rows > 1 ? gs_start(R, R->nrows) < MIN_GROUPED : R->nrows < MIN_PARALLEL_ROWS;

    return small ? 1 : gsolve_threads(ctx);
}

static gsolve_status new_workers(workers *t, gsolve_context *ctx, const gsolve_csr *R,
                                 const gsolve_csr *A, const gsolve_csr *P)
{
    const size_t bits = gs_row_bit_words(P->ncols);
    const gs_grouping G =
        gs_find_grouping(R, A, P, gs_threads_for(gs_start(R, R->nrows), gsolve_threads(ctx)));
    const int64_t lanes = G.rows > 1 ? gs_group_lanes(&G) : 1;
    gsolve_status status;

    t->grouping = G;
    t->size = useful_threads(ctx, R, &G);
    ALLOC(ctx, GSOLVE_HOST, t->of, t->size);
    memset(t->of, 0, (size_t)t->size * sizeof *t->of);
    for (int k = 0; k < t->size; k++) {
        worker *w = &t->of[k];
        w->next = first_row(R, k, t->size, G.rows);
        w->end = first_row(R, k + 1, t->size, G.rows);
        TRY(new_row_sums(&w->ra, ctx, A->ncols, G.longest * lanes, R->type));
        TRY(new_row_sums(&w->c, ctx, P->ncols, P->ncols * lanes, R->type));
        ALLOC(ctx, GSOLVE_HOST, w->c.bit, bits);
    }
#pragma omp parallel for schedule(static, 1) num_threads(t->size)
    for (int k = 0; k < t->size; k++) {
        const worker *w = &t->of[k];
        memset(w->ra.slot, 0, (size_t)A->ncols * sizeof *w->ra.slot);
        memset(w->c.slot, 0, (size_t)P->ncols * sizeof *w->c.slot);
        memset(w->c.bit, 0, bits * sizeof *w->c.bit);
    }
done:
    return status;
}

/* --- the product ------------------------------------------------------------------------------ */

/* w->ra = row i of R A, its columns in the order in which they occur. */
static void sum_outer(const gsolve_csr *R, const gsolve_csr *A, int32_t i, worker *w)
{
    w->products += GS_LEVEL(gs_row_host)[R->type].gather(&w->ra, A, R->col, R->value,
                                                         gs_start(R, i), gs_start(R, i + 1));
}

/* Computes rows of w until its lists are full; count receives their lengths. */
static void make_rows(const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P, worker *w,
                      int32_t *count)
{
    const gs_row_kernels *kernels = &GS_LEVEL(gs_row_host)[R->type];
    const size_t size = gs_type_size(R->type);

    for (; w->next < w->end; w->next++) {
        const int64_t products = w->products;
        sum_outer(R, A, w->next, w);
        w->products += kernels->gather(&w->c, P, w->ra.list, w->ra.sum, 0, w->ra.n);
        if (w->used + w->c.n > w->capacity) { /* the row is recomputed */
            w->products = products;
            return;
        }
        kernels->store(&w->c, P->ncols, w->col + w->used,
                       (char *)w->value + (size_t)w->used * size);
        w->used += w->c.n;
        count[w->next] = (int32_t)w->c.n;
    }
}

/* col = the columns of a group in w->c, its runs in full; n of them. */
static void list_columns(const gs_grouping *G, const worker *w, int32_t ncols, int32_t n,
                         int32_t *col)
{
    const int32_t width = G->run_p;

    GS_LEVEL(gs_row_host)[GSOLVE_F64].sort(&w->c, ncols, col);
    for (int32_t e = n - 1; e >= 0 && width > 1; e--) col[e] = col[e / width] + e % width;
}

/* make_rows, where rows of R come in groups. */
static void make_groups(const gs_grouping *G, const gsolve_csr *R, const gsolve_csr *A,
                        const gsolve_csr *P, worker *w, int32_t *count)
{
    const gs_grouped_kernels *kernels = &GS_LEVEL(gs_grouped_host)[R->type];
    const size_t size = gs_type_size(R->type);

    for (; w->next < w->end; w->next += G->rows) {
        const int64_t products = kernels->sum(G, &w->ra, &w->c, R, A, P, w->next);
        const int32_t n = (int32_t)w->c.n * G->run_p;
        int32_t *col = w->col + w->used;
        if (w->used + (int64_t)n * G->rows > w->capacity) return; /* they are recomputed */
        w->products += products;
        if (n > 0) list_columns(G, w, P->ncols, n, col);
        kernels->put(G, &w->c, col, n, (char *)w->value + (size_t)w->used * size);
        for (int32_t m = 0; m < G->rows; m++) {
            if (m > 0) memcpy(col + (int64_t)m * n, col, (size_t)n * sizeof *col);
            count[w->next + m] = n;
        }
        w->used += (int64_t)n * G->rows;
    }
}

/* Enlarges the lists of w, so that its next row, or its next group of rows, fits in any case. */
static gsolve_status grow(worker *w, gsolve_context *ctx, int64_t row, gsolve_type type)
{
    const int32_t rows = w->end - w->next;
    const int64_t capacity = w->capacity ? 2 * w->capacity + row : (int64_t)rows * EXPECTED_ENTRIES;
    const size_t size = gs_type_size(type);
    int32_t *col = NULL;
    void *value = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, col, capacity);
    value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)capacity, size);
    TRY(value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    if (w->used > 0) {
        memcpy(col, w->col, (size_t)w->used * sizeof *col);
        memcpy(value, w->value, (size_t)w->used * size);
    }
    gsolve_free(ctx, GSOLVE_HOST, w->col);
    gsolve_free(ctx, GSOLVE_HOST, w->value);
    w->col = col;
    w->value = value;
    w->capacity = capacity;
    col = NULL;
    value = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, col);
    gsolve_free(ctx, GSOLVE_HOST, value);
    return status;
}

static gsolve_status make_all(workers *t, gsolve_context *ctx, const gsolve_csr *R,
                              const gsolve_csr *A, const gsolve_csr *P, int32_t *count)
{
    const gs_grouping *G = &t->grouping;
    bool more = R->nrows > 0;
    gsolve_status status = GSOLVE_OK;

    while (more) {
        more = false;
        for (int k = 0; k < t->size; k++) {
            worker *w = &t->of[k];
            if (w->next < w->end) TRY(grow(w, ctx, (int64_t)P->ncols * G->rows, R->type));
        }
#pragma omp parallel for schedule(static, 1) num_threads(t->size) reduction(|| : more)
        for (int k = 0; k < t->size; k++) {
            if (G->rows > 1) {
                make_groups(G, R, A, P, &t->of[k], count);
            } else {
                make_rows(R, A, P, &t->of[k], count);
            }
            more = more || t->of[k].next < t->of[k].end;
        }
    }
done:
    return status;
}

/* C = the concatenated lists of all workers. */
static gsolve_status concatenate(gsolve_csr *C, const workers *t, gsolve_context *ctx,
                                 const gsolve_csr *R, const gsolve_csr *P, const int32_t *count)
{
    const size_t size = gs_type_size(R->type);
    int64_t at = 0, entries = 0;
    gsolve_status status;

    for (int k = 0; k < t->size; k++) entries += t->of[k].used;
    TRY(gs_csr_new_at(C, ctx, R->location, R->nrows, P->ncols, entries, R->type));
    const gs_csr_arrays arrays = gs_csr_arrays_of(ctx, C);
    gs_set_start(&arrays, 0, 0);
    for (int32_t i = 0; i < R->nrows; i++) gs_set_start(&arrays, i + 1, at += count[i]);
    at = 0;
    for (int k = 0; k < t->size; k++) {
        const worker *w = &t->of[k];
        if (w->used == 0) continue;
        memcpy(arrays.col + at, w->col, (size_t)w->used * sizeof *w->col);
        memcpy((char *)arrays.value + (size_t)at * size, w->value, (size_t)w->used * size);
        at += w->used;
    }
done:
    return status;
}

static gsolve_status multiply(gsolve_csr *C, void **plan, gs_product_work *stats, bool *fits,
                              gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                              const gsolve_csr *P)
{
    workers t = {0};
    int32_t *count = NULL;
    gsolve_status status;

    TRY(new_workers(&t, ctx, R, A, P));
    ALLOC(ctx, GSOLVE_HOST, count, R->nrows);
    TRY(make_all(&t, ctx, R, A, P, count));
    TRY(concatenate(C, &t, ctx, R, P, count));
    for (int k = 0; k < t.size; k++) stats->products += t.of[k].products;
    stats->bands = 1;
    if (plan) *plan = NULL;
    *fits = true;
done:
    gsolve_free(ctx, GSOLVE_HOST, count);
    drop_workers(&t, ctx);
    return status;
}

/* C's values in the rows of w. */
static void refill(const gs_grouping *G, const gsolve_csr *R, const gsolve_csr *A,
                   const gsolve_csr *P, worker *w, const gs_csr_arrays *C)
{
    const gs_row_kernels *kernels = &GS_LEVEL(gs_row_host)[R->type];
    const gs_grouped_kernels *grouped = &GS_LEVEL(gs_grouped_host)[R->type];

    for (; w->next < w->end; w->next += G->rows) {
        const int64_t first = gs_start(&C->csr, w->next);
        const int32_t n = (int32_t)(gs_start(&C->csr, w->next + 1) - first);
        if (G->rows > 1) {
            grouped->sum(G, &w->ra, &w->c, R, A, P, w->next);
            grouped->put(G, &w->c, C->col + first, n,
                         (char *)C->value + (size_t)first * gs_type_size(R->type));
        } else {
            sum_outer(R, A, w->next, w);
            kernels->refill(C, w->next, w->c.slot, P, w->ra.list, w->ra.sum, 0, w->ra.n);
        }
    }
}

static gsolve_status update(void *plan, gsolve_context *ctx, const gsolve_csr *R,
                            const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C)
{
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, C);
    workers t = {0};
    gsolve_status status;

    (void)plan;
    TRY(new_workers(&t, ctx, R, A, P));
#pragma omp parallel for schedule(static, 1) num_threads(t.size)
    for (int k = 0; k < t.size; k++) refill(&t.grouping, R, A, P, &t.of[k], &to);
done:
    drop_workers(&t, ctx);
    return status;
}

const gs_triple_kernels GS_LEVEL(gs_triple_host)[GSOLVE_TYPE_COUNT] = {{multiply, update, NULL},
                                                                       {multiply, update, NULL}};
