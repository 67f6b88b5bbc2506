/* restriction.c: R = P': on a GPU by its transposing sort; on the CPU by counting, in chunks of
 * rows, from whose counts follows where each puts its entries. */
#include "precond/amg/restriction.h"

#include <string.h>

#include "core/try.h"
#include "core/transpose.h"

#define MOST_CHUNKS 16

typedef struct chunks {
    int count;
    int64_t *next; /* count x ncols: where the chunk's next entry of that column goes */
} chunks;

static int32_t chunk_begin(const chunks *c, int32_t nrows, int chunk)
{
    return (int32_t)((int64_t)nrows * chunk / c->count);
}

/* next and R's offsets. */
static void count_columns(const chunks *c, const gsolve_csr *P, const gsolve_csr *R)
{
    int64_t total = 0;

#pragma omp parallel for schedule(static, 1) num_threads(c->count)
    for (int m = 0; m < c->count; m++) {
        int64_t *count = c->next + (int64_t)m * P->ncols;
        const int64_t end = gs_start(P, chunk_begin(c, P->nrows, m + 1));
        memset(count, 0, (size_t)P->ncols * sizeof *count);
        for (int64_t k = gs_start(P, chunk_begin(c, P->nrows, m)); k < end; k++) count[P->col[k]]++;
    }
    for (int32_t j = 0; j < P->ncols; j++) {
        gs_set_start(R, j, total);
        for (int m = 0; m < c->count; m++) {
            int64_t *next = &c->next[(int64_t)m * P->ncols + j], count = *next;
            *next = total;
            total += count;
        }
    }
    gs_set_start(R, P->ncols, total);
}

static void put_entries(const chunks *c, const gsolve_csr *P, const gsolve_csr *R, int64_t *order)
{
    int32_t *col = (int32_t *)(uintptr_t)R->col;

#pragma omp parallel for schedule(static, 1) num_threads(c->count)
    for (int m = 0; m < c->count; m++) {
        int64_t *next = c->next + (int64_t)m * P->ncols;
        for (int32_t i = chunk_begin(c, P->nrows, m); i < chunk_begin(c, P->nrows, m + 1); i++) {
            for (int64_t k = gs_start(P, i); k < gs_start(P, i + 1); k++) {
                const int64_t at = next[P->col[k]]++;
                col[at] = i;
                order[at] = k;
            }
        }
    }
}

static gsolve_status refill_host(const gsolve_csr *R, const int64_t *order, gsolve_context *ctx,
                                 const gsolve_csr *P)
{
    const int64_t entries = gs_start(R, R->nrows);

    if (P->type == GSOLVE_F32) {
        float *r = (float *)(uintptr_t)R->value;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
        for (int64_t k = 0; k < entries; k++) r[k] = ((const float *)P->value)[order[k]];
    } else {
        double *r = (double *)(uintptr_t)R->value;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
        for (int64_t k = 0; k < entries; k++) r[k] = ((const double *)P->value)[order[k]];
    }
    return GSOLVE_OK;
}

static gsolve_status make_host(gsolve_csr *R, void **order, gsolve_context *ctx,
                               const gsolve_csr *P)
{
    const int threads = gsolve_threads(ctx);
    const int64_t entries = gs_start(P, P->nrows);
    chunks c = {threads > MOST_CHUNKS ? MOST_CHUNKS : threads, NULL};
    gsolve_csr B = {0};
    int64_t *place = NULL;
    gsolve_status status;

    if (entries < 10000 || P->ncols > entries) c.count = 1;
    TRY(gs_csr_new_at(&B, ctx, gs_place(ctx), P->ncols, P->nrows, entries, P->type));
    ALLOC(ctx, GSOLVE_DEVICE, place, entries);
    ALLOC(ctx, GSOLVE_HOST, c.next, (size_t)c.count * (size_t)P->ncols);
    count_columns(&c, P, &B);
    put_entries(&c, P, &B, place);
    TRY(refill_host(&B, place, ctx, P));
    *R = B;
    *order = place;
    B = (gsolve_csr){0};
    place = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, c.next);
    gsolve_free(ctx, GSOLVE_DEVICE, place);
    gsolve_csr_free(&B, ctx);
    return status;
}

gsolve_status gs_restriction_make(gsolve_csr *R, void **order, gsolve_context *ctx,
                                  const gsolve_csr *P)
{
    const gs_transpose_kernels *kernels = GS_KERNELS(gs_transpose, ctx, P->type);

    return kernels->make ? kernels->make(R, order, ctx, P) : make_host(R, order, ctx, P);
}

gsolve_status gs_restriction_refill(const gsolve_csr *R, const void *order, gsolve_context *ctx,
                                    const gsolve_csr *P)
{
    const gs_transpose_kernels *kernels = GS_KERNELS(gs_transpose, ctx, P->type);

    return kernels->refill ? kernels->refill(R, order, ctx, P) : refill_host(R, order, ctx, P);
}
