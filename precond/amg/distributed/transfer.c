/* transfer.c: the transfer operators of a level whose rows are distributed over ranks. The rows of
 * P are computed as on one rank, from compact numbers; what is stored and sent has global ones. */
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/distributed/rank_level.h"
#include "precond/amg/kernels.h"

/* --- rows of P -------------------------------------------------------------------------------- */

/* r->P: the aggregates of each node and, if smooth, of its strong neighbours. Local. */
static gsolve_status make_pattern(gs_rank_level *r, gsolve_context *ctx)
{
    const gsolve_csr *A = &r->local.A;
    const gs_prolongator_kernels *kernels = GS_KERNELS(gs_prolongator, ctx, A->type);
    gs_rank_aggregates *sa = &r->sa;
    const int32_t k = sa->G.k;
    int64_t *first = NULL, total = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, first, (size_t)sa->C.nodes + 1);
    TRY(kernels->columns(ctx, A, &sa->C, sa->G.of, sa->damping > 0));
    TRY(GS_KERNELS(gs_amg, ctx, A->type)->sum(ctx, sa->C.nodes, sa->C.degree, first, &total));
    TRY(gs_csr_new(&r->P, ctx, A->nrows, sa->G.count * k, total * sa->C.block * k, A->type));
    TRY(kernels->fill(ctx, A, &sa->C, first, k, &r->P));
done:
    gsolve_free(ctx, GSOLVE_HOST, first);
    return status;
}

/* The values of r->P. Local. */
static gsolve_status evaluate(gs_rank_level *r, gsolve_context *ctx)
{
    const gsolve_csr *A = &r->local.A;

    return GS_KERNELS(gs_smoothed, ctx, A->type)
        ->values(ctx, A, r->sa.bits, &r->sa.G, r->sa.damping, &r->P);
}

/* r->p = the pattern of the own rows of r->P, with the columns of the whole matrix. Local. */
static gsolve_status make_own_rows(gs_rank_level *r, gsolve_context *ctx)
{
    const gs_node_rows *L = &r->local;
    const int32_t k = r->sa.G.k;
    const int64_t begin = gs_start(&r->P, L->first),
                  entries = gs_start(&r->P, L->first + L->count) - begin;
    const gsolve_row_range *range = &r->sa.range;
    int64_t *start, *col;
    gsolve_status status;

    r->p = (gsolve_dist_csr){.rows = r->rows.rows,
                             .cols = {range->first * k, range->total * k, range->count * k},
                             .offset = GSOLVE_O64,
                             .type = r->P.type,
                             .location = GSOLVE_HOST};
    r->p.start = start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)L->count + 1, sizeof *start);
    r->p.col = col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *col);
    r->p.value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, gs_type_size(r->P.type));
    TRY(start && col && r->p.value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    for (int32_t i = 0; i <= L->count; i++) start[i] = gs_start(&r->P, L->first + i) - begin;
    for (int64_t e = 0; e < entries; e++) {
        const int32_t c = r->P.col[begin + e];
        col[e] = gs_column_global(&r->sa.map, c / k) * k + c % k;
    }
done:
    return status;
}

static void copy_own_values(const gs_rank_level *r)
{
    const size_t size = gs_type_size(r->P.type);
    const int64_t entries = gs_dist_start(&r->p, r->p.rows.count);

    if (entries == 0) return;
    memcpy((void *)(uintptr_t)r->p.value,
           (const char *)r->P.value + (size_t)gs_start(&r->P, r->local.first) * size,
           (size_t)entries * size);
}

static void drop_connections(gs_rank_aggregates *sa, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, sa->C.degree);
    gsolve_free(ctx, GSOLVE_HOST, sa->C.neighbour);
    gsolve_free(ctx, GSOLVE_HOST, sa->C.strong);
    sa->C.degree = sa->C.neighbour = NULL;
    sa->C.strong = NULL;
}

/* Local. */
static gsolve_status make_prolongator(gs_rank_level *r, gsolve_context *ctx)
{
    gsolve_status status;

    TRY(make_pattern(r, ctx));
    drop_connections(&r->sa, ctx);
    TRY(evaluate(r, ctx));
    TRY(make_own_rows(r, ctx));
    copy_own_values(r);
done:
    return status;
}

/* --- both operators --------------------------------------------------------------------------- */

gsolve_status gs_coarsening_over_ranks(gs_level *l, gsolve_context *ctx,
                                       const gs_amg_options *options)
{
    gs_rank_level *r = l->ranks;
    gsolve_status status;

    TRY(gs_check_aggregation(ctx, l->view.block, l->view.near_null.ncols));
    TRY(gs_aggregate_over_ranks(&r->sa, ctx, &r->local,
                                gs_aggregation_strength(&l->view, options)));
    r->sa.damping = options->damping;
    TRY(gs_tentative_over_ranks(&r->sa, ctx, &r->local, l->view.near_null, &l->T.near_null));
    l->T.block = r->sa.G.k;
    TRY(gs_comm_check(ctx->comm, make_prolongator(r, ctx)));
    TRY(gs_dist_transpose_new(&r->R, ctx, &r->p));
done:
    return status;
}

gsolve_status gs_rank_level_set_transfer(gs_level *l, gsolve_context *ctx)
{
    const gs_rank_level *r = l->ranks;
    gsolve_status status;

    TRY(gsolve_matrix_create_dist(&l->P, ctx, "csr", &r->p));
    TRY(gsolve_matrix_create_dist(&l->R, ctx, "csr", gs_dist_transpose_csr(r->R)));
done:
    return status;
}

/* Without smoothing, P does not depend on A's values. */
gsolve_status gs_transfer_update_over_ranks(gs_level *l, gsolve_context *ctx)
{
    gs_rank_level *r = l->ranks;
    gsolve_status status;

    if (r->sa.damping == 0) return GSOLVE_OK;
    TRY(gs_comm_check(ctx->comm, evaluate(r, ctx)));
    copy_own_values(r);
    TRY(gs_dist_transpose_update(r->R, ctx, &r->p));
    TRY(gsolve_matrix_update_dist(l->P, &r->p));
    TRY(gsolve_matrix_update_dist(l->R, gs_dist_transpose_csr(r->R)));
done:
    return status;
}

/* --- destruction ------------------------------------------------------------------------------ */

void gs_rank_level_drop(gs_rank_level *r, gsolve_context *ctx, bool all)
{
    gs_rank_aggregates_drop(&r->sa, ctx);
    gsolve_csr_free(&r->P, ctx);
    gsolve_dist_csr_free(&r->p, ctx);
    gs_dist_transpose_drop(&r->R, ctx);
    gs_dist_galerkin_drop(&r->RAP, ctx);
    if (!all) return;
    gs_node_rows_drop(&r->local, ctx);
    if (r->owned) gsolve_dist_csr_free(&r->rows, ctx);
    gsolve_free(ctx, GSOLVE_HOST, r);
}
