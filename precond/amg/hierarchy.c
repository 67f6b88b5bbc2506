/* hierarchy.c: the set-up of multigrid. It adds levels until one is small enough to be solved
 * exactly, or until coarsening no longer makes it smaller. */
#include "precond/amg/hierarchy.h"

#include <string.h>

#include "core/interrupt.h"
#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/symmetry.h"
#include "spmv/handle.h"
#include "vector/vector.h"

static const gs_coarsening *const coarsenings[] = {&gs_amg_sa, &gs_amg_ua, &gs_amg_classical};
static const gs_smoother *const smoothers[] = {NULL,          &gs_amg_l1_jacobi, &gs_amg_chebyshev,
                                               &gs_amg_spai0, &gs_amg_gs,        &gs_amg_ilu};

void gs_hierarchy_destroy(gs_hierarchy *h, gsolve_context *ctx)
{
    if (!h) return;
    for (int k = GS_AMG_MAX_LEVELS - 1; k >= 0; k--) {
        gs_level_clear(&h->level[k], ctx, h->coarsening, h->smoother);
    }
    gsolve_free(ctx, GSOLVE_DEVICE, h->level[0].view.near_null.value);
    gs_coarsest_destroy(&h->coarsest, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, h->scalar);
    gsolve_free(ctx, GSOLVE_DEVICE, h->batch);
    gs_replicated_destroy(h->coarse, ctx);
    gsolve_free(ctx, GSOLVE_HOST, h);
}

void gs_replicated_destroy(gs_replicated *T, gsolve_context *ctx)
{
    if (!T) return;
    gs_hierarchy_destroy(T->h, ctx);
    gs_gather_drop(&T->rows, ctx);
    gs_gather_drop(&T->entries, ctx);
    gsolve_free(ctx, GSOLVE_HOST, T);
}

/* --- the next level --------------------------------------------------------------------------- */

/* *C = R A P, the matrix of the level below l, with `entries`. *useless: C would hardly be smaller;
 * unset. Over ranks l keeps the matrix. */
static gsolve_status coarsen(gs_hierarchy *h, gs_level *l, gsolve_context *ctx,
                             const gs_amg_options *options, gsolve_csr *C, int64_t *entries,
                             bool *useless)
{
    gsolve_status status;

    if (h->comm) return h->over_ranks->coarsen(l, ctx, options, entries, useless);
    gs_range_push_level(ctx, "coarsening and transfer", h->levels - 1);
    status = h->coarsening->build(&l->T, ctx, &l->view, options);
    gs_range_pop(ctx);
    if (status == GSOLVE_OK) status = gs_check_interrupt(ctx);
    if (status != GSOLVE_OK) return status;
    *useless = l->T.P.ncols == 0 || l->T.P.ncols > GS_MAX_ROW_SHARE * l->rows.nrows;
    if (*useless) return GSOLVE_OK;
    gs_range_push_level(ctx, "coarse matrix", h->levels);
    if (h->on_device) {
        TRY(gs_block_galerkin_build(&l->blocks, C, ctx, &l->T.R, &l->rows, &l->T.P, l->view.block,
                                    l->T.block));
    }
    if (l->blocks.fine == 0) {
        TRY(gs_galerkin_make(&l->galerkin, ctx, "auto", &l->T.R, &l->rows, &l->T.P,
                             options->reuse != GS_AMG_REBUILD));
        *C = l->galerkin.RAP.C.csr;
        memset(&l->galerkin.RAP.C.csr, 0, sizeof *C);
    }
    TRY(gs_csr_entries(ctx, C, entries));
done:
    gs_range_pop(ctx);
    return status;
}

/* Whether a next level of this many entries exceeds the allowed operator complexity. */
static bool is_heavy(const gs_hierarchy *h, int64_t entries)
{
    return gs_hierarchy_operator_complexity(h) +
               (double)entries / (double)gs_hierarchy_finest_entries(h) >
           h->options.complexity;
}

/* Changes the options for another attempt at a level that was too heavy. classical: aggressive
 * coarsening first, then interpolation from one point as well. sa and ua: all connections count as
 * strong first, then P is not smoothed either. */
static void coarsen_harder(const gs_hierarchy *h, gs_amg_options *options, int attempt)
{
    if (h->coarsening == &gs_amg_classical) {
        options->aggressive = GS_AMG_MAX_LEVELS;
        if (attempt > 0) options->interpolation = GS_ONE_POINT;
    } else {
        options->strength = 0;
        if (attempt > 0) options->damping = 0;
    }
}

