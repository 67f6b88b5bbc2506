/* hierarchy.c: the levels are made one after the other until one is small enough to be solved
 * exactly, or coarsening no longer makes it smaller. */
#include "precond/amg/hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"
#include "precond/chebyshev/polynomial.h"
#include "spmv/handle.h"
#include "vector/vector.h"

#define STAGNANT                                                                    \
    0.85 /* rows of a level over those of the finer: coarsening has come to its end \
          */

static const gs_coarsening *const coarsenings[] = {&gs_amg_sa, &gs_amg_ua, &gs_amg_classical};
static const gs_smoother *const smoothers[] = {NULL,          &gs_amg_l1_jacobi, &gs_amg_chebyshev,
                                               &gs_amg_spai0, &gs_amg_gs,        &gs_amg_ilu};

void gs_hierarchy_destroy(gs_hierarchy *h, gsolve_context *ctx)
{
    if (!h) return;
    for (int k = GS_AMG_MOST_LEVELS - 1; k >= 0; k--) gs_level_drop(h, &h->level[k], ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, h->level[0].fine.near_null.value);
    gs_coarsest_drop(&h->coarsest, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, h->scalar);
    gsolve_free(ctx, GSOLVE_DEVICE, h->many);
    gsolve_free(ctx, GSOLVE_HOST, h);
}

/* --- from level to level ---------------------------------------------------------------------- */

double gs_hierarchy_complexity(const gs_hierarchy *h)
{
    double entries = 0;

    for (int k = 0; k < h->levels; k++) entries += (double)h->level[k].entries;
    return h->level[0].entries > 0 ? entries / (double)h->level[0].entries : 1;
}

double gs_hierarchy_grids(const gs_hierarchy *h)
{
    double rows = 0;

    for (int k = 0; k < h->levels; k++) rows += h->level[k].rows.nrows;
    return h->level[0].rows.nrows > 0 ? rows / h->level[0].rows.nrows : 1;
}

/* *C = the matrix of the level below l; *useless: l is coarsened no further. */
static gsolve_status coarsen(gs_hierarchy *h, gs_level *l, gsolve_context *ctx,
                             const gs_amg_options *options, gsolve_csr *C, bool *useless)
{
    gsolve_status status;

    TRY(h->coarsening->build(&l->T, ctx, &l->fine, options));
    *useless = l->T.P.ncols == 0 || l->T.P.ncols > STAGNANT * l->rows.nrows;
    if (*useless) goto done;
    if (h->far) {
        TRY(gs_block_galerkin_make(&l->blocks, C, ctx, &l->T.R, &l->rows, &l->T.P, l->fine.block,
                                   l->T.block));
    }
    if (l->blocks.fine > 0) goto done;
    TRY(gs_galerkin_make(&l->galerkin, ctx, "auto", &l->T.R, &l->rows, &l->T.P,
                         options->reuse != GS_AMG_REBUILD));
    *C = l->galerkin.RAP.C.csr;
    memset(&l->galerkin.RAP.C.csr, 0, sizeof *C);
done:
    return status;
}

/* Whether a next level of so many entries makes the hierarchy heavier than is allowed. */
static bool is_heavy(const gs_hierarchy *h, int64_t entries)
{
    return gs_hierarchy_complexity(h) + (double)entries / (double)h->level[0].entries >
           h->options.complexity;
}

/* Options for another attempt at a level that was too heavy. Classical: two stages of coarsening,
 * then of interpolation from one point each. Else all connections count as strong, then P is not
 * smoothed. */
static void coarsen_harder(const gs_hierarchy *h, gs_amg_options *options, int attempt)
{
    if (h->coarsening == &gs_amg_classical) {
        options->aggressive = GS_AMG_MOST_LEVELS;
        if (attempt > 0) options->interpolation = GS_ONE_POINT;
    } else {
        options->strength = 0;
        if (attempt > 0) options->damping = 0;
    }
}

