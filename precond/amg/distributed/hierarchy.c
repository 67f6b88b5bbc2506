/* hierarchy.c: the levels of a hierarchy whose matrix is distributed over ranks, see distributed.h.
 * The steps are those of precond/amg/hierarchy.c. */
#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/distributed/distributed.h"
#include "precond/amg/distributed/rank_level.h"
#include "precond/amg/distributed/replicated.h"

/* --- options ---------------------------------------------------------------------------------- */

gsolve_status gs_amg_check_over_ranks(gsolve_context *ctx, const gs_amg_options *o)
{
    static const char *const coarsening[] = {"sa", "ua", "classical"};

    if (o->coarsening != 0) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "amg,coarsening=%s does not work with a matrix that is distributed over "
                           "%d ranks; use coarsening=sa",
                           coarsening[o->coarsening], gs_comm_ranks(ctx->comm));
    }
    if (o->aggregation == GS_AGGREGATION_GREEDY) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "amg,aggregation=greedy chooses one root after the other and does not "
                           "work with a matrix that is distributed over %d ranks; use "
                           "aggregation=mis2",
                           gs_comm_ranks(ctx->comm));
    }
    return GSOLVE_OK;
}

/* --- one level -------------------------------------------------------------------------------- */

/* The shape of level l with `rows` as this rank's rows, and its entries on all ranks. */
static void set_shape(gs_level *l, const gsolve_dist_csr *rows, int64_t entries)
{
    l->rows =
        (gsolve_csr){.nrows = rows->rows.count, .ncols = rows->rows.count, .type = rows->type};
    l->entries = entries;
}

/* Makes what a level over ranks has beside its rows, unless every rank will hold it as a whole. */
static gsolve_status complete_level(gs_level *l, gsolve_context *ctx, const gs_amg_options *options)
{
    const char *format = options->format == GS_AMG_SELL ? "sell" : "csr";
    gs_rank_level *r = l->ranks;
    gsolve_status status;

    TRY(gs_node_rows_new(&r->local, ctx, &r->rows, l->view.block));
    TRY(gsolve_matrix_create_dist(&l->A, ctx, format, &r->rows));
    l->view.A = &r->local.A;
    l->view.matrix = l->A;
    l->view.over_ranks = true;
    l->view.first = r->local.first;
    l->view.rows = r->local.count;
done:
    return status;
}

/* Whether every rank is to hold the last level, and those below it, as a whole. */
static bool is_replicated(const gs_hierarchy *h, const gsolve_context *ctx)
{
    const int64_t rows = h->level[h->levels - 1].ranks->rows.rows.total;

    return rows <= h->options.replicate || gs_hierarchy_is_small(h, ctx);
}

/* --- the next level --------------------------------------------------------------------------- */

static gsolve_status coarsen(gs_level *l, gsolve_context *ctx, const gs_amg_options *options,
                             int64_t *entries, bool *useless)
{
    gs_rank_level *r = l->ranks;
    const gsolve_dist_csr *C;
    gsolve_row_range cols;
    gsolve_status status;

    gs_range_push(ctx, "coarsening and transfer");
    status = gs_coarsening_over_ranks(l, ctx, options);
    gs_range_pop(ctx);
    TRY(status);
    TRY(gs_comm_check(ctx->comm, gs_check_interrupt(ctx)));
    cols = r->p.cols;
    *useless =
        cols.total == 0 || (double)cols.total > GS_MAX_ROW_SHARE * (double)r->rows.rows.total;
    if (*useless) return GSOLVE_OK;
    gs_range_push(ctx, "coarse matrix");
    status = gs_dist_galerkin_new(&r->RAP, ctx, gs_dist_transpose_csr(r->R), &r->rows, &r->p);
    gs_range_pop(ctx);
    TRY(status);
    C = gs_dist_galerkin_csr(r->RAP);
    double sum = (double)gs_dist_start(C, C->rows.count);
    TRY(gs_comm_sum_on_host(ctx->comm, &sum, 1));
    *entries = (int64_t)sum;
done:
    return status;
}

static gsolve_status append(gs_hierarchy *h, gsolve_context *ctx, int64_t entries)
{
    gs_level *l = &h->level[h->levels - 1], *next = l + 1;
    gs_rank_level *r;
    gsolve_status status;

    r = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *r);
    if (r) memset(r, 0, sizeof *r);
    next->ranks = r; /* h frees it */
    next->drop_ranks = gs_rank_level_drop;
    TRY(gs_comm_check(ctx->comm, r ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_rank_level_set_transfer(l, ctx));
    r->rows = *gs_dist_galerkin_csr(l->ranks->RAP);
    next->view = (gs_level_view){.block = l->T.block,
                                 .near_null = l->T.near_null,
                                 .level = h->levels,
                                 .nonsymmetric = !h->symmetric};
    set_shape(next, &r->rows, entries);
    h->levels++;
    if (!is_replicated(h, ctx)) TRY(complete_level(next, ctx, &h->options));
done:
    return status;
}

/* --- all levels ------------------------------------------------------------------------------- */

static gs_finer_levels levels_above(const gs_hierarchy *h)
{
    gs_finer_levels f = {.levels = h->levels - 1, .symmetric = h->symmetric};

    if (f.levels == 0) return (gs_finer_levels){0};
    f.finest = h->level[0].entries;
    f.above = h->level[h->levels - 2].entries;
    for (int k = 0; k + 1 < h->levels; k++) f.sum += h->level[k].entries;
    return f;
}

/* Gathers the last level, and builds the rest from it. */
static gsolve_status replicate(gs_hierarchy *h, gsolve_context *ctx, const gs_amg_options *given)
{
    const gs_level *last = &h->level[h->levels - 1];
    const gs_finer_levels finer = levels_above(h);

    return gs_replicated_new(&h->coarse, ctx, &last->ranks->rows, h->type, last->view.near_null,
                             last->view.block, given, &finer);
}