/* coarsen; if C is too heavy, up to two more attempts with coarsen_harder. */
static gsolve_status coarsen_within(gs_hierarchy *h, gs_level *l, gsolve_context *ctx,
                                    gsolve_csr *C, int64_t *entries, bool *useless)
{
    gs_amg_options options = h->options;
    gsolve_status status;

    for (int attempt = 0; attempt < 3; attempt++) {
        TRY(coarsen(h, l, ctx, &options, C, entries, useless));
        if (*useless) break;
        if (!is_heavy(h, *entries) || attempt == 2) break;
        h->harder += attempt == 0;
        gsolve_csr_free(C, ctx);
        gs_level_clear_transfer(l, ctx, h->coarsening);
        coarsen_harder(h, &options, attempt);
    }
done:
    return status;
}

gsolve_status gs_hierarchy_append(gs_hierarchy *h, gsolve_context *ctx, gsolve_csr *C,
                                  int64_t entries)
{
    gs_level *l = &h->level[h->levels - 1], *next = l + 1;
    gsolve_status status;

    TRY(gs_level_set_transfer(l, ctx));
    next->view = (gs_level_view){.block = l->T.block,
                                 .near_null = l->T.near_null,
                                 .level = h->finer.levels + h->levels,
                                 .nonsymmetric = !h->symmetric};
    gs_level_set_rows(next, C, entries);
    if (l->blocks.fine == 0) l->galerkin.RAP.C.csr = next->rows;
    h->levels++;
done:
    return status;
}

gsolve_status gs_hierarchy_add_level(gs_hierarchy *h, gsolve_context *ctx, bool *ended)
{
    gs_level *l = &h->level[h->levels - 1];
    gsolve_csr C = {0};
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_comm_check(h->comm, gs_check_interrupt(ctx)));
    TRY(coarsen_within(h, l, ctx, &C, &entries, ended));
    if (*ended) {
        gs_level_clear_transfer(l, ctx, h->coarsening);
        goto done;
    }
    TRY(h->comm ? h->over_ranks->append(h, ctx, entries)
                : gs_hierarchy_append(h, ctx, &C, entries));
done:
    gsolve_csr_free(&C, ctx);
    return status;
}

/* --- all levels ------------------------------------------------------------------------------- */

/* If A is not symmetric, Gauss-Seidel takes half the iterations of l1_jacobi. On a GPU it takes one
 * launch per colour in every sweep, and l1_jacobi is faster. Over ranks it sees old values of other
 * ranks. */
static const gs_smoother *choose_smoother(const gs_hierarchy *h, const gsolve_context *ctx)
{
    if (h->comm && h->options.smoother >= GS_AMG_GS) return &gs_amg_block_smoother;
    if (h->options.smoother) return smoothers[h->options.smoother];
    if (h->symmetric) return &gs_amg_chebyshev;
    return gs_location(ctx) == GSOLVE_HOST && !h->comm ? &gs_amg_gs : &gs_amg_l1_jacobi;
}

gsolve_status gs_hierarchy_add_smoothers(gs_hierarchy *h, gsolve_context *ctx, bool exact)
{
    gsolve_status status = GSOLVE_OK;

    gs_range_push(ctx, "smoothers");
    for (int k = 0; k < h->levels - exact; k++) {
        gs_level *l = &h->level[k];
        TRY(gs_comm_check(h->comm, gs_check_interrupt(ctx)));
        TRY(h->smoother->build(&l->smoother, ctx, &l->view, &h->options));
    }
done:
    gs_range_pop(ctx);
    return status;
}

int32_t gs_hierarchy_max_exact_rows(const gs_hierarchy *h, const gsolve_context *ctx)
{
    return 8 * gs_coarsest_max_rows(ctx, &h->options, true, 0);
}

/* For the given matrix itself only its number of rows counts. */
bool gs_hierarchy_is_small(const gs_hierarchy *h, const gsolve_context *ctx)
{
    const gs_level *last = &h->level[h->levels - 1];
    const int64_t entries = h->finer.levels + h->levels > 1 ? last->entries : 0;

    return gs_level_total_rows(last) <=
           gs_coarsest_max_rows(ctx, &h->options, h->symmetric, entries);
}

static gsolve_status build_coarsest(gs_hierarchy *h, gsolve_context *ctx)
{
    gs_level_view *view = &h->level[h->levels - 1].view;

    view->null_space = h->options.null_space;
    return gs_coarsest_build(&h->coarsest, ctx, view);
}

