/* aggregate_host.c: aggregates on the CPU. greedy: the nodes in their order; a node becomes a root
 * if none of its neighbours is in an aggregate. One thread does this, and the aggregates are better
 * than those of mis2. */
#include <string.h>

#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"

typedef struct graph {
    gsolve_context *ctx;
    const gsolve_csr *A;
    const gs_connections *G;
} graph;

static const int32_t *neighbours(const graph *g, int32_t I)
{
    return g->G->neighbour + gs_start(g->A, I * g->G->block);
}

#define FREE    (-1)
#define PENDING (-2)

/* --- roots ------------------------------------------------------------------------------------ */

#define MAX_GROWN 27 /* the largest size of an aggregate that grows */

typedef struct growing {
    int32_t own, size; /* the aggregate, and its number of nodes so far */
    int32_t node[MAX_GROWN];
} growing;

static int32_t count_inside(const graph *g, const int32_t *root_aggregate, int32_t I, int32_t own)
{
    const int32_t *J = neighbours(g, I);
    int32_t inside = 0;

    for (int32_t e = 0; e < g->G->degree[I]; e++) inside += root_aggregate[J[e]] == own;
    return inside;
}

/* Adds the free neighbours of node[from], node[from + 1], ... that have two neighbours in the
 * aggregate. */
static void grow(const graph *g, growing *a, int32_t from, int32_t *root_aggregate)
{
    const int32_t old = a->size;

    for (int32_t m = from; m < old; m++) {
        const int32_t I = a->node[m], *J = neighbours(g, I);
        for (int32_t e = 0; e < g->G->degree[I] && a->size < MAX_GROWN; e++) {
            if (root_aggregate[J[e]] != FREE || count_inside(g, root_aggregate, J[e], a->own) < 2)
                continue;
            root_aggregate[J[e]] = PENDING; /* does not count as a member yet */
            a->node[a->size++] = J[e];
        }
    }
    for (int32_t m = old; m < a->size; m++) root_aggregate[a->node[m]] = a->own;
}

static void grow_twice(const graph *g, int32_t root, int32_t own, int32_t *root_aggregate)
{
    const int32_t degree = g->G->degree[root];
    growing a = {.own = own, .size = degree};

    if (degree > MAX_GROWN) return;
    memcpy(a.node, neighbours(g, root), (size_t)degree * sizeof *a.node);
    grow(g, &a, 0, root_aggregate);
    grow(g, &a, degree, root_aggregate);
}

static bool grows(const gs_connections *G)
{
    int64_t total = 0, connected = 0;

    for (int32_t I = 0; I < G->nodes; I++) {
        total += G->degree[I];
        connected += G->degree[I] > 0;
    }
    return gs_aggregates_grow(total, connected);
}

/* root_aggregate[I] = the aggregate whose root took node I, or FREE. Returns the number of
 * aggregates. */
static int32_t choose_greedily(const graph *g, int32_t *root_aggregate)
{
    const bool stars_grow = grows(g->G);
    int32_t count = 0;

    for (int32_t I = 0; I < g->G->nodes; I++) root_aggregate[I] = FREE;
    for (int32_t I = 0; I < g->G->nodes; I++) {
        const int32_t degree = g->G->degree[I], *J = neighbours(g, I);
        bool excluded = root_aggregate[I] != FREE || degree == 0;
        for (int32_t e = 0; e < degree && !excluded; e++) excluded = root_aggregate[J[e]] != FREE;
        if (excluded) continue;
        root_aggregate[I] = count;
        for (int32_t e = 0; e < degree; e++) root_aggregate[J[e]] = count;
        if (stars_grow) grow_twice(g, I, count, root_aggregate);
        count++;
    }
    return count;
}

/* min2[I] = the smallest min1 of node I and its neighbours. */
static void find_min2(const graph *g, const uint32_t *min1, uint32_t *min2)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(g->ctx))
    for (int32_t I = 0; I < g->G->nodes; I++) {
        if (min2[I] >= GS_NEAR_NONE) continue;
        min2[I] = gs_min_of_minima(g->G->degree[I], neighbours(g, I), min1, min1[I]);
    }
}

/* Finds the roots in rounds: in each round the nodes with the smallest priority become roots. min2:
 * NULL if roots may be three connections apart; else they are four apart. */
