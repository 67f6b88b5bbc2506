/* gustavson.c: the method gustavson. A first pass counts the columns of all rows, a second one
 * computes the rows. One thread computes a row, so C's bits do not depend on the number of threads.
 * A plan keeps the array slot of each thread. */
#include "spgemm/gustavson/gustavson.h"

#include <omp.h>
#include <string.h>

#include "core/try.h"

typedef struct thread_work { /* the work arrays of all threads */
    int threads;
    gs_gustavson_work *work; /* of each thread */
} thread_work;

#define MIN_PARALLEL_PRODUCTS 20000 /* for fewer products one thread is faster */

/* The number of threads: limited by the number of products, and by the cost of setting up the work
 * arrays of each thread. */
static int count_threads(const gsolve_context *ctx, int64_t products, int32_t ncols)
{
    const double setup = 12. * ncols, most = 1 + 16. * (double)products / (setup + 1);
    const int threads = gsolve_threads(ctx);

    return products < MIN_PARALLEL_PRODUCTS ? 1 : most < threads ? (int)most : threads;
}

static void drop_lists(gs_gustavson_work *work, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, work->stamp);
    gsolve_free(ctx, GSOLVE_HOST, work->bit);
    gsolve_free(ctx, GSOLVE_HOST, work->list);
    gsolve_free(ctx, GSOLVE_HOST, work->sum);
    work->stamp = NULL;
    work->bit = NULL;
    work->list = NULL;
    work->sum = NULL;
}

static void drop_work(thread_work *t, gsolve_context *ctx)
{
    for (int k = 0; t->work && k < t->threads; k++) {
        drop_lists(&t->work[k], ctx);
        gsolve_free(ctx, GSOLVE_HOST, t->work[k].slot);
    }
    gsolve_free(ctx, GSOLVE_HOST, t->work);
    t->work = NULL;
}

static gsolve_status new_work(thread_work *out, gsolve_context *ctx, int64_t products,
                              int32_t ncols)
{
    thread_work t = {count_threads(ctx, products, ncols), NULL};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t.work, t.threads);
    memset(t.work, 0, (size_t)t.threads * sizeof *t.work);
    for (int k = 0; k < t.threads; k++) {
        ALLOC(ctx, GSOLVE_HOST, t.work[k].stamp, ncols);
        ALLOC(ctx, GSOLVE_HOST, t.work[k].slot, ncols);
        ALLOC(ctx, GSOLVE_HOST, t.work[k].bit, gs_gustavson_bit_words(ncols));
    }
    *out = t;
    t.work = NULL;
done:
    drop_work(&t, ctx);
    return status;
}

/* count[i] = the columns of row i. Returns those of the longest row. */
static int32_t count_all(const thread_work *t, const gsolve_csr *A, const gsolve_csr *B,
                         int32_t *count)
{
    int32_t longest = 0;

#pragma omp parallel num_threads(t->threads) reduction(max : longest)
    {
        const gs_gustavson_work *work = &t->work[omp_get_thread_num()];
        memset(work->stamp, 0, (size_t)B->ncols * sizeof *work->stamp);
        memset(work->bit, 0, gs_gustavson_bit_words(B->ncols) * sizeof *work->bit);
#pragma omp for schedule(dynamic, 128)
        for (int32_t i = 0; i < A->nrows; i++) {
            count[i] = gs_gustavson_count(A, B, i, (uint32_t)i + 1, work->stamp);
            if (count[i] > longest) longest = count[i];
        }
    }
    return longest;
}

/* Allocates lists for the longest row. */
static gsolve_status new_lists(const thread_work *t, gsolve_context *ctx, int32_t longest,
                               gsolve_type type)
{
    const size_t capacity = (size_t)longest + GS_RANKED;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < t->threads; k++) {
        gs_gustavson_work *work = &t->work[k];
        ALLOC(ctx, GSOLVE_HOST, work->list, capacity);
        memset(work->list, 0, capacity * sizeof *work->list);
        work->sum = gsolve_alloc(ctx, GSOLVE_HOST, capacity, gs_type_size(type));
        TRY(work->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        memset(work->sum, 0, capacity * gs_type_size(type));
    }
done:
    return status;
}