static gsolve_status add_levels(gs_hierarchy *h, gsolve_context *ctx)
{
    bool ended = false;
    gsolve_status status = GSOLVE_OK;

    while (!ended && !gs_hierarchy_is_small(h, ctx) &&
           h->finer.levels + h->levels < h->options.levels) {
        TRY(gs_hierarchy_add_level(h, ctx, &ended));
    }
done:
    return status;
}

/* If A is not symmetric: a P that is smoothed as far as usual destroys the signs of upwind
 * differences in the coarse matrices; and the eigenvalues of D^-1 A lie in a disc about 1/2, where
 * no polynomial with real zeros is smaller than a power of 1 - omega x. */
void gs_hierarchy_resolve_defaults(gs_hierarchy *h, const gsolve_context *ctx)
{
    gs_amg_options *o = &h->options;

    h->on_device = gs_location(ctx) == GSOLVE_DEVICE;
    h->smoother = choose_smoother(h, ctx);
    if (o->damping < 0) o->damping = h->symmetric ? 4.0 / 3 : 2.0 / 3;
    if (o->omega < 0.01) o->omega = h->symmetric ? 1.6 : 1.7;
    if (o->degree == 0) o->degree = h->symmetric && h->smoother == &gs_amg_l1_jacobi ? 1 : 2;
}

gsolve_status gs_hierarchy_allocate_vectors(gs_hierarchy *h, gsolve_context *ctx)
{
    const bool k_cycle = h->options.cycle == GS_AMG_K;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < h->levels; k++) {
        TRY(gs_level_allocate(&h->level[k], ctx, k_cycle && h->finer.levels + k > 0));
    }
    if (k_cycle) ALLOC(ctx, GSOLVE_DEVICE, h->scalar, 5 * GS_AMG_MAX_LEVELS);
done:
    return status;
}

gsolve_status gs_hierarchy_begin(gs_hierarchy **out, gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_type type, int32_t block, const gs_amg_options *options,
                                 const bool *symmetric)
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
    h->level[0].view.block = block;
    TRY(gs_level_copy_rows(&copy, &entries, ctx, csr, type));
    gs_level_set_rows(&h->level[0], &copy, entries);
    if (symmetric) {
        h->symmetric = *symmetric;
    } else {
        TRY(gs_amg_is_symmetric(&h->symmetric, ctx, &h->level[0].rows));
    }
    h->level[0].view.nonsymmetric = !h->symmetric;
    gs_hierarchy_resolve_defaults(h, ctx);
    *out = h;
    h = NULL;
done:
    gsolve_csr_free(&copy, ctx);
    gs_hierarchy_destroy(h, ctx);
    return status;
}

gsolve_status gs_hierarchy_complete(gs_hierarchy *h, gsolve_context *ctx)
{
    bool exact;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < h->levels; k++) {
        TRY(gs_check_interrupt(ctx));
        TRY(gs_level_set_matrix(&h->level[k], ctx, h->options.format));
    }
    exact = h->level[h->levels - 1].rows.nrows <= gs_hierarchy_max_exact_rows(h, ctx);
    if (exact) {
        gs_range_push(ctx, "coarsest level");
        status = build_coarsest(h, ctx);
        gs_range_pop(ctx);
        TRY(status);
    }
    TRY(gs_hierarchy_add_smoothers(h, ctx, exact));
    gs_hierarchy_release_rows(h);
    TRY(gs_hierarchy_allocate_vectors(h, ctx));
done:
    return status;
}

void gs_hierarchy_hand_over(gs_hierarchy **out, gs_hierarchy **h, gsolve_dense *near_null,
                            gsolve_status status)
{
    if (status != GSOLVE_OK) {
        (*h)->level[0].view.near_null.value = NULL; /* the caller keeps it */
        return;
    }
    near_null->value = NULL;
    *out = *h;
    *h = NULL;
}

gsolve_status gs_hierarchy_build(gs_hierarchy **h, gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_type type, gsolve_dense *near_null, int32_t block,
                                 const gs_amg_options *options)
{
    const gs_finer_levels none = {0};

    return gs_hierarchy_build_below(h, ctx, csr, type, near_null, block, options, &none);
}

