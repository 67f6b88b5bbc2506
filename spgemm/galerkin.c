/* galerkin.c: gsolve_galerkin, the handle of a product R A P. */
#include <string.h>

#include "core/try.h"
#include "matrix/csr.h"
#include "spgemm/operand.h"
#include "spgemm/result_view.h"

struct gsolve_galerkin {
    gsolve_context *ctx;
    gs_operand R, A, P; /* A: the pattern only */
    void *order;        /* if R is P': the position of each entry of R in P; else NULL */
    gs_galerkin made;
    gs_result_view view;
    size_t bytes;
    int64_t entries;
    double seconds, update_seconds;
};

static void destroy_galerkin(void *handle)
{
    gsolve_galerkin *G = handle;
    gsolve_galerkin_destroy(&G);
}

/* G->R = P', and G->order, by which an update recomputes its values. */
static gsolve_status transpose(gsolve_galerkin *G)
{
    gsolve_status status;

    TRY(gs_transpose_make(&G->R.own, &G->order, G->ctx, &G->P.used, G->P.entries));
    G->R.entries = G->P.entries;
    G->R.used = G->R.own;
done:
    return status;
}

/* Prepares the three operands, which G then owns. A keeps its pattern only. */
static gsolve_status prepare_operands(gsolve_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                      const gsolve_csr *P)
{
    gsolve_context *ctx = G->ctx;
    gsolve_status status;

    TRY(gs_operand_prepare(&G->A, ctx, "A", A));
    TRY(gs_operand_prepare(&G->P, ctx, "P", P));
    if (R) TRY(gs_operand_prepare(&G->R, ctx, "R", R));
    if (A->nrows != A->ncols) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "R A P needs a square A; this one has %d rows and %d columns",
                             A->nrows, A->ncols);
        goto done;
    }
    TRY(gs_operands_check(ctx, "A P", A, P));
    if (R) TRY(gs_operands_check(ctx, "R A", R, A));
    TRY(gs_operand_own(&G->A, ctx, false));
    TRY(gs_operand_own(&G->P, ctx, true));
    if (R) {
        TRY(gs_operand_own(&G->R, ctx, true));
    } else {
        TRY(transpose(G));
    }
done:
    return status;
}

gsolve_status gsolve_galerkin_create(gsolve_galerkin **out, gsolve_context *ctx, const char *spec,
                                     const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P)
{
    const double begin = gs_now();
    gsolve_galerkin *G = NULL;
    size_t held;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !A || !P) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_galerkin_create: an argument is NULL");
    }
    held = ctx->bytes;
    ALLOC(ctx, GSOLVE_HOST, G, 1);
    memset(G, 0, sizeof *G);
    gs_own(ctx, G, destroy_galerkin);
    G->ctx = ctx;
    ctx->handles++;
    G->view.location = A->location;
    TRY(prepare_operands(G, R, A, P));
    TRY(gs_galerkin_make(&G->made, ctx, spec, &G->R.used, &G->A.used, &G->P.used, true));
    TRY(gs_csr_entries(ctx, &G->made.RAP.C.csr, &G->entries)); /* waits until all work is done */
    gs_operand_free_values(&G->A, ctx);
    G->bytes = ctx->bytes - held;
    G->seconds = gs_now() - begin;
    *out = G;
    G = NULL;
done:
    gsolve_galerkin_destroy(&G);
    return status;
}

void gsolve_galerkin_destroy(gsolve_galerkin **pG)
{
    gsolve_galerkin *G = pG ? *pG : NULL;
    if (!G) return;

    gs_galerkin_drop(&G->made);
    gsolve_csr_free(&G->view.copy, G->ctx);
    gs_operand_free(&G->R, G->ctx);
    gs_operand_free(&G->A, G->ctx);
    gs_operand_free(&G->P, G->ctx);
    gsolve_free(G->ctx, GSOLVE_DEVICE, G->order);
    G->ctx->handles--;
    gsolve_free(G->ctx, GSOLVE_HOST, G);
    *pG = NULL;
}

/* Copies new values of R or P into the operand that G owns. */
static gsolve_status put_values(gsolve_context *ctx, const gs_operand *kept,
                                const gs_operand *fresh)
{
    if (!fresh->used.start) return GSOLVE_OK;
    return gsolve_copy(ctx, gs_owned_block(ctx, kept->own.value), kept->own.location,
                       fresh->used.value, fresh->used.location,
                       (size_t)kept->entries * gs_type_size(kept->own.type));
}

gsolve_status gsolve_galerkin_update(gsolve_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                     const gsolve_csr *P)
{
    const double begin = gs_now();
    gs_operand r = {0}, a = {0}, p = {0};
    size_t held;
    gsolve_status status;

    if (!G) return GSOLVE_BAD_ARGUMENT;
    held = G->ctx->bytes;
    if (!A || (R && G->order)) {
        return gsolve_fail(G->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_galerkin_update: %s",
                           A ? "R is the transpose of P; pass NULL for R" : "A is NULL");
    }
    TRY(gs_operand_update(&a, G->ctx, "A", &G->A, A));
    if (P) TRY(gs_operand_update(&p, G->ctx, "P", &G->P, P));
    if (R) TRY(gs_operand_update(&r, G->ctx, "R", &G->R, R));
    G->view.stale = true;
    TRY(put_values(G->ctx, &G->P, &p));
    TRY(put_values(G->ctx, &G->R, &r));
    if (P && G->order) TRY(gs_transpose_refill(&G->R.own, G->order, G->ctx, &G->P.own));
    TRY(gs_galerkin_update(&G->made, &G->R.used, &a.used, &G->P.used));
    TRY(gs_memory_synchronize(G->ctx, G->made.RAP.C.csr.location, G->made.RAP.C.csr.start));
    G->update_seconds = gs_now() - begin;
done:
    gs_operand_free(&r, G->ctx);
    gs_operand_free(&a, G->ctx);
    gs_operand_free(&p, G->ctx);
    G->bytes += G->ctx->bytes - held; /* the first update may allocate memory for later ones */
    return status;
}

gsolve_status gsolve_galerkin_csr(gsolve_galerkin *G, gsolve_csr *C)
{
    if (!G) return GSOLVE_BAD_ARGUMENT;
    if (!C) {
        return gsolve_fail(G->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_galerkin_csr: C is NULL");
    }
    return gs_view_result(&G->view, G->ctx, &G->made.RAP.C.csr, C);
}

void gsolve_galerkin_describe(const gsolve_galerkin *G, gsolve_product_info *info)
{
    gsolve_product_info first;

    gs_describe_product(&G->made.AP, 0, &first);
    gs_describe_product(&G->made.RAP, G->entries, info);
    info->products += first.products;
    info->compression = G->entries > 0 ? (double)info->products / (double)G->entries : 0;
    info->peak = first.peak > info->peak ? first.peak : info->peak;
    info->bands = first.bands > info->bands ? first.bands : info->bands;
    info->bytes = G->bytes;
    info->seconds = G->seconds;
    info->update_seconds = G->update_seconds;
}
