/* level.c: one level: its rows, their matrix in a format and products with it, the transfer
 * operators. */
#include "precond/amg/level.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/cost_model.h"
#include "matrix/sample.h"
#include "matrix/statistics.h"
#include "spmv/handle.h"
#include "vector/vector.h"

/* Products with one level's matrix in a solve of about 20 iterations. On a GPU a sweep in slices is
 * one pass, which the estimate of a product does not know: it counts as more products. */
#define EXPECTED_PRODUCTS      60
#define EXPECTED_PRODUCTS_CUDA 80

/* *spec = the format that minimises the time of conversion and products in one solve. */
static gsolve_status choose_format(gs_level *l, gsolve_context *ctx, int format, const char **spec)
{
    const double expected = gs_on_gpu(ctx) ? EXPECTED_PRODUCTS_CUDA : EXPECTED_PRODUCTS;
    gsolve_pattern_sample sample;
    gsolve_format_estimate sell;
    gsolve_status status = GSOLVE_OK;

    *spec = format == GS_AMG_SELL ? "sell" : "csr";
    if (format != GS_AMG_FORMAT_AUTO || l->rows.nrows < 10000) return GSOLVE_OK;
    TRY(gs_sample_pattern(ctx, &l->rows, &sample, NULL));
    l->view.longest = sample.longest_row;
    if (gs_estimate_format(&gs_sell_format, &sample, &sell) &&
        expected * (1 - sell.product) > sell.build) {
        *spec = "sell";
    }
done:
    return status;
}

gsolve_status gs_level_copy_rows(gsolve_csr *copy, int64_t *entries, gsolve_context *ctx,
                                 const gsolve_csr *csr, gsolve_type type)
{
    const size_t offsets = ((size_t)csr->nrows + 1) * gs_offset_size(csr->offset);
    gsolve_csr new = *csr;
    void *start, *col = NULL, *value = NULL;
    int64_t n = 0;
    gsolve_status status;

    new.start = start = gsolve_alloc(ctx, csr->location, offsets, 1);
    new.col = NULL;
    new.value = NULL;
    new.type = type;
    TRY(start ? gs_csr_entries(ctx, csr, &n) : GSOLVE_NO_MEMORY);
    new.col = col = gsolve_alloc(ctx, csr->location, (size_t)n, sizeof *csr->col);
    new.value = value = gsolve_alloc(ctx, csr->location, (size_t)n, gs_type_size(type));
    TRY(col && value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, start, csr->location, csr->start, csr->location, offsets));
    TRY(gsolve_copy(ctx, col, csr->location, csr->col, csr->location,
                    (size_t)n * sizeof *csr->col));
    TRY(GS_KERNELS(gs_vector, ctx, type)->copy(ctx->queue, n, csr->type, csr->value, value));
    *copy = new;
    *entries = n;
    memset(&new, 0, sizeof new);
done:
    gsolve_csr_free(&new, ctx);
    return status;
}

void gs_level_set_rows(gs_level *l, gsolve_csr *csr, int64_t entries)
{
    l->rows = *csr;
    l->entries = entries;
    l->view.A = &l->rows;
    memset(csr, 0, sizeof *csr);
}

gsolve_status gs_level_set_matrix(gs_level *l, gsolve_context *ctx, int format)
{
    gsolve_csr csr = l->rows;
    const char *spec;
    gsolve_status status;

    TRY(choose_format(l, ctx, format, &spec));
    TRY(gs_matrix_create_unchecked(&l->A, ctx, spec, &csr));
    l->view.matrix = l->A;
done:
    return status;
}

/* A vector of one column. */
static gsolve_status new_vector(gsolve_dense *v, gsolve_context *ctx, const gs_level *l)
{
    return gs_dense_new(v, ctx, gs_location(ctx), l->rows.type, l->rows.nrows, 1);
}

gsolve_status gs_level_allocate(gs_level *l, gsolve_context *ctx, bool k_cycle)
{
    gsolve_status status;

    TRY(new_vector(&l->b, ctx, l));
    TRY(new_vector(&l->x, ctx, l));
    TRY(new_vector(&l->space, ctx, l));
    if (k_cycle) TRY(new_vector(&l->v, ctx, l));
    if (k_cycle) TRY(new_vector(&l->c, ctx, l));
done:
    return status;
}

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

