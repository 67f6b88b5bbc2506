/* aggregation.c: strong connections and aggregates of nodes that are distributed over ranks. Every
 * step does what it does on one rank (aggregate_rules.h), for the nodes of this rank; then ghost
 * nodes get the results of their owners. */
#include <string.h>

#include "core/try.h"
#include "precond/amg/distributed/rank_level.h"
#include "precond/amg/kernels.h"

#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"

/* Arrays by compact node, while the aggregates are found. */
typedef struct search {
    gs_root_search s;
    gs_node_norms *norms;
    bool grow;
} search;

static void drop_search(search *w, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, w->s.state);
    gsolve_free(ctx, GSOLVE_HOST, w->s.min1);
    gsolve_free(ctx, GSOLVE_HOST, w->s.min2);
    gsolve_free(ctx, GSOLVE_HOST, w->s.number);
    gsolve_free(ctx, GSOLVE_HOST, w->s.joined);
    gsolve_free(ctx, GSOLVE_HOST, w->norms);
}

/* Local. */
static gsolve_status allocate(search *w, gs_rank_aggregates *sa, gsolve_context *ctx,
                              const gs_node_rows *L)
{
    const size_t nodes = (size_t)L->all;
    gsolve_status status;

    sa->G =
        (gs_aggregates){.nodes = L->all, .block = L->block, .entries = gs_start(&L->A, L->A.nrows)};
    sa->C = (gs_connections){.nodes = L->all, .block = L->block, .entries = sa->G.entries};
    ALLOC(ctx, GSOLVE_HOST, sa->G.of, nodes);
    ALLOC(ctx, GSOLVE_HOST, sa->C.degree, nodes + 1);
    ALLOC(ctx, GSOLVE_HOST, sa->C.neighbour, sa->G.entries);
    ALLOC(ctx, GSOLVE_HOST, sa->C.strong, sa->G.entries);
    ALLOC(ctx, GSOLVE_HOST, sa->bits, sa->G.entries / 32 + 1);
    ALLOC(ctx, GSOLVE_HOST, w->norms, nodes);
    ALLOC(ctx, GSOLVE_HOST, w->s.state, nodes);
    ALLOC(ctx, GSOLVE_HOST, w->s.min1, nodes);
    ALLOC(ctx, GSOLVE_HOST, w->s.min2, nodes);
    ALLOC(ctx, GSOLVE_HOST, w->s.number, nodes + 1);
    ALLOC(ctx, GSOLVE_HOST, w->s.joined, nodes);
done:
    return status;
}

/* --- strong connections ----------------------------------------------------------------------- */

static gsolve_status connect(gs_rank_aggregates *sa, search *w, gsolve_context *ctx,
                             gs_node_rows *L, double strength)
{
    const gs_strength_kernels *kernels = GS_KERNELS(gs_strength, ctx, L->A.type);
    gsolve_status status;

    kernels->measure(ctx, &L->A, &sa->C, w->norms);
    TRY(gs_node_rows_exchange(L, ctx, sizeof *w->norms, w->norms));
    kernels->link(ctx, &L->A, strength, w->norms, &sa->C);
    TRY(GS_KERNELS(gs_amg, ctx, L->A.type)
            ->pack(ctx->queue, sa->G.entries, sa->C.strong, sa->bits));
done:
    return status;
}

/* w->grow: see gs_aggregates_grow */
static gsolve_status find_growth(search *w, gsolve_context *ctx, const gs_node_rows *L)
{
    const int32_t *degree = w->s.degree + L->map.below;
    double number[2] = {0};
    gsolve_status status;

    for (int32_t I = 0; I < L->nodes.count; I++) {
        number[0] += degree[I];
        number[1] += degree[I] > 0;
    }
    TRY(gs_comm_sum_on_host(ctx->comm, number, 2));
    w->grow = gs_aggregates_grow((int64_t)number[0], (int64_t)number[1]);
done:
    return status;
}

/* --- roots ------------------------------------------------------------------------------------ */

/* A step for all nodes; then ghosts get `result`, an array of 32 bits by node, from their owners.
 */
static gsolve_status do_step(gs_root_step step, const gs_root_search *s, gsolve_context *ctx,
                             gs_node_rows *L, void *result)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_step, ctx, L->A.type)->root(ctx->queue, step, s->nodes, s));
    TRY(gs_node_rows_exchange(L, ctx, sizeof(int32_t), result));
done:
    return status;
}

/* Whether a node of any rank is undecided. */
static gsolve_status is_undecided(const gs_root_search *s, gsolve_context *ctx,
                                  const gs_node_rows *L, bool *undecided)
{
    const uint32_t *state = s->state + L->map.below;
    double left = 0;
    gsolve_status status;

    for (int32_t I = 0; I < L->nodes.count; I++) {
        left += state[I] != GS_ROOT && state[I] != GS_NO_ROOT;
    }
    TRY(gs_comm_sum_on_host(ctx->comm, &left, 1));
    *undecided = left > 0;
done:
    return status;
}