static const gs_rank_steps steps = {coarsen, append};

/* *out = the finest level with copies of rows; on failure it may be set, too. Local. */
static gsolve_status begin(gs_hierarchy **out, gsolve_context *ctx, const gsolve_dist_csr *rows,
                           gsolve_type type, int32_t block, const gs_amg_options *options)
{
    gs_hierarchy *h;
    gs_level *finest;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, h, 1);
    memset(h, 0, sizeof *h);
    *out = h;
    h->options = *options;
    h->coarsening = &gs_amg_sa;
    h->type = type;
    h->levels = 1;
    h->comm = ctx->comm;
    h->over_ranks = &steps;
    finest = &h->level[0];
    finest->view.block = block;
    finest->drop_ranks = gs_rank_level_drop;
    ALLOC(ctx, GSOLVE_HOST, finest->ranks, 1);
    memset(finest->ranks, 0, sizeof *finest->ranks);
    finest->ranks->owned = true;
    TRY(gs_rank_rows_copy(&finest->ranks->rows, ctx, rows, type));
    set_shape(finest, &finest->ranks->rows, 0);
    TRY(gs_check_rank_nodes(ctx, &rows->rows, block));
done:
    return status;
}

/* The finest level, unless every rank will hold it. */
static gsolve_status begin_levels(gs_hierarchy *h, gsolve_context *ctx)
{
    gs_level *finest = h->level;
    gsolve_status status;

    TRY(complete_level(finest, ctx, &h->options));
    TRY(gs_is_symmetric_over_ranks(&h->symmetric, ctx, finest->A));
    finest->view.nonsymmetric = !h->symmetric;
    gs_hierarchy_resolve_defaults(h, ctx);
done:
    return status;
}

/* Whether the last level, where coarsening has ended, is solved exactly. */
static bool ends_exactly(const gs_hierarchy *h, const gsolve_context *ctx)
{
    const int64_t rows = h->level[h->levels - 1].ranks->rows.rows.total;

    return is_replicated(h, ctx) || rows <= gs_hierarchy_max_exact_rows(h, ctx);
}

static gsolve_status build(gs_hierarchy *h, gsolve_context *ctx, const gs_amg_options *given)
{
    bool ended = false;
    gsolve_status status = GSOLVE_OK;

    if (!is_replicated(h, ctx)) TRY(begin_levels(h, ctx));
    while (!ended && !is_replicated(h, ctx) && h->levels < h->options.levels) {
        TRY(gs_hierarchy_add_level(h, ctx, &ended));
    }
    if (ends_exactly(h, ctx)) TRY(replicate(h, ctx, given));
    if (h->levels == 1 && h->coarse) {
        h->symmetric = h->coarse->h->symmetric;
        h->options = h->coarse->h->options;
        gs_hierarchy_resolve_defaults(h, ctx);
    }
    TRY(gs_hierarchy_add_smoothers(h, ctx, h->coarse != NULL));
    TRY(gs_comm_check(ctx->comm, gs_hierarchy_allocate_vectors(h, ctx)));
    if (h->coarse) TRY(gs_replicated_reserve(h->coarse, ctx, 1));
done:
    return status;
}

gsolve_status gs_hierarchy_build_over_ranks(gs_hierarchy **out, gsolve_context *ctx,
                                            const gsolve_dist_csr *rows, gsolve_type type,
                                            gsolve_dense *near_null, int32_t block,
                                            const gs_amg_options *options)
{
    const int64_t entries = gs_dist_start(rows, rows->rows.count);
    gs_hierarchy *h = NULL;
    double sum = (double)entries;
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, begin(&h, ctx, rows, type, block, options)));
    TRY(gs_comm_sum_on_host(ctx->comm, &sum, 1));
    h->level[0].entries = (int64_t)sum;
    h->level[0].view.near_null = *near_null;
    status = build(h, ctx, options);
    gs_hierarchy_hand_over(out, &h, near_null, status);
done:
    gs_hierarchy_destroy(h, ctx);
    return status;
}

const gsolve_dist_csr *gs_rank_rows_of_levels(const gs_hierarchy *h)
{
    return &h->level[0].ranks->rows;
}

/* --- new values ------------------------------------------------------------------------------- */

static gsolve_status update_level(gs_hierarchy *h, gsolve_context *ctx, int k)
{
    gs_level *l = &h->level[k];
    gs_rank_level *r = l->ranks;
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_check_interrupt(ctx)));
    if (!l->A) return gs_replicated_update(h->coarse, ctx, &r->rows);
    gs_node_rows_update(&r->local, ctx, &r->rows);
    TRY(gsolve_matrix_update_dist(l->A, &r->rows));
    if (l->smoother) TRY(h->smoother->update(l->smoother, ctx, &l->view, &h->options));
    if (k + 1 == h->levels)
        return h->coarse ? gs_replicated_update(h->coarse, ctx, &r->rows) : GSOLVE_OK;
    TRY(gs_transfer_update_over_ranks(l, ctx));
    TRY(gs_dist_galerkin_update(r->RAP, ctx, gs_dist_transpose_csr(r->R), &r->rows, &r->p));
done:
    return status;
}

gsolve_status gs_hierarchy_update_over_ranks(gs_hierarchy *h, gsolve_context *ctx,
                                             const gsolve_dist_csr *rows)
{
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_rank_rows_refill(&h->level[0].ranks->rows, ctx, rows)));
    for (int k = 0; k < h->levels; k++) TRY(update_level(h, ctx, k));
done:
    return status;
}