/* *made = R A P, and the plan unless the level uses blocks, which keep their plan in an update. */
static gsolve_status make_product(const gs_level *l, gsolve_context *ctx, gs_galerkin *made)
{
    gs_block_galerkin blocks = {0};
    gsolve_status status;

    if (l->blocks.fine == 0) {
        return gs_galerkin_make(made, ctx, "auto", &l->T.R, &l->rows, &l->T.P, true);
    }
    TRY(gs_block_galerkin_build(&blocks, &made->RAP.C.csr, ctx, &l->T.R, &l->rows, &l->T.P,
                                l->blocks.fine, l->blocks.coarse));
    made->RAP.ctx = ctx;
done:
    return status;
}

gsolve_status gs_level_plan_product(gs_level *l, gsolve_context *ctx, const gsolve_csr *C)
{
    gs_galerkin made = {0};
    const gsolve_csr *new = &made.RAP.C.csr;
    int64_t entries = 0, count = -1;
    bool same = false;
    gsolve_status status;

    TRY(make_product(l, ctx, &made));
    TRY(gs_csr_entries(ctx, C, &entries));
    if (new->start) TRY(gs_csr_entries(ctx, new, &count));
    if (count == entries && new->nrows == C->nrows &&new->ncols == C->ncols) {
        TRY(gs_inspector(ctx, C)->compare(ctx, C, entries, new, false, &same));
    }
    if (!same) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "the levels that were loaded from a file do not belong to the "
                             "matrix; create a new preconditioner");
        goto done;
    }
    l->loaded = false;
    if (l->blocks.fine > 0) goto done;
    gsolve_csr_free(&made.RAP.C.csr, ctx);
    made.RAP.C.csr = *C; /* a view */
    l->galerkin = made;
    memset(&made, 0, sizeof made);
done:
    gs_galerkin_drop(&made);
    return status;
}

void gs_level_clear_transfer(gs_level *l, gsolve_context *ctx, const gs_coarsening *coarsening)
{
    const bool built = l->T.P.start != NULL;

    if (l->P) memset(&l->T.P, 0, sizeof l->T.P); /* the matrix owns them */
    if (l->R) memset(&l->T.R, 0, sizeof l->T.R);
    if (built) coarsening->destroy(&l->T, ctx);
    if (l->ranks) {
        l->drop_ranks(l->ranks, ctx, false);
        gsolve_free(ctx, GSOLVE_HOST, l->T.near_null.value);
    }
    memset(&l->T, 0, sizeof l->T);
    memset(&l->galerkin.RAP.C.csr, 0, sizeof l->galerkin.RAP.C.csr); /* the next level's */
    gsolve_matrix_destroy(&l->P);
    gsolve_matrix_destroy(&l->R);
    gs_galerkin_drop(&l->galerkin);
    gs_block_galerkin_destroy(&l->blocks, ctx);
}

void gs_level_clear(gs_level *l, gsolve_context *ctx, const gs_coarsening *coarsening,
                    const gs_smoother *smoother)
{
    gsolve_dense *const vector[] = {&l->b, &l->x, &l->space, &l->v, &l->c};

    if (l->smoother) smoother->destroy(l->smoother, ctx);
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        gsolve_free(ctx, GSOLVE_DEVICE, vector[k]->value);
    }
    gs_level_clear_transfer(l, ctx, coarsening);
    if (l->ranks) l->drop_ranks(l->ranks, ctx, true);
    if (!l->A) gsolve_csr_free(&l->rows, ctx);
    gsolve_matrix_destroy(&l->A);
}

/* --- products --------------------------------------------------------------------------------- */

gsolve_status gs_level_multiply(const gs_level_view *level, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y)
{
    return (level->transposed ? gsolve_matrix_apply_transpose
                              : gsolve_matrix_apply)(level->matrix, alpha, x, beta, y);
}

gsolve_status gs_level_residual(const gs_level_view *level, gsolve_context *ctx, gsolve_dense b,
                                gsolve_dense x, gsolve_dense r)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, b.type)
            ->copy(ctx->queue, (int64_t)b.nrows * b.ncols, b.type, b.value, r.value));
    TRY(gs_level_multiply(level, -1, x, 1, r));
done:
    return status;
}