/* Sets C's columns and values; its offsets are set. */
static void make_rows(const thread_work *t, const gsolve_csr *A, const gsolve_csr *B,
                      const gs_csr_arrays *C)
{
    const gs_gustavson_kernels *kernels = &gs_gustavson_host[C->csr.type];
    const size_t slots = (size_t)B->ncols * sizeof(uint32_t);

#pragma omp parallel num_threads(t->threads)
    {
        const gs_gustavson_work *work = &t->work[omp_get_thread_num()];
        uint32_t base = 1;
        memset(work->slot, 0, slots);
#pragma omp for schedule(dynamic, 128)
        for (int32_t i = 0; i < A->nrows; i++) {
            if (base >
                UINT32_MAX - (uint32_t)B->ncols) { /* slots of this row could exceed 32 bits */
                memset(work->slot, 0, slots);
                base = 1;
            }
            base += kernels->make_row(A, B, C, i, base, work);
        }
    }
}

/* The first row of thread k, if the rows are divided equally. */
static int32_t first_row(const thread_work *t, int32_t nrows, int k)
{
    return (int32_t)((int64_t)nrows * k / t->threads);
}

/* before[k] = the entries of the rows before those of thread k, for k <= t->threads. */
static void sum_shares(const thread_work *t, int32_t nrows, const int32_t *count, int64_t *before)
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
static gsolve_status new_result(gsolve_csr *C, gsolve_context *ctx, const thread_work *t,
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
static gsolve_status keep_work(void **plan, gsolve_context *ctx, thread_work *t)
{
    thread_work *kept;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, kept, 1);
    for (int k = 0; k < t->threads; k++) drop_lists(&t->work[k], ctx);
    *kept = *t;
    t->work = NULL;
    *plan = kept;
done:
    return status;
}

static gsolve_status multiply(gs_blocked *out, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options)
{
    const int32_t ncols = B->csr.ncols;
    gs_product_counts counts;
    gsolve_csr C = {0};
    thread_work t = {0, NULL};
    int32_t *count = NULL, longest;
    gsolve_status status;

    (void)options;
    TRY(gs_work_host[A->csr.type].count(&counts, ctx, &A->csr, &B->csr));
    TRY(new_work(&t, ctx, counts.products, ncols));
    ALLOC(ctx, GSOLVE_HOST, count, A->csr.nrows);
    longest = count_all(&t, &A->csr, &B->csr, count);
    TRY(new_lists(&t, ctx, longest, A->csr.type));
    TRY(new_result(&C, ctx, &t, &A->csr, &B->csr, count));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C);
    make_rows(&t, &A->csr, &B->csr, &to);
    if (plan) TRY(keep_work(plan, ctx, &t));
    *out = (gs_blocked){C, 1, 1};
    stats->products = counts.products;
    stats->bands = 1;
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
    const gs_gustavson_kernels *kernels = &gs_gustavson_host[C->csr.type];
    const thread_work *t = plan;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C->csr);

#pragma omp parallel for schedule(dynamic, 128) num_threads(gs_usable_threads(t->threads))
    for (int32_t i = 0; i < A->csr.nrows; i++) {
        kernels->sum_row(&A->csr, &B->csr, &to, i, t->work[omp_get_thread_num()].slot);
    }
    return GSOLVE_OK;
}

static void destroy(void *plan, gsolve_context *ctx)
{
    drop_work(plan, ctx);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

static bool serves(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                   const char **why)
{
    *why = gs_on_gpu(ctx) ? "gustavson needs the device cpu"
                          : "gustavson does not support dense blocks; esc does";
    return !gs_on_gpu(ctx) && A->height == 1 && A->width == 1 && B->width == 1;
}

const gs_multiplier gs_gustavson_multiplier = {
    .plugin = {"gustavson", "C = A B row by row on the CPU, by Gustavson's method", NULL, 0},
    .serves = serves,
    .multiply = multiply,
    .update = update,
    .destroy = destroy,
};
