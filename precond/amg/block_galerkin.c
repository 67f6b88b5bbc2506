/* block_galerkin.c: R A P of a system, by products of dense blocks: a node's unknowns times the
 * unknowns of an aggregate. A term of the product of numbers costs a column number and a place in a
 * table; of blocks 18 to 216 terms share one. */
#include "precond/amg/block_galerkin.h"

#include <string.h>

#include "core/try.h"
#include "spgemm/spgemm.h"

#define MOST_BLOCK 8   /* rows, and columns */
#define MOST_ZEROS 1.3 /* numbers of A's blocks over its entries */

/* *fits: A's blocks are mostly full. */
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

gsolve_status gs_block_galerkin(gsolve_csr *C, bool *fits, gsolve_context *ctx, const gsolve_csr *R,
                                const gsolve_csr *A, const gsolve_csr *P, int32_t fine,
                                int32_t coarse)
{
    gs_blocked r = {{0}, 0, 0}, a = {{0}, 0, 0}, p = {{0}, 0, 0};
    gs_product AP = {0}, RAP = {0};
    gsolve_status status = GSOLVE_OK;

    *fits = fine > 1 && fine <= MOST_BLOCK && coarse > 1 && coarse <= MOST_BLOCK;
    if (!*fits) return GSOLVE_OK;
    TRY(gsolve_blocked_from_csr(&a, ctx, fine, fine, A));
    TRY(is_full(ctx, A, &a, fits));
    if (!*fits) goto done;
    TRY(gsolve_blocked_from_csr(&p, ctx, fine, coarse, P));
    TRY(gs_product_make(&AP, ctx, "auto", &a, &p, false));
    gsolve_blocked_free(&a, ctx);
    gsolve_blocked_free(&p, ctx);
    TRY(gsolve_blocked_from_csr(&r, ctx, coarse, fine, R));
    TRY(gs_product_make(&RAP, ctx, "auto", &r, &AP.C, false));
    TRY(gsolve_blocked_to_csr(C, ctx, &RAP.C));
done:
    gs_product_drop(&RAP);
    gs_product_drop(&AP);
    gsolve_blocked_free(&r, ctx);
    gsolve_blocked_free(&a, ctx);
    gsolve_blocked_free(&p, ctx);
    return status;
}

gsolve_status gs_block_galerkin_renew(const gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *R,
                                      const gsolve_csr *A, const gsolve_csr *P, int32_t fine,
                                      int32_t coarse)
{
    gsolve_csr fresh = {0};
    int64_t entries = 0;
    bool fits;
    gsolve_status status;

    TRY(gs_block_galerkin(&fresh, &fits, ctx, R, A, P, fine, coarse));
    TRY(gs_csr_entries(ctx, C, &entries));
    TRY(gsolve_copy(ctx, (void *)(uintptr_t)C->value, C->place, fresh.value, fresh.place,
                    (size_t)entries * gs_type_size(C->type)));
done:
    gsolve_csr_free(&fresh, ctx);
    return status;
}
