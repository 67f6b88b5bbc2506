/* gustavson_host.c: row by row on the CPU: F.G. Gustavson, Two fast algorithms for sparse matrices
 * (1978). A first pass counts the columns of each row; a stamp marks the columns that have been
 * counted. A second pass collects the columns and sums of a row in the order in which they occur,
 * and sorts them. An update knows the sorted columns and adds each product at its column's
 * position. One thread computes a row, so C's bits do not depend on the number of threads. A plan
 * keeps the array slot of each thread. */
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "spgemm/row_sums.h"
#include "spgemm/spgemm.h"

typedef struct thread_work { /* of one thread */
    uint32_t *stamp;         /* of each column of B: the last row that contained it */
    gs_row_sums row;
} thread_work;

typedef struct all_work { /* of all threads */
    int threads;
    thread_work *of;
} all_work;

#define MIN_PARALLEL_PRODUCTS 20000 /* for fewer products one thread is faster */

static int64_t count_products(const gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B)
{
    int64_t products = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(+ : products)
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            products += gs_start(B, A->col[k] + 1) - gs_start(B, A->col[k]);
        }
    }
    return products;
}

/* The number of threads: limited by the number of products, and by the cost of setting up the work
 * arrays of each thread. */
static int count_threads(const gsolve_context *ctx, int64_t products, int32_t ncols)
{
    const double setup = 12. * ncols, most = 1 + 16. * (double)products / (setup + 1);
    const int threads = gsolve_threads(ctx);

    return products < MIN_PARALLEL_PRODUCTS ? 1 : most < threads ? (int)most : threads;
}

/* Frees what an update does not need. */
static void drop_lists(thread_work *work, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, work->stamp);
    work->stamp = NULL;
    gs_row_drop_lists(&work->row, ctx);
}

static void drop_work(all_work *t, gsolve_context *ctx)
{
    for (int k = 0; t->of && k < t->threads; k++) {
        drop_lists(&t->of[k], ctx);
        gsolve_free(ctx, GSOLVE_HOST, t->of[k].row.slot);
    }
    gsolve_free(ctx, GSOLVE_HOST, t->of);
    t->of = NULL;
}

static gsolve_status new_work(all_work *out, gsolve_context *ctx, int64_t products, int32_t ncols)
{
    all_work t = {count_threads(ctx, products, ncols), NULL};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t.of, t.threads);
    memset(t.of, 0, (size_t)t.threads * sizeof *t.of);
    for (int k = 0; k < t.threads; k++) {
        ALLOC(ctx, GSOLVE_HOST, t.of[k].stamp, ncols);
        ALLOC(ctx, GSOLVE_HOST, t.of[k].row.slot, ncols);
        ALLOC(ctx, GSOLVE_HOST, t.of[k].row.bit, gs_row_bit_words(ncols));
    }
    *out = t;
    t.of = NULL;
done:
    drop_work(&t, ctx);
    return status;
}

/* The number of columns of row i of A B. stamp: not 0, and different from that of every earlier
 * row. */
static int32_t count_row(const gsolve_csr *A, const gsolve_csr *B, int32_t i, uint32_t stamp,
                         uint32_t *restrict stamps)
{
    const int64_t a_end = gs_start(A, i + 1);
    int32_t n = 0;

    for (int64_t k = gs_start(A, i); k < a_end; k++) {
        const int64_t end = gs_start(B, A->col[k] + 1);
        for (int64_t q = gs_start(B, A->col[k]); q < end; q++) {
            n += stamps[B->col[q]] != stamp;
            stamps[B->col[q]] = stamp;
        }
    }
    return n;
}

/* count[i] = the columns of row i. Returns those of the longest row. */
static int32_t count_all(const all_work *t, const gsolve_csr *A, const gsolve_csr *B,
                         int32_t *count)
{
    int32_t longest = 0;

#pragma omp parallel num_threads(t->threads) reduction(max : longest)
    {
        const thread_work *work = &t->of[omp_get_thread_num()];
        memset(work->stamp, 0, (size_t)B->ncols * sizeof *work->stamp);
        memset(work->row.bit, 0, gs_row_bit_words(B->ncols) * sizeof *work->row.bit);
#pragma omp for schedule(dynamic, 128)
        for (int32_t i = 0; i < A->nrows; i++) {
            count[i] = count_row(A, B, i, (uint32_t)i + 1, work->stamp);
            if (count[i] > longest) longest = count[i];
        }
    }
    return longest;
}

