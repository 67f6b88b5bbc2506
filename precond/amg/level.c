/* level.c: one level: its rows, the matrix that they are multiplied as, what leads to the next. */
#include <string.h>

#include "core/try.h"
#include "matrix/sample.h"
#include "precond/amg/hierarchy.h"
#include "spmv/auto/cost_model.h"
#include "spmv/handle.h"

#define EXPECTED 60 /* products of a level in a solve of some 20 iterations */

/* The format that pays for the products of one solve. */
static gsolve_status format_for(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx,
                                const char **spec)
{
    gsolve_pattern_sample glance;
    gsolve_format_estimate sell;
    gsolve_status status = GSOLVE_OK;

    *spec = h->options.format == GS_AMG_SELL ? "sell" : "csr";
    if (h->options.format != GS_AMG_FORMAT_AUTO || l->rows.nrows < 10000) return GSOLVE_OK;
    TRY(gs_sample_pattern(ctx, &l->rows, &glance, NULL));
    l->fine.longest = glance.longest_row;
    if (gs_estimate_format(&gs_sell_format, &glance, &sell) &&
        EXPECTED * (1 - sell.product) > sell.build) {
        *spec = "sell";
    }
done:
    return status;
}

/* l's rows, of which it becomes owner. */
void gs_level_set_rows(gs_level *l, gsolve_csr *csr, int64_t entries)
{
    l->rows = *csr;
    l->entries = entries;
    l->fine.A = &l->rows;
    memset(csr, 0, sizeof *csr);
}

/* l's matrix, to multiply with, from its rows. */
gsolve_status gs_level_set_matrix(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx)
{
    gsolve_csr csr = l->rows;
    const char *spec;
    gsolve_status status;

    TRY(format_for(h, l, ctx, &spec));
    TRY(gs_matrix_create_unchecked(&l->A, ctx, spec, &csr));
    l->fine.matrix = l->A;
done:
    return status;
}

/* l's transfers become matrices; l->T keeps views of them. */
gsolve_status gs_level_set_transfer(gs_level *l, gsolve_context *ctx)
{
    gsolve_status status;

    TRY(gs_matrix_create_unchecked(&l->P, ctx, "csr", &l->T.P));
    gsolve_matrix_device_csr(l->P, &l->T.P);
    TRY(gs_matrix_create_unchecked(&l->R, ctx, "csr", &l->T.R));
    gsolve_matrix_device_csr(l->R, &l->T.R);
done:
    return status;
}

void gs_transfer_clear(gs_transfer *T, gsolve_context *ctx)
{
    gsolve_csr_free(&T->P, ctx);
    gsolve_csr_free(&T->R, ctx);
    gsolve_free(ctx, T->near_null.location, T->near_null.value);
    memset(T, 0, sizeof *T);
}

/* What leads from l to the next level. */
void gs_level_drop_transfer(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx)
{
    const bool made = l->T.P.start != NULL;

    if (l->P) memset(&l->T.P, 0, sizeof l->T.P); /* the matrix owns them */
    if (l->R) memset(&l->T.R, 0, sizeof l->T.R);
    if (made) h->coarsening->destroy(&l->T, ctx);
    memset(&l->T, 0, sizeof l->T);
    memset(&l->galerkin.RAP.C.csr, 0, sizeof l->galerkin.RAP.C.csr); /* the next level's */
    gsolve_matrix_destroy(&l->P);
    gsolve_matrix_destroy(&l->R);
    gs_galerkin_drop(&l->galerkin);
    gs_block_galerkin_drop(&l->blocks, ctx);
}

void gs_level_drop(const gs_hierarchy *h, gs_level *l, gsolve_context *ctx)
{
    gsolve_dense *const vector[] = {&l->b, &l->x, &l->space, &l->v, &l->c};

    if (l->smoother) h->smoother->destroy(l->smoother, ctx);
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        gsolve_free(ctx, GSOLVE_DEVICE, vector[k]->value);
    }
    gs_level_drop_transfer(h, l, ctx);
    if (!l->A) gsolve_csr_free(&l->rows, ctx);
    gsolve_matrix_destroy(&l->A);
}
