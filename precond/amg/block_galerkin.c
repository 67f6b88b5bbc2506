/* block_galerkin.c: R A P of a system of equations by products of dense blocks. A block holds the
 * entries between two nodes, or between a node and an aggregate. In a scalar product each term
 * needs a column number and a position in a table; in a product of blocks 18 to 216 terms share
 * one.
 *
 * A set-up frees the blocks afterwards, because they are a second copy of the operands. The first
 * update builds them and both products again and keeps them. Later updates write values only. */
#include "precond/amg/block_galerkin.h"

#include <string.h>

#include "core/try.h"
#include "spgemm/blocked/blocked.h"

#define MOST_ZEROS 1.3 /* limit of the elements in A's blocks over A's entries */

/* *fits: A's blocks are nearly full, see MOST_ZEROS. */
static gsolve_status is_full(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *blocks,
                             bool *fits)
{
    int64_t entries = 0, count = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(gs_csr_entries(ctx, &blocks->csr, &count));
    *fits = (double)count * blocks->height * blocks->width <= MOST_ZEROS * (double)entries;
done:
    return status;
}

static void destroy_operands(gs_block_galerkin *G, gsolve_context *ctx)
{
    gs_blocked_free(&G->r, ctx);
    gs_blocked_free(&G->a, ctx);
    gs_blocked_free(&G->p, ctx);
}

static void destroy_products(gs_block_galerkin *G)
{
    gs_product_drop(&G->RAP);
    gs_product_drop(&G->AP);
}

void gs_block_galerkin_destroy(gs_block_galerkin *G, gsolve_context *ctx)
{
    destroy_products(G);
    destroy_operands(G, ctx);
    memset(G, 0, sizeof *G);
}

/* Builds the other blocks of G and both products; A's blocks exist. keep: false frees each operand
 * after its last use. */
static gsolve_status multiply(gs_block_galerkin *G, gsolve_context *ctx, const gsolve_csr *R,
                              const gsolve_csr *P, bool keep)
{
    gsolve_status status;

    TRY(gs_blocked_from_csr(&G->p, ctx, G->fine, G->coarse, P));
    TRY(gs_product_make(&G->AP, ctx, "auto", &G->a, &G->p, keep));
    if (!keep) destroy_operands(G, ctx);
    TRY(gs_blocked_from_csr(&G->r, ctx, G->coarse, G->fine, R));
    TRY(gs_product_make(&G->RAP, ctx, "auto", &G->r, &G->AP.C, keep));
done:
    return status;
}

gsolve_status gs_block_galerkin_build(gs_block_galerkin *out, gsolve_csr *C, gsolve_context *ctx,
                                      const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                                      int32_t fine, int32_t coarse)
{
    gs_block_galerkin G = {.fine = fine, .coarse = coarse};
    bool fits = fine > 1 && fine <= GS_MAX_BLOCK && coarse > 1 && coarse <= GS_MAX_BLOCK;
    gsolve_status status = GSOLVE_OK;

    *out = (gs_block_galerkin){0};
    if (!fits) return GSOLVE_OK;
    TRY(gs_blocked_from_csr(&G.a, ctx, fine, fine, A));
    TRY(is_full(ctx, A, &G.a, &fits));
    if (!fits) goto done;
    TRY(multiply(&G, ctx, R, P, false));
    TRY(gs_blocked_to_csr(C, ctx, &G.RAP.C, false));
    out->fine = fine;
    out->coarse = coarse;
done:
    gs_block_galerkin_destroy(&G, ctx);
    return status;
}

static gsolve_status build_and_keep(gs_block_galerkin *G, gsolve_context *ctx, const gsolve_csr *R,
                                    const gsolve_csr *A, const gsolve_csr *P)
{
    gsolve_status status;

    TRY(gs_blocked_from_csr(&G->a, ctx, G->fine, G->fine, A));
    TRY(multiply(G, ctx, R, P, true));
done:
    if (status != GSOLVE_OK) {
        destroy_products(G);
        destroy_operands(G, ctx);
    }
    return status;
}

gsolve_status gs_block_galerkin_update(gs_block_galerkin *G, const gsolve_csr *C,
                                       gsolve_context *ctx, const gsolve_csr *R,
                                       const gsolve_csr *A, const gsolve_csr *P)
{
    const gs_blocked_kernels *kernels = GS_KERNELS(gs_blocked, ctx, A->type);
    gsolve_status status;

    if (!G->RAP.ctx) {
        TRY(build_and_keep(G, ctx, R, A, P));
    } else {
        TRY(kernels->refill(ctx, &G->a, A));
        TRY(kernels->refill(ctx, &G->p, P));
        TRY(kernels->refill(ctx, &G->r, R));
        TRY(gs_product_update(&G->AP, &G->a, &G->p));
        TRY(gs_product_update(&G->RAP, &G->r, &G->AP.C));
    }
    TRY(kernels->spread(ctx, C, &G->RAP.C, false));
done:
    return status;
}