static void decide_roots(const graph *g, uint32_t *state, uint32_t *min1, uint32_t *min2)
{
    const uint32_t *last_min = min2 ? min2 : min1;
    const int32_t nodes = g->G->nodes, *degree = g->G->degree;
    const int bits = gs_bits_of_priorities(nodes), threads = gsolve_threads(g->ctx);
    int64_t undecided = 0;

    for (int32_t I = 0; I < nodes; I++) {
        state[I] = degree[I] ? gs_priority(0, I, bits) : GS_NO_ROOT;
        min1[I] = 0;
        if (min2) min2[I] = 0;
        undecided += degree[I] > 0;
    }
    for (uint32_t round = 1; undecided > 0; round++) {
        undecided = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int32_t I = 0; I < nodes; I++) {
            if (min1[I] >= GS_NEAR_NONE) continue;
            min1[I] = gs_min_of_states(degree[I], neighbours(g, I), state, state[I]);
        }
        if (min2) find_min2(g, min1, min2);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : undecided)
        for (int32_t I = 0; I < nodes; I++) {
            if (state[I] == GS_ROOT || state[I] == GS_NO_ROOT) continue;
            state[I] =
                gs_decide_state(degree[I], neighbours(g, I), last_min, last_min[I], state[I]);
            if (state[I] == GS_ROOT || state[I] == GS_NO_ROOT) continue;
            state[I] = gs_priority(round, I, bits);
            undecided++;
        }
    }
}

/* --- aggregates from roots -------------------------------------------------------------------- */

static int32_t number_roots(int32_t nodes, const uint32_t *state, int32_t *number)
{
    int32_t count = 0;

    for (int32_t I = 0; I < nodes; I++) {
        number[I] = count;
        count += state[I] == GS_ROOT;
    }
    return count;
}

/* root_aggregate as in choose_greedily, by mis2. */
static int32_t choose_by_priorities(const graph *g, uint32_t *state, uint32_t *min1, uint32_t *min2,
                                    int32_t *root_aggregate)
{
    const int32_t nodes = g->G->nodes, *degree = g->G->degree;
    int32_t *number = (int32_t *)min1, count;

    decide_roots(g, state, min1, min2);
    count = number_roots(nodes, state, number);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(g->ctx))
    for (int32_t I = 0; I < nodes; I++) {
        root_aggregate[I] = state[I] == GS_ROOT
                                ? number[I]
                                : gs_adjacent_root(degree[I], neighbours(g, I), state, number);
    }
    return count;
}

/* of = root_aggregate; the other nodes join the aggregate of most of their neighbours. */
static void join(const graph *g, const int32_t *root_aggregate, int32_t *of)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(g->ctx))
    for (int32_t I = 0; I < g->G->nodes; I++) {
        of[I] = root_aggregate[I] >= 0
                    ? root_aggregate[I]
                    : gs_majority_aggregate(g->G->degree[I], neighbours(g, I), root_aggregate);
    }
}

static gsolve_status aggregate(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                               gs_aggregation kind, int32_t *of, int32_t *count)
{
    const graph g = {ctx, A, G};
    const bool grow = kind == GS_AGGREGATION_MIS2 && grows(G);
    uint32_t *state = NULL, *min1 = NULL, *min2 = NULL;
    int32_t *root_aggregate = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, root_aggregate, G->nodes);
    if (kind == GS_AGGREGATION_MIS2) {
        ALLOC(ctx, GSOLVE_HOST, state, G->nodes);
        ALLOC(ctx, GSOLVE_HOST, min1, G->nodes);
        if (grow) ALLOC(ctx, GSOLVE_HOST, min2, G->nodes);
        *count = choose_by_priorities(&g, state, min1, min2, root_aggregate);
    } else {
        *count = choose_greedily(&g, root_aggregate);
    }
    join(&g, root_aggregate, of);
    if (grow) {
        memcpy(root_aggregate, of, (size_t)G->nodes * sizeof *root_aggregate);
        join(&g, root_aggregate, of);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, state);
    gsolve_free(ctx, GSOLVE_HOST, min1);
    gsolve_free(ctx, GSOLVE_HOST, min2);
    gsolve_free(ctx, GSOLVE_HOST, root_aggregate);
    return status;
}

/* --- nodes of each aggregate ------------------------------------------------------------------ */

static gsolve_status list(gsolve_context *ctx, int32_t nodes, const int32_t *of, int32_t count,
                          int32_t *start, int32_t *member)
{
    (void)ctx;
    memset(start, 0, ((size_t)count + 1) * sizeof *start);
    for (int32_t I = 0; I < nodes; I++) {
        if (of[I] >= 0) start[of[I] + 1]++;
    }
    for (int32_t g = 0; g < count; g++) start[g + 1] += start[g];
    for (int32_t I = 0; I < nodes; I++) {
        if (of[I] >= 0) member[start[of[I]]++] = I; /* start[g] becomes the end of g */
    }
    for (int32_t g = count; g > 0; g--) start[g] = start[g - 1];
    start[0] = 0;
    return GSOLVE_OK;
}

const gs_aggregate_kernels gs_aggregate_host[GSOLVE_TYPE_COUNT] = {{aggregate, list},
                                                                   {aggregate, list}};
