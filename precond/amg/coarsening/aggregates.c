/* aggregates.c: aggregates around roots, by the rules of aggregate_rules.h, and by pairs, by those
 * of pairwise_rules.h; on the CPU and on a GPU. */
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/kernels.h"

#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"
#include "precond/amg/coarsening/pairwise_rules.h"

/* --- around roots ----------------------------------------------------------------------------- */

enum { FIRST_ROUNDS = 8, FURTHER_ROUNDS = 4 }; /* between tests whether a node is undecided */

/* Sets s->state: the roots, in rounds. */
static gsolve_status decide_roots(gsolve_context *ctx, gs_root_search *s,
                                  const gs_aggregate_kernels *kernels, const gs_step_kernels *each)
{
    gs_queue *q = ctx->queue;
    int32_t *flag = s->number, undecided = 1;
    gsolve_status status;

    if (kernels->decide_few && s->nodes <= GS_FEW_NODES) return kernels->decide_few(q, s);
    TRY(each->root(q, GS_BEGIN_ROOTS, s->nodes, s));
    s->round = 1;
    for (int rounds = FIRST_ROUNDS; undecided; rounds = FURTHER_ROUNDS) {
        for (int r = 1; r <= rounds; r++, s->round++) {
            TRY(each->root(q, GS_FIND_MIN1, s->nodes, s));
            if (s->min2) TRY(each->root(q, GS_FIND_MIN2, s->nodes, s));
            TRY(kernels->decide(q, s, r == rounds, flag));
        }
        TRY(gsolve_copy(ctx, &undecided, GSOLVE_HOST, flag, gs_location(ctx), sizeof undecided));
    }
done:
    return status;
}

/* Sets s->joined and *count by mis2. *grow: the other nodes join in two steps. */
static gsolve_status join_roots(gsolve_context *ctx, gs_root_search *s, gsolve_type type,
                                int32_t *count, bool *grow)
{
    const gs_aggregate_kernels *kernels = GS_KERNELS(gs_aggregate, ctx, type);
    const gs_step_kernels *each = GS_KERNELS(gs_step, ctx, type);
    gsolve_status status;

    TRY(kernels->find_growth(ctx, s->nodes, s->degree, grow));
    ALLOC(ctx, GSOLVE_DEVICE, s->state, s->nodes);
    ALLOC(ctx, GSOLVE_DEVICE, s->number, (size_t)s->nodes + 1);
    if (*grow) ALLOC(ctx, GSOLVE_DEVICE, s->min2, s->nodes);
    TRY(decide_roots(ctx, s, kernels, each));
    TRY(each->root(ctx->queue, GS_MARK_ROOTS, (int64_t)s->nodes + 1, s));
    TRY(GS_KERNELS(gs_amg, ctx, type)->number(ctx, s->nodes, s->number, count));
    s->joined = (int32_t *)(*grow ? s->min2 : s->min1);
    TRY(each->root(ctx->queue, GS_JOIN_ROOTS, s->nodes, s));
done:
    return status;
}

gsolve_status gs_aggregate_nodes(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                                 gs_aggregation kind, int32_t *of, int32_t *count)
{
    const gs_aggregate_kernels *kernels = GS_KERNELS(gs_aggregate, ctx, A->type);
    const gs_step_kernels *each = GS_KERNELS(gs_step, ctx, A->type);
    gs_root_search s = {.nodes = G->nodes,
                        .block = G->block,
                        .start = A->start,
                        .wide = A->offset == GSOLVE_O64,
                        .degree = G->degree,
                        .neighbour = G->neighbour,
                        .bits = gs_bits_of_priorities(G->nodes)};
    bool grow = false;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, s.min1, G->nodes);
    s.joined = (int32_t *)s.min1;
    if (kernels->choose_greedily && kind != GS_AGGREGATION_MIS2) {
        *count = kernels->choose_greedily(&s);
    } else {
        TRY(join_roots(ctx, &s, A->type, count, &grow));
    }
    if (grow) { /* the neighbours of these nodes join first */
        s.of = (int32_t *)s.min1;
        TRY(each->root(ctx->queue, GS_JOIN_OTHERS, s.nodes, &s));
        s.joined = s.of;
    }
    s.of = of;
    TRY(each->root(ctx->queue, GS_JOIN_OTHERS, s.nodes, &s));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, s.state);
    gsolve_free(ctx, GSOLVE_DEVICE, s.min1);
    gsolve_free(ctx, GSOLVE_DEVICE, s.min2);
    gsolve_free(ctx, GSOLVE_DEVICE, s.number);
    return status;
}