/* The same where C is too heavy. */
static gsolve_status coarsen_within(gs_hierarchy *h, gs_level *l, gsolve_context *ctx,
                                    gsolve_csr *C, int64_t *entries, bool *useless)
{
    gs_amg_options options = h->options;
    gsolve_status status;

    for (int attempt = 0; attempt < 3; attempt++) {
        TRY(coarsen(h, l, ctx, &options, C, useless));
        if (*useless) break;
        TRY(gs_csr_entries(ctx, C, entries));
        if (!is_heavy(h, *entries) || attempt == 2) break;
        h->harder += attempt == 0;
        gsolve_csr_free(C, ctx);
        gs_level_drop_transfer(h, l, ctx);
        coarsen_harder(h, &options, attempt);
    }
done:
    return status;
}

/* The level below l. *ended: there is none. */
static gsolve_status add_level(gs_hierarchy *h, gsolve_context *ctx, bool *ended)
{
    gs_level *l = &h->level[h->levels - 1], *next = l + 1;
    gsolve_csr C = {0};
    int64_t entries = 0;
    gsolve_status status;

    TRY(coarsen_within(h, l, ctx, &C, &entries, ended));
    if (*ended) {
        gs_level_drop_transfer(h, l, ctx);
        goto done;
    }
    TRY(gs_level_set_transfer(l, ctx));
    next->fine = (gs_fine){.block = l->T.block,
                           .near_null = l->T.near_null,
                           .level = h->levels,
                           .lopsided = !h->symmetric};
    gs_level_set_rows(next, &C, entries);
    if (l->blocks.fine == 0) l->galerkin.RAP.C.csr = next->rows;
    h->levels++;
done:
    gsolve_csr_free(&C, ctx);
    return status;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Whether x'Ay = y'Ax for two vectors without meaning: if A is not symmetric, that has no reason
 * to hold. */
static gsolve_status inspect_symmetry(gs_hierarchy *h, gsolve_context *ctx)
{
    const gs_polynomial_kernels *kernels = GS_KERNELS(gs_polynomial, ctx, h->type);
    const double rounding = h->type == GSOLVE_F32 ? 1e-5 : 1e-10;
    const gs_level *l = h->level;
    const int32_t n = l->rows.nrows;
    gsolve_dense x = {0}, y = {0}, Ax = {0};
    double *sum = NULL, seen[3];
    int64_t entries;
    void *A = NULL;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, &l->rows, &entries));
    TRY(gs_csr_format.build(&A, ctx, &l->rows, entries, NULL));
    ALLOC(ctx, GSOLVE_DEVICE, sum, 3);
    TRY(gs_dense_new(&x, ctx, gs_location(ctx), h->type, n, 1));
    TRY(gs_dense_new(&y, ctx, gs_location(ctx), h->type, n, 1));
    TRY(gs_dense_new(&Ax, ctx, gs_location(ctx), h->type, n, 1));
    TRY(kernels->noise(ctx->queue, n, 1, x.value));
    TRY(kernels->noise(ctx->queue, n, 2, y.value));
    TRY(gs_csr_format.apply_dot(A, ctx, x, Ax, y, &sum[0], &sum[2]));
    TRY(gs_csr_format.apply_dot(A, ctx, y, Ax, x, &sum[1], NULL));
    TRY(gsolve_copy(ctx, seen, GSOLVE_HOST, sum, gs_location(ctx), sizeof seen));
    h->symmetric = fabs(seen[0] - seen[1]) <= rounding * sqrt(seen[2]);
    h->level[0].fine.lopsided = !h->symmetric;
done:
    if (A) gs_csr_format.destroy(A, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    gsolve_free(ctx, GSOLVE_DEVICE, x.value);
    gsolve_free(ctx, GSOLVE_DEVICE, y.value);
    gsolve_free(ctx, GSOLVE_DEVICE, Ax.value);
    return status;
}

/* Gauss-Seidel where A is not symmetric takes half the iterations of l1_jacobi, but on a GPU as
 * many launches a sweep as there are colours. */
static const gs_smoother *choose_smoother(const gs_hierarchy *h, const gsolve_context *ctx)
{
    if (h->options.smoother) return smoothers[h->options.smoother];
    if (h->symmetric) return &gs_amg_chebyshev;
    return gs_location(ctx) == GSOLVE_HOST ? &gs_amg_gs : &gs_amg_l1_jacobi;
}

