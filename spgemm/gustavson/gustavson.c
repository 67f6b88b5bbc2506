/* gustavson.c: the method gustavson. A first pass counts the columns of all rows, a second one
 * computes the rows. One thread computes a row, so C's bits do not depend on the number of threads.
 * A plan keeps the slots of all columns for each thread. */
#include "spgemm/gustavson/gustavson.h"

#include <omp.h>
#include <string.h>

#include "core/try.h"

typedef struct subwarp {
    int size;
    gs_bench *bench; /* of each thread */
} subwarp;

#define FEW_PRODUCTS 20000 /* too few products for a second thread */

/* The number of threads: limited by the number of products, and by the cost of setting up the work
 * arrays of each thread. */
static int subwarp_size(const gsolve_context *ctx, int64_t products, int32_t ncols)
{
    const double bench = 12. * ncols, most = 1 + 16. * (double)products / (bench + 1);
    const int threads = gsolve_threads(ctx);

    return products < FEW_PRODUCTS ? 1 : most < threads ? (int)most : threads;
}

static void drop_list(gs_bench *bench, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, bench->stamp);
    gsolve_free(ctx, GSOLVE_HOST, bench->bit);
    gsolve_free(ctx, GSOLVE_HOST, bench->list);
    gsolve_free(ctx, GSOLVE_HOST, bench->sum);
    bench->stamp = NULL;
    bench->bit = NULL;
    bench->list = NULL;
    bench->sum = NULL;
}

static void drop_subwarp(subwarp *t, gsolve_context *ctx)
{
    for (int k = 0; t->bench && k < t->size; k++) {
        drop_list(&t->bench[k], ctx);
        gsolve_free(ctx, GSOLVE_HOST, t->bench[k].slot);
    }
    gsolve_free(ctx, GSOLVE_HOST, t->bench);
    t->bench = NULL;
}

static gsolve_status new_subwarp(subwarp *out, gsolve_context *ctx, int64_t products, int32_t ncols)
{
    subwarp t = {subwarp_size(ctx, products, ncols), NULL};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t.bench, t.size);
    memset(t.bench, 0, (size_t)t.size * sizeof *t.bench);
    for (int k = 0; k < t.size; k++) {
        ALLOC(ctx, GSOLVE_HOST, t.bench[k].stamp, ncols);
        ALLOC(ctx, GSOLVE_HOST, t.bench[k].slot, ncols);
        ALLOC(ctx, GSOLVE_HOST, t.bench[k].bit, gs_bench_words(ncols));
    }
    *out = t;
    t.bench = NULL;
done:
    drop_subwarp(&t, ctx);
    return status;
}

/* count[i] = the columns of row i. Returns those of the longest row. */
static int32_t count_all(const subwarp *t, const gsolve_csr *A, const gsolve_csr *B, int32_t *count)
{
    int32_t longest = 0;

#pragma omp parallel num_threads(t->size) reduction(max : longest)
    {
        const gs_bench *bench = &t->bench[omp_get_thread_num()];
        memset(bench->stamp, 0, (size_t)B->ncols * sizeof *bench->stamp);
        memset(bench->bit, 0, gs_bench_words(B->ncols) * sizeof *bench->bit);
#pragma omp for schedule(dynamic, 128)
        for (int32_t i = 0; i < A->nrows; i++) {
            count[i] = gs_gustavson_count(A, B, i, (uint32_t)i + 1, bench->stamp);
            if (count[i] > longest) longest = count[i];
        }
    }
    return longest;
}

/* Allocates lists for the longest row. */
static gsolve_status new_lists(const subwarp *t, gsolve_context *ctx, int32_t longest,
                               gsolve_type type)
{
    const size_t room = (size_t)longest + GS_RANKED;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < t->size; k++) {
        gs_bench *bench = &t->bench[k];
        ALLOC(ctx, GSOLVE_HOST, bench->list, room);
        memset(bench->list, 0, room * sizeof *bench->list);
        bench->sum = gsolve_alloc(ctx, GSOLVE_HOST, room, gs_type_size(type));
        TRY(bench->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        memset(bench->sum, 0, room * gs_type_size(type));
    }
done:
    return status;
}