/* --- by pairs --------------------------------------------------------------------------------- */

/* The connections of A's entries, see gs_strength_kernels. */
static gsolve_status weigh(gsolve_context *ctx, const gsolve_csr *A, int32_t block, float *weight)
{
    const gs_strength_kernels *kernels = GS_KERNELS(gs_strength, ctx, A->type);
    double *d = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_DEVICE, d, A->nrows);
    TRY(kernels->diagonal(ctx, A, d));
    TRY(kernels->weigh(ctx, A, block, d, weight));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, d);
    return status;
}

/* Sets p->number from its marks, and *count, how many there are. */
static gsolve_status number_groups(gsolve_context *ctx, const gs_pairing *p, gs_pairing_step mark,
                                   int32_t *count)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_step, ctx, GSOLVE_F64)->pair(ctx->queue, mark, (int64_t)p->groups + 1, p));
    TRY(GS_KERNELS(gs_amg, ctx, GSOLVE_F64)->number(ctx, p->groups, p->number, count));
done:
    return status;
}

/* One pairing: about halves the number of groups. */
static gsolve_status pair_once(gsolve_context *ctx, gs_pairing *p, const gs_step_kernels *each)
{
    int32_t count = 0;
    gsolve_status status;

    TRY(each->pair(ctx->queue, GS_BEGIN_PAIRING, p->groups, p));
    for (int round = 0; round < GS_PAIRING_ROUNDS; round++) {
        TRY(each->pair(ctx->queue, GS_CHOOSE_MATE, p->groups, p));
        TRY(each->pair(ctx->queue, GS_CONFIRM_MATE, p->groups, p));
    }
    TRY(number_groups(ctx, p, GS_MARK_LEADERS, &count));
    ALLOC(ctx, GSOLVE_DEVICE, p->merged, (size_t)count * 2 * (size_t)p->capacity);
    TRY(each->pair(ctx->queue, GS_MERGE_GROUPS, p->groups, p));
    gsolve_free(ctx, GSOLVE_DEVICE, p->member);
    p->member = p->merged;
    p->merged = NULL;
    p->groups = count;
    p->capacity *= 2;
done:
    return status;
}

static gsolve_status pair_groups(gsolve_context *ctx, gs_pairing *p, int pairings,
                                 const gs_step_kernels *each, int32_t *count)
{
    gsolve_status status;

    TRY(each->pair(ctx->queue, GS_SINGLE_NODES, p->groups, p));
    for (int pairing = 0; pairing < pairings; pairing++) TRY(pair_once(ctx, p, each));
    TRY(each->pair(ctx->queue, GS_CHOOSE_HOST, p->groups, p));
    TRY(number_groups(ctx, p, GS_MARK_HOSTS, count));
    TRY(each->pair(ctx->queue, GS_RENUMBER_NODES, p->groups, p));
done:
    return status;
}

gsolve_status gs_aggregate_pairs(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                                 double strength, int pairings, int32_t *of, int32_t *count)
{
    const int32_t nodes = A->nrows / block;
    gs_pairing p = {.start = A->start,
                    .wide = A->offset == GSOLVE_O64,
                    .col = A->col,
                    .block = block,
                    .groups = nodes,
                    .capacity = 1,
                    .of = of,
                    .strength = strength};
    int64_t entries = 0;
    float *weight = NULL;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    ALLOC(ctx, GSOLVE_DEVICE, weight, entries);
    TRY(weigh(ctx, A, block, weight));
    p.weight = weight;
    ALLOC(ctx, GSOLVE_DEVICE, p.strongest, nodes);
    ALLOC(ctx, GSOLVE_DEVICE, p.choice, nodes);
    ALLOC(ctx, GSOLVE_DEVICE, p.mate, nodes);
    ALLOC(ctx, GSOLVE_DEVICE, p.number, (size_t)nodes + 1);
    ALLOC(ctx, GSOLVE_DEVICE, p.member, nodes);
    TRY(pair_groups(ctx, &p, pairings, GS_KERNELS(gs_step, ctx, A->type), count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, weight);
    gsolve_free(ctx, GSOLVE_DEVICE, p.strongest);
    gsolve_free(ctx, GSOLVE_DEVICE, p.choice);
    gsolve_free(ctx, GSOLVE_DEVICE, p.mate);
    gsolve_free(ctx, GSOLVE_DEVICE, p.number);
    gsolve_free(ctx, GSOLVE_DEVICE, p.member);
    gsolve_free(ctx, GSOLVE_DEVICE, p.merged);
    return status;
}