static gsolve_status add_smoothers(gs_hierarchy *h, gsolve_context *ctx, bool exact)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < h->levels - exact; k++) {
        gs_level *l = &h->level[k];
        TRY(h->smoother->build(&l->smoother, ctx, &l->fine, &h->options));
    }
done:
    return status;
}

/* Rows that are solved exactly even where that takes long, if there is no other way. */
static int32_t most_exact(const gs_hierarchy *h, const gsolve_context *ctx)
{
    return 8 * gs_coarsest_most(ctx, &h->options, true, 0);
}

/* Sweeps with A' make that of the rows. */
void gs_hierarchy_give_up_rows(gs_hierarchy *h)
{
    gs_level *finest = h->level;

    if (h->renewed || !h->far || h->smoother->row_major || !h->symmetric) return;
    gs_matrix_give_up_rows(finest->A);
    gsolve_matrix_device_csr(finest->A, &finest->rows);
}

gsolve_status gs_hierarchy_need_rows(gs_hierarchy *h)
{
    gs_level *finest = h->level;
    const gsolve_status status = gs_matrix_rows_again(finest->A);

    gsolve_matrix_device_csr(finest->A, &finest->rows);
    return status;
}

/* Whether the last level is worth being solved exactly. A matrix that is small itself is, whatever
 * its entries: nothing is as sure. */
static bool is_small(const gs_hierarchy *h, const gsolve_context *ctx)
{
    const gs_level *last = &h->level[h->levels - 1];
    const int64_t entries = h->levels > 1 ? last->entries : 0;

    return last->rows.nrows <= gs_coarsest_most(ctx, &h->options, h->symmetric, entries);
}

static gsolve_status build_levels(gs_hierarchy *h, gsolve_context *ctx)
{
    bool ended = false, exact;
    gsolve_status status = GSOLVE_OK;

    while (!ended && !is_small(h, ctx) && h->levels < h->options.levels) {
        TRY(add_level(h, ctx, &ended));
    }
    for (int k = 0; k < h->levels; k++) TRY(gs_level_set_matrix(h, &h->level[k], ctx));
    exact = h->level[h->levels - 1].rows.nrows <= most_exact(h, ctx);
    if (exact) TRY(gs_coarsest_build(&h->coarsest, ctx, &h->level[h->levels - 1].fine));
    TRY(add_smoothers(h, ctx, exact));
    gs_hierarchy_give_up_rows(h);
done:
    return status;
}

/* The finest matrix's values = csr's, which may be of another type. */
static gsolve_status copy_values(const gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr,
                                 int64_t entries)
{
    void *value = gs_owned_block(ctx, h->level[0].rows.value);

    return GS_KERNELS(gs_vector, ctx, h->type)
        ->copy(ctx->queue, entries, csr->type, csr->value, value);
}

/* A copy of csr in h's type, where it lies. */
static gsolve_status copy_rows(const gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr,
                               gsolve_csr *copy, int64_t *count)
{
    const size_t offsets = ((size_t)csr->nrows + 1) * gs_offset_size(csr->offset);
    gsolve_csr new = *csr;
    void *start, *col = NULL, *value = NULL;
    int64_t entries = 0;
    gsolve_status status;

    new.start = start = gsolve_alloc(ctx, csr->location, offsets, 1);
    new.col = NULL;
    new.value = NULL;
    new.type = h->type;
    TRY(start ? gs_csr_entries(ctx, csr, &entries) : GSOLVE_NO_MEMORY);
    new.col = col = gsolve_alloc(ctx, csr->location, (size_t)entries, sizeof *csr->col);
    new.value = value = gsolve_alloc(ctx, csr->location, (size_t)entries, gs_type_size(h->type));
    TRY(col && value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, start, csr->location, csr->start, csr->location, offsets));
    TRY(gsolve_copy(ctx, col, csr->location, csr->col, csr->location,
                    (size_t)entries * sizeof *csr->col));
    TRY(GS_KERNELS(gs_vector, ctx, h->type)
            ->copy(ctx->queue, entries, csr->type, csr->value, value));
    *copy = new;
    *count = entries;
    memset(&new, 0, sizeof new);