/* Sets C's columns and values; its offsets are set. */
static void make_rows(const subwarp *t, const gsolve_csr *A, const gsolve_csr *B,
                      const gs_csr_arrays *C)
{
    const gs_gustavson_kernels *kernels = &gs_gustavson_host[C->csr.type];
    const size_t slots = (size_t)B->ncols * sizeof(uint32_t);

#pragma omp parallel num_threads(t->size)
    {
        const gs_bench *bench = &t->bench[omp_get_thread_num()];
        uint32_t base = 1;
        memset(bench->slot, 0, slots);
#pragma omp for schedule(dynamic, 128)
        for (int32_t i = 0; i < A->nrows; i++) {
            if (base >
                UINT32_MAX - (uint32_t)B->ncols) { /* slots of this row could exceed 32 bits */
                memset(bench->slot, 0, slots);
                base = 1;
            }
            base += kernels->make_row(A, B, C, i, base, bench);
        }
    }
}

/* The row at which share k of the subwarp begins. */
static int32_t share(const subwarp *t, int32_t nrows, int k)
{
    return (int32_t)((int64_t)nrows * k / t->size);
}

/* before[k] = the entries of the rows before share k; size + 1 of them. */
static void add_up(const subwarp *t, int32_t nrows, const int32_t *count, int64_t *before)
{
    before[0] = 0;
#pragma omp parallel for schedule(static, 1) num_threads(t->size)
    for (int k = 0; k < t->size; k++) {
        int64_t sum = 0;
        for (int32_t i = share(t, nrows, k); i < share(t, nrows, k + 1); i++) sum += count[i];
        before[k + 1] = sum;
    }
    for (int k = 0; k < t->size; k++) before[k + 1] += before[k];
}

/* Allocates C for the counted entries and sets its offsets. */
static gsolve_status new_result(gsolve_csr *C, gsolve_context *ctx, const subwarp *t,
                                const gsolve_csr *A, const gsolve_csr *B, const int32_t *count)
{
    const int32_t n = A->nrows;
    int64_t *before = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, before, (size_t)t->size + 1);
    add_up(t, n, count, before);
    TRY(gs_csr_new_at(C, ctx, A->location, n, B->ncols, before[t->size], A->type));
    const gs_csr_arrays arrays = gs_csr_arrays_of(ctx, C);
    gs_set_start(&arrays, 0, 0);
#pragma omp parallel for schedule(static, 1) num_threads(t->size)
    for (int k = 0; k < t->size; k++) {
        int64_t at = before[k];
        for (int32_t i = share(t, n, k); i < share(t, n, k + 1); i++) {
            gs_set_start(&arrays, i + 1, at += count[i]);
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, before);
    return status;
}

/* The plan: the subwarp, of which each keeps its slots. */
static gsolve_status keep_subwarp(void **plan, gsolve_context *ctx, subwarp *t)
{
    subwarp *kept;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, kept, 1);
    for (int k = 0; k < t->size; k++) drop_list(&t->bench[k], ctx);
    *kept = *t;
    t->bench = NULL;
    *plan = kept;
done:
    return status;
}

static gsolve_status multiply(gs_blocked *out, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options)
{
    const int32_t ncols = B->csr.ncols;
    gs_product_counts work;
    gsolve_csr C = {0};
    subwarp t = {0, NULL};
    int32_t *count = NULL, longest;
    gsolve_status status;

    (void)options;
    TRY(gs_work_host[A->csr.type].count(&work, ctx, &A->csr, &B->csr));
    TRY(new_subwarp(&t, ctx, work.products, ncols));
    ALLOC(ctx, GSOLVE_HOST, count, A->csr.nrows);
    longest = count_all(&t, &A->csr, &B->csr, count);
    TRY(new_lists(&t, ctx, longest, A->csr.type));
    TRY(new_result(&C, ctx, &t, &A->csr, &B->csr, count));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C);
    make_rows(&t, &A->csr, &B->csr, &to);
    if (plan) TRY(keep_subwarp(plan, ctx, &t));
    *out = (gs_blocked){C, 1, 1};
    stats->products = work.products;
    stats->bands = 1;
    memset(&C, 0, sizeof C);
done:
    gsolve_free(ctx, GSOLVE_HOST, count);
    drop_subwarp(&t, ctx);
    gsolve_csr_free(&C, ctx);
    return status;
}

static gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C)
{
    const gs_gustavson_kernels *kernels = &gs_gustavson_host[C->csr.type];
    const subwarp *t = plan;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C->csr);

#pragma omp parallel for schedule(dynamic, 128) num_threads(gs_usable_threads(t->size))
    for (int32_t i = 0; i < A->csr.nrows; i++) {
        kernels->sum_row(&A->csr, &B->csr, &to, i, t->bench[omp_get_thread_num()].slot);
    }
    return GSOLVE_OK;
}

static void destroy(void *plan, gsolve_context *ctx)
{
    drop_subwarp(plan, ctx);
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