/* Sets s->state. */
static gsolve_status decide_roots(gs_root_search *s, gsolve_context *ctx, gs_node_rows *L)
{
    const gs_aggregate_kernels *kernels = GS_KERNELS(gs_aggregate, ctx, L->A.type);
    int32_t ignored;
    bool undecided = true;
    gsolve_status status;

    TRY(do_step(GS_BEGIN_ROOTS, s, ctx, L, s->state));
    for (s->round = 1; undecided; s->round++) {
        TRY(do_step(GS_FIND_MIN1, s, ctx, L, s->min1));
        if (s->min2) TRY(do_step(GS_FIND_MIN2, s, ctx, L, s->min2));
        TRY(kernels->decide(ctx->queue, s, true, &ignored));
        TRY(gs_node_rows_exchange(L, ctx, sizeof *s->state, s->state));
        TRY(is_undecided(s, ctx, L, &undecided));
    }
done:
    return status;
}

/* Numbers the roots of all ranks in their order: s->number, sa->range. */
static gsolve_status number_roots(gs_rank_aggregates *sa, gs_root_search *s, gsolve_context *ctx,
                                  gs_node_rows *L)
{
    const int32_t begin = L->map.below, end = begin + L->nodes.count;
    int32_t count = 0;
    gsolve_row_range *range = &sa->range;
    gsolve_status status;

    for (int32_t I = begin; I < end; I++) count += s->state[I] == GS_ROOT;
    range->count = count;
    TRY(gs_comm_place(ctx->comm, count, &range->first, &range->total));
    if (range->total > INT32_MAX) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "amg: a level would have %lld aggregates; at most 2^31 - 1 are "
                             "supported",
                             (long long)range->total);
        goto done;
    }
    count = (int32_t)range->first;
    for (int32_t I = begin; I < end; I++) s->number[I] = s->state[I] == GS_ROOT ? count++ : -1;
    TRY(gs_node_rows_exchange(L, ctx, sizeof *s->number, s->number));
done:
    return status;
}

/* sa->G.of = the number of each node's aggregate, counted over all ranks; -1: none. */
static gsolve_status find_aggregates(gs_rank_aggregates *sa, search *w, gsolve_context *ctx,
                                     gs_node_rows *L)
{
    gs_root_search *s = &w->s;
    uint32_t *min2 = s->min2;
    gsolve_status status;

    TRY(find_growth(w, ctx, L));
    if (!w->grow) s->min2 = NULL;
    status = decide_roots(s, ctx, L);
    s->min2 = min2;
    TRY(status);
    TRY(number_roots(sa, s, ctx, L));
    TRY(do_step(GS_JOIN_ROOTS, s, ctx, L, s->joined));
    s->of = sa->G.of;
    if (w->grow) { /* the neighbours of these nodes join first */
        s->of = (int32_t *)s->min1;
        TRY(do_step(GS_JOIN_OTHERS, s, ctx, L, s->of));
        memcpy(s->joined, s->of, (size_t)L->all * sizeof *s->of);
        s->of = sa->G.of;
    }
    TRY(do_step(GS_JOIN_OTHERS, s, ctx, L, s->of));
done:
    return status;
}

/* Replaces the numbers in G.of by compact ones. Local. */
static gsolve_status number_aggregates(gs_rank_aggregates *sa, gsolve_context *ctx)
{
    int64_t *number, count = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, number, sa->G.nodes);
    for (int32_t I = 0; I < sa->G.nodes; I++) {
        if (sa->G.of[I] >= 0) number[count++] = sa->G.of[I];
    }
    TRY(gs_column_map_new(&sa->map, ctx, sa->range, count, number));
    sa->G.count = gs_column_count(&sa->map);
    for (int32_t I = 0; I < sa->G.nodes; I++) {
        if (sa->G.of[I] >= 0) sa->G.of[I] = gs_column_compact(&sa->map, sa->G.of[I]);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, number);
    return status;
}

gsolve_status gs_aggregate_over_ranks(gs_rank_aggregates *sa, gsolve_context *ctx, gs_node_rows *L,
                                      double strength)
{
    const int64_t nodes = L->nodes.total < INT32_MAX ? L->nodes.total : INT32_MAX;
    search w = {.s = {.nodes = L->all,
                      .block = L->block,
                      .start = L->A.start,
                      .wide = L->A.offset == GSOLVE_O64,
                      .first = L->nodes.first - L->map.below,
                      .bits = gs_bits_of_priorities((int32_t)nodes)}};
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, allocate(&w, sa, ctx, L)));
    w.s.degree = sa->C.degree;
    w.s.neighbour = sa->C.neighbour;
    TRY(gs_node_rows_reserve(L, ctx, sizeof *w.norms));
    TRY(connect(sa, &w, ctx, L, strength));
    TRY(find_aggregates(sa, &w, ctx, L));
    TRY(gs_comm_check(ctx->comm, number_aggregates(sa, ctx)));
done:
    drop_search(&w, ctx);
    return status;
}

void gs_rank_aggregates_drop(gs_rank_aggregates *sa, gsolve_context *ctx)
{
    gs_column_map_drop(&sa->map, ctx);
    gsolve_free(ctx, GSOLVE_HOST, sa->G.of);
    gsolve_free(ctx, GSOLVE_HOST, sa->C.degree);
    gsolve_free(ctx, GSOLVE_HOST, sa->C.neighbour);
    gsolve_free(ctx, GSOLVE_HOST, sa->C.strong);
    gsolve_free(ctx, GSOLVE_HOST, sa->Q);
    gsolve_free(ctx, GSOLVE_HOST, sa->bits);
    memset(sa, 0, sizeof *sa);
}