done:
    gsolve_csr_free(&new, ctx);
    return status;
}

/* Options that wait for what is seen. Where A is not symmetric its coarse matrices lose the signs
 * of upwind differences to a P that is smoothed as far as usual, and eigenvalues of D^-1 A lie in a
 * disc about 1/2, where no polynomial of real zeros is smaller than a power of 1 - omega x. */
static void complete_options(gs_hierarchy *h, const gsolve_context *ctx)
{
    gs_amg_options *o = &h->options;

    h->far = gs_location(ctx) == GSOLVE_DEVICE;
    h->smoother = choose_smoother(h, ctx);
    if (o->damping < 0) o->damping = h->symmetric ? 4.0 / 3 : 2.0 / 3;
    if (o->omega < 0.01) o->omega = h->symmetric ? 1.6 : 1.7;
    if (o->degree == 0) o->degree = h->symmetric && h->smoother == &gs_amg_l1_jacobi ? 1 : 2;
}

gsolve_status gs_hierarchy_build(gs_hierarchy **out, gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_type type, gsolve_dense *near_null, int32_t block,
                                 const gs_amg_options *options)
{
    gs_hierarchy *h = NULL;
    gsolve_csr copy = {0};
    int64_t entries = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, h, 1);
    memset(h, 0, sizeof *h);
    h->options = *options;
    h->coarsening = coarsenings[options->coarsening];
    h->type = type;
    h->levels = 1;
    h->level[0].fine.block = block;
    TRY(copy_rows(h, ctx, csr, &copy, &entries));
    gs_level_set_rows(&h->level[0], &copy, entries);
    TRY(inspect_symmetry(h, ctx));
    complete_options(h, ctx);
    h->level[0].fine.near_null = *near_null;
    status = build_levels(h, ctx);
    if (status != GSOLVE_OK) {
        h->level[0].fine.near_null.value = NULL; /* the caller's again */
        goto done;
    }
    status = gs_cycle_reserve(h, ctx);
    if (status != GSOLVE_OK) {
        h->level[0].fine.near_null.value = NULL;
        goto done;
    }
    near_null->value = NULL;
    *out = h;
    h = NULL;
done:
    gsolve_csr_free(&copy, ctx);
    gs_hierarchy_destroy(h, ctx);
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

static gsolve_status update_level(gs_hierarchy *h, gsolve_context *ctx, int k)
{
    gs_level *l = &h->level[k], *next = l + 1;
    gsolve_status status = GSOLVE_OK;

    if (l->smoother) TRY(h->smoother->update(l->smoother, ctx, &l->fine, &h->options));
    if (k + 1 == h->levels) return GSOLVE_OK;
    TRY(h->coarsening->update(&l->T, ctx, &l->fine, &h->options));
    next->fine.near_null = l->T.near_null;
    TRY(gs_matrix_renew(l->P));
    TRY(gs_matrix_renew(l->R));
    TRY(l->blocks.fine > 0
            ? gs_block_galerkin_renew(&l->blocks, &next->rows, ctx, &l->T.R, &l->rows, &l->T.P)
            : gs_galerkin_renew(&l->galerkin, &l->T.R, &l->rows, &l->T.P));
    TRY(gs_matrix_renew(next->A));
done:
    return status;
}

gsolve_status gs_hierarchy_update(gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_level *last = &h->level[h->levels - 1];
    gsolve_status status;

    TRY(gs_hierarchy_need_rows(h));
    h->renewed = true;
    TRY(copy_values(h, ctx, csr, h->level[0].entries));
    TRY(gs_matrix_renew(h->level[0].A));
    for (int k = 0; k < h->levels; k++) TRY(update_level(h, ctx, k));
    if (!last->smoother) TRY(gs_coarsest_build(&h->coarsest, ctx, &last->fine));
done:
    return status;
}