gsolve_status gs_hierarchy_build_below(gs_hierarchy **out, gsolve_context *ctx,
                                       const gsolve_csr *csr, gsolve_type type,
                                       gsolve_dense *near_null, int32_t block,
                                       const gs_amg_options *options, const gs_finer_levels *finer)
{
    const bool *symmetric = finer->levels > 0 ? &finer->symmetric : NULL;
    gs_hierarchy *h = NULL;
    gsolve_status status;

    TRY(gs_hierarchy_begin(&h, ctx, csr, type, block, options, symmetric));
    h->finer = *finer;
    h->level[0].view.level = finer->levels;
    h->level[0].view.near_null = *near_null;
    status = add_levels(h, ctx);
    if (status == GSOLVE_OK) status = gs_hierarchy_complete(h, ctx);
    gs_hierarchy_hand_over(out, &h, near_null, status);
done:
    gs_hierarchy_destroy(h, ctx);
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

/* The finest matrix's values = csr's, which may be of another type. */
static gsolve_status copy_values(const gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr,
                                 int64_t entries)
{
    void *value = gs_owned_block(ctx, h->level[0].rows.value);

    return GS_KERNELS(gs_vector, ctx, h->type)
        ->copy(ctx->queue, entries, csr->type, csr->value, value);
}

static gsolve_status update_level(gs_hierarchy *h, gsolve_context *ctx, int k)
{
    gs_level *l = &h->level[k], *next = l + 1;
    gsolve_status status;

    TRY(gs_check_interrupt(ctx));
    if (l->smoother) TRY(h->smoother->update(l->smoother, ctx, &l->view, &h->options));
    if (k + 1 == h->levels) return GSOLVE_OK;
    TRY(h->coarsening->update(&l->T, ctx, &l->view, &h->options));
    next->view.near_null = l->T.near_null;
    TRY(gs_matrix_update_form(l->P));
    TRY(gs_matrix_update_form(l->R));
    if (l->loaded) TRY(gs_level_plan_product(l, ctx, &next->rows));
    TRY(l->blocks.fine > 0
            ? gs_block_galerkin_update(&l->blocks, &next->rows, ctx, &l->T.R, &l->rows, &l->T.P)
            : gs_galerkin_update(&l->galerkin, &l->T.R, &l->rows, &l->T.P));
    TRY(gs_matrix_update_form(next->A));
done:
    return status;
}

gsolve_status gs_hierarchy_update(gs_hierarchy *h, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_level *last = &h->level[h->levels - 1];
    gsolve_status status;

    TRY(gs_hierarchy_restore_rows(h));
    h->updated = true;
    TRY(copy_values(h, ctx, csr, h->level[0].entries));
    TRY(gs_matrix_update_form(h->level[0].A));
    for (int k = 0; k < h->levels; k++) TRY(update_level(h, ctx, k));
    if (!last->smoother) TRY(build_coarsest(h, ctx));
done:
    return status;
}

/* --- the finest level's rows ------------------------------------------------------------------ */

/* The rows stay if A is not symmetric: products with A' are built from them. */
void gs_hierarchy_release_rows(gs_hierarchy *h)
{
    gs_level *finest = h->level;

    if (h->updated || !h->on_device || h->smoother->reads_rows || !h->symmetric) return;
    gs_matrix_release_rows(finest->A);
    gsolve_matrix_device_csr(finest->A, &finest->rows);
}

gsolve_status gs_hierarchy_restore_rows(gs_hierarchy *h)
{
    gs_level *finest = h->level;
    const gsolve_status status = gs_matrix_restore_rows(finest->A);

    gsolve_matrix_device_csr(finest->A, &finest->rows);
    return status;
}

/* --- the null space --------------------------------------------------------------------------- */

gsolve_status gs_hierarchy_set_null_space(gs_hierarchy *h, gsolve_context *ctx, int32_t dimension)
{
    const bool exact = !h->level[h->levels - 1].smoother && !h->coarse;
    const int32_t before = h->options.null_space;
    gsolve_status status = GSOLVE_OK;

    if (h->options.null_space == dimension) return GSOLVE_OK;
    h->options.null_space = dimension;
    if (h->coarse) TRY(gs_hierarchy_set_null_space(h->coarse->h, ctx, dimension));
    if (!exact) return GSOLVE_OK;
    if (h->levels == 1) TRY(gs_hierarchy_restore_rows(h));
    TRY(build_coarsest(h, ctx));
    if (h->levels == 1) gs_hierarchy_release_rows(h);
done:
    if (status != GSOLVE_OK) h->options.null_space = before;
    return status;
}
