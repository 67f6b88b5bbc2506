/* product.c: products with a plan, and R A P in one step or as two products. */
#include <string.h>

#include "core/try.h"
#include "spgemm/galerkin/triple.h"

static size_t bytes_of(const gs_blocked *C, int64_t entries)
{
    const size_t block = (size_t)C->height * (size_t)C->width * gs_type_size(C->csr.type);

    return ((size_t)C->csr.nrows + 1) * gs_offset_size(C->csr.offset) +
           (size_t)entries * (block + sizeof *C->csr.col);
}

/* Multiplies, and sets stats->peak: the most bytes that ctx held during the product, without C. */
static gsolve_status multiply(gs_product *P, const gs_blocked *A, const gs_blocked *B, bool keep)
{
    gsolve_context *ctx = P->ctx;
    const size_t before = ctx->bytes, peak = ctx->peak;
    gs_product_work *stats = &P->stats;
    size_t result;
    gsolve_status status;

    ctx->peak = before;
    stats->entries = -1;
    TRY(P->kernels->multiply(&P->C, keep ? &P->plan : NULL, stats, ctx, A, B, P->options));
    if (stats->entries < 0) TRY(gs_csr_entries(ctx, &P->C.csr, &stats->entries));
    result = bytes_of(&P->C, stats->entries);
    stats->peak = ctx->peak - before;
    stats->peak -= stats->peak < result ? stats->peak : result;
done:
    if (ctx->peak < peak) ctx->peak = peak;
    return status;
}

/* Sets P's kernels and options by spec. */
static gsolve_status choose(gs_product *P, const char *spec, const gs_blocked *A,
                            const gs_blocked *B)
{
    gsolve_context *ctx = P->ctx;
    const gsolve_plugin *plugin;
    const gs_multiplier *method;
    const char *why = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, NULL, gs_multipliers, "product", spec, &plugin, &P->options));
    if (plugin == &gs_auto_multiplier.plugin) {
        gsolve_free(ctx, GSOLVE_HOST, P->options);
        P->options = NULL;
        TRY(gs_choose_multiplier(&spec, ctx, A, B));
        TRY(gs_plugin_parse(ctx, NULL, gs_multipliers, "product", spec, &plugin, &P->options));
    }
    method = (const gs_multiplier *)(const void *)plugin;
    if (!gs_multiplier_serves(method, ctx, A, B, &why)) {
        status =
            gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                        "the method %s cannot multiply these matrices here: %s", plugin->name, why);
        goto done;
    }
    P->kernels = &(gs_on_gpu(ctx) ? method->cuda : method->host[ctx->cpu_level])[A->csr.type];
    P->stats.by = plugin->name;
done:
    return status;
}

gsolve_status gs_product_make(gs_product *out, gsolve_context *ctx, const char *spec,
                              const gs_blocked *A, const gs_blocked *B, bool keep)
{
    gs_product P = {.ctx = ctx};
    gsolve_status status;

    TRY(choose(&P, spec, A, B));
    TRY(multiply(&P, A, B, keep));
    *out = P;
    memset(&P, 0, sizeof P);
done:
    gs_product_drop(&P);
    return status;
}

gsolve_status gs_product_update(gs_product *P, const gs_blocked *A, const gs_blocked *B)
{
    return P->kernels->update(P->plan, P->ctx, A, B, &P->C);
}

void gs_product_drop(gs_product *P)
{
    if (!P->ctx) return;
    if (P->plan) P->kernels->destroy(P->plan, P->ctx);
    gsolve_free(P->ctx, GSOLVE_HOST, P->options);
    gsolve_csr_free(&P->C.csr, P->ctx);
    memset(P, 0, sizeof *P);
}

gsolve_status gs_csr_multiply(gsolve_csr *C, gsolve_context *ctx, const char *spec,
                              const gsolve_csr *A, const gsolve_csr *B)
{
    const gs_blocked a = gs_plain_blocks(A), b = gs_plain_blocks(B);
    gs_product P;
    gsolve_status status;

    TRY(gs_product_make(&P, ctx, spec, &a, &b, false));
    *C = P.C.csr;
    memset(&P.C, 0, sizeof P.C);
    gs_product_drop(&P);
done:
    return status;
}

/* --- R A P ------------------------------------------------------------------------------------ */

/* R A P in one step. *fits false: rows are too long, and two products must compute it. */
static gsolve_status make_at_once(gs_galerkin *G, gsolve_context *ctx, const gsolve_csr *R,
                                  const gsolve_csr *A, const gsolve_csr *P, bool keep, bool *fits)
{
    const size_t before = ctx->bytes, peak = ctx->peak;
    gs_product *made = &G->RAP;
    gsolve_status status;

    ctx->peak = before;
    TRY(GS_KERNELS(gs_triple, ctx, A->type)
            ->multiply(&made->C.csr, keep ? &made->plan : NULL, &made->stats, fits, ctx, R, A, P));
    G->at_once = *fits;
    if (!*fits) goto done;
    made->ctx = ctx;
    made->C.height = made->C.width = 1;
    made->stats.by = "at once";
    made->stats.peak = ctx->peak - ctx->bytes;
done:
    if (ctx->peak < peak) ctx->peak = peak;
    return status;
}

static gsolve_status make_by_two(gs_galerkin *G, gsolve_context *ctx, const char *spec,
                                 const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                                 bool keep)
{
    const gs_blocked r = gs_plain_blocks(R), a = gs_plain_blocks(A), p = gs_plain_blocks(P);
    gsolve_status status;

    TRY(gs_product_make(&G->AP, ctx, spec, &a, &p, keep));
    TRY(gs_product_make(&G->RAP, ctx, spec, &r, &G->AP.C, keep));
    if (!keep) gs_product_drop(&G->AP);
done:
    return status;
}

gsolve_status gs_galerkin_make(gs_galerkin *out, gsolve_context *ctx, const char *spec,
                               const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                               bool keep)
{
    bool made = false;
    gs_galerkin G = {0};
    gsolve_status status;

    if (gs_spec_is(spec, gs_auto_multiplier.plugin.name) && !strchr(spec, ',')) {
        TRY(make_at_once(&G, ctx, R, A, P, keep, &made));
    }
    if (!made) TRY(make_by_two(&G, ctx, spec, R, A, P, keep));
    *out = G;
    memset(&G, 0, sizeof G);
done:
    gs_galerkin_drop(&G);
    return status;
}

gsolve_status gs_galerkin_update(gs_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                 const gsolve_csr *P)
{
    const gs_blocked r = gs_plain_blocks(R), a = gs_plain_blocks(A), p = gs_plain_blocks(P);
    gsolve_context *ctx = G->RAP.ctx;
    gsolve_status status;

    if (G->at_once) {
        return GS_KERNELS(gs_triple, ctx, A->type)
            ->update(G->RAP.plan, ctx, R, A, P, &G->RAP.C.csr);
    }
    TRY(gs_product_update(&G->AP, &a, &p));
    TRY(gs_product_update(&G->RAP, &r, &G->AP.C));
done:
    return status;
}

void gs_galerkin_drop(gs_galerkin *G)
{
    gs_product *made = &G->RAP;

    if (made->plan && G->at_once) { /* the kernels of any type can free the plan */
        GS_KERNELS(gs_triple, made->ctx, GSOLVE_F64)->drop(made->plan, made->ctx);
        made->plan = NULL;
    }
    gs_product_drop(made);
    gs_product_drop(&G->AP);
    G->at_once = false;
}
