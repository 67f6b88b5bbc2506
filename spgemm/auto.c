/* auto.c: the method "auto": it chooses another method by the device and by counts of products. */
#include <string.h>

#include "core/try.h"
#include "spgemm/spgemm.h"

/* esc (expand, sort, compress) is faster than hash if rows of C have few products, or if the
 * columns of the products lie so far apart that hash cannot use bitmaps. It is slower for heavy
 * rows: the whole device processes these in bands, one band after the other. */
#define SHORT_WORK 96 /* mean products per row */
#define HEAVY      64 /* esc is chosen if heavy rows have at most 1 / HEAVY of all products */

static const char *choose_on_cuda(const gs_product_counts *work, int32_t nrows)
{
    const double mean = nrows > 0 ? (double)work->products / nrows : 0;
    const bool are_short = mean <= SHORT_WORK, are_spread = work->spread >= work->products / 2;

    return (are_short || are_spread) && work->heavy <= work->products / HEAVY ? "esc" : "hash";
}

/* The method of that name if it can multiply A and B here, else the first of the list that can. */
static const gs_multiplier *find(const gsolve_context *ctx, const gs_blocked *A,
                                 const gs_blocked *B, const char *name)
{
    const gs_multiplier *method = gs_multiplier_named(name);
    const gsolve_plugin *plugin;
    const char *why;

    if (method && method->serves(ctx, A, B, &why)) return method;
    for (int k = 0; (plugin = gs_plugin_at(NULL, gs_multipliers, k)); k++) {
        method = (const gs_multiplier *)(const void *)plugin;
        if (method != &gs_auto_multiplier && method->serves(ctx, A, B, &why)) return method;
    }
    return NULL;
}

static bool serves(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                   const char **why)
{
    *why = "no product method supports these matrices";
    return find(ctx, A, B, "") != NULL;
}

static gsolve_status choose(const gs_multiplier **method, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B)
{
    const bool plain = A->height == 1 && A->width == 1 && B->width == 1;
    gs_product_counts work = {0};
    const char *name = plain ? "gustavson" : "esc";
    gsolve_status status = GSOLVE_OK;

    if (plain && gs_on_gpu(ctx)) {
        TRY(GS_KERNELS(gs_work, ctx, A->csr.type)->count(&work, ctx, &A->csr, &B->csr));
        name = choose_on_cuda(&work, A->csr.nrows);
    }
    *method = find(ctx, A, B, name);
done:
    return status;
}

typedef struct chosen { /* the plan of auto: the chosen method and its plan */
    const gs_multiplier *method;
    void *plan;
} chosen;

static void destroy(void *plan, gsolve_context *ctx)
{
    chosen *c = plan;

    if (c->plan && c->method->destroy) c->method->destroy(c->plan, ctx);
    gsolve_free(ctx, GSOLVE_HOST, c);
}

static gsolve_status multiply(gs_blocked *C, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options)
{
    const gs_multiplier *method;
    void *own = NULL;
    chosen *c = NULL;
    gsolve_status status;

    (void)options;
    TRY(choose(&method, ctx, A, B));
    own = gsolve_alloc(ctx, GSOLVE_HOST, 1, method->plugin.option_size);
    TRY(own ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_spec_options(ctx, &method->plugin, method->plugin.name, own));
    if (plan) {
        ALLOC(ctx, GSOLVE_HOST, c, 1);
        *c = (chosen){method, NULL};
    }
    TRY(method->multiply(C, c ? &c->plan : NULL, stats, ctx, A, B, own));
    stats->by = method->plugin.name;
    if (plan) *plan = c;
    c = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, own);
    if (c) destroy(c, ctx);
    return status;
}

static gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C)
{
    const chosen *c = plan;

    return c->method->update(c->plan, ctx, A, B, C);
}

const gs_multiplier gs_auto_multiplier = {
    .plugin = {"auto",
               "on the CPU gustavson; on a GPU esc or hash, depending on the number of "
               "intermediate products per row and on their columns; for dense blocks esc",
               NULL, 0},
    .serves = serves,
    .multiply = multiply,
    .update = update,
    .destroy = destroy,
};