/* Sets C's columns and values; its offsets are set. */
static void make_rows(const all_work *t, const gsolve_csr *A, const gsolve_csr *B,
                      const gs_csr_arrays *C)
{
    const gs_row_kernels *kernels = &GS_LEVEL(gs_row_host)[A->type];
    const size_t size = gs_type_size(A->type);

#pragma omp parallel num_threads(t->threads)
    {
        gs_row_sums row = t->of[omp_get_thread_num()].row;
        row.base = 1;
        memset(row.slot, 0, (size_t)B->ncols * sizeof *row.slot);
#pragma omp for schedule(dynamic, 128)
        for (int32_t i = 0; i < A->nrows; i++) {
            const int64_t to = gs_start(&C->csr, i);
            kernels->gather(&row, B, A->col, A->value, gs_start(A, i), gs_start(A, i + 1));
            kernels->store(&row, B->ncols, C->col + to, (char *)C->value + (size_t)to * size);
        }
    }
}

/* The first row of thread k, if the rows are divided equally. */
static int32_t first_row(const all_work *t, int32_t nrows, int k)
{
    return (int32_t)((int64_t)nrows * k / t->threads);
}

/* before[k] = the entries of the rows before those of thread k, for k <= t->threads. */
static void sum_shares(const all_work *t, int32_t nrows, const int32_t *count, int64_t *before)
{
    before[0] = 0;
#pragma omp parallel for schedule(static, 1) num_threads(t->threads)
    for (int k = 0; k < t->threads; k++) {
        int64_t sum = 0;
        for (int32_t i = first_row(t, nrows, k); i < first_row(t, nrows, k + 1); i++)
            sum += count[i];
        before[k + 1] = sum;
    }
    for (int k = 0; k < t->threads; k++) before[k + 1] += before[k];
}

/* Allocates C for the counted entries and sets its offsets. */
static gsolve_status new_result(gsolve_csr *C, gsolve_context *ctx, const all_work *t,
                                const gsolve_csr *A, const gsolve_csr *B, const int32_t *count)
{
    const int32_t n = A->nrows;
    int64_t *before = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, before, (size_t)t->threads + 1);
    sum_shares(t, n, count, before);
    TRY(gs_csr_new_at(C, ctx, A->location, n, B->ncols, before[t->threads], A->type));
    const gs_csr_arrays arrays = gs_csr_arrays_of(ctx, C);
    gs_set_start(&arrays, 0, 0);
#pragma omp parallel for schedule(static, 1) num_threads(t->threads)
    for (int k = 0; k < t->threads; k++) {
        int64_t at = before[k];
        for (int32_t i = first_row(t, n, k); i < first_row(t, n, k + 1); i++) {
            gs_set_start(&arrays, i + 1, at += count[i]);
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, before);
    return status;
}

/* *plan = the work arrays that an update needs: only slot. */
static gsolve_status keep_work(void **plan, gsolve_context *ctx, all_work *t)
{
    all_work *kept;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, kept, 1);
    for (int k = 0; k < t->threads; k++) drop_lists(&t->of[k], ctx);
    *kept = *t;
    t->of = NULL;
    *plan = kept;
done:
    return status;
}

static gsolve_status multiply(gs_blocked *out, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options)
{
    gsolve_csr C = {0};
    all_work t = {0, NULL};
    int32_t *count = NULL, longest;
    gsolve_status status;

    (void)options;
    stats->products = count_products(ctx, &A->csr, &B->csr);
    stats->bands = 1;
    TRY(new_work(&t, ctx, stats->products, B->csr.ncols));
    ALLOC(ctx, GSOLVE_HOST, count, A->csr.nrows);
    longest = count_all(&t, &A->csr, &B->csr, count);
    for (int k = 0; k < t.threads; k++) {
        TRY(gs_row_new_lists(&t.of[k].row, ctx, longest, A->csr.type));
    }
    TRY(new_result(&C, ctx, &t, &A->csr, &B->csr, count));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C);
    make_rows(&t, &A->csr, &B->csr, &to);
    if (plan) TRY(keep_work(plan, ctx, &t));
    *out = (gs_blocked){C, 1, 1};
    memset(&C, 0, sizeof C);
done:
    gsolve_free(ctx, GSOLVE_HOST, count);
    drop_work(&t, ctx);
    gsolve_csr_free(&C, ctx);
    return status;
}

static gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C)
{
    const gsolve_csr *a = &A->csr;
    const gs_row_kernels *kernels = &GS_LEVEL(gs_row_host)[a->type];
    const all_work *t = plan;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C->csr);

#pragma omp parallel for schedule(dynamic, 128) num_threads(gs_usable_threads(t->threads))
    for (int32_t i = 0; i < a->nrows; i++) {
        kernels->refill(&to, i, t->of[omp_get_thread_num()].row.slot, &B->csr, a->col, a->value,
                        gs_start(a, i), gs_start(a, i + 1));
    }
    return GSOLVE_OK;
}

static void destroy(void *plan, gsolve_context *ctx)
{
    drop_work(plan, ctx);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

const gs_product_kernels GS_LEVEL(gs_gustavson_host)[GSOLVE_TYPE_COUNT] = {
    {multiply, update, destroy}, {multiply, update, destroy}};
