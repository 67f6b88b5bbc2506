/* aggregate_host.c: aggregates on the CPU. Greedy: the nodes in their order, each a root that has
 * no neighbour next to a root; one thread's work, and the nicer aggregates. */
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
#define TO_COME (-2)

/* --- roots ------------------------------------------------------------------------------------ */

#define MOST_GROWN 27 /* nodes of an aggregate that grows */

typedef struct growing {
    int32_t own, size; /* the aggregate; its nodes so far */
    int32_t node[MOST_GROWN];
} growing;

static int32_t count_inside(const graph *g, const int32_t *near, int32_t I, int32_t own)
{
    const int32_t *J = neighbours(g, I);
    int32_t inside = 0;

    for (int32_t e = 0; e < g->G->degree[I]; e++) inside += near[J[e]] == own;
    return inside;
}

/* Adds the free nodes next to node[from ...] that have two neighbours in the aggregate. */
static void grow(const graph *g, growing *a, int32_t from, int32_t *near)
{
    const int32_t old = a->size;

    for (int32_t m = from; m < old; m++) {
        const int32_t I = a->node[m], *J = neighbours(g, I);
        for (int32_t e = 0; e < g->G->degree[I] && a->size < MOST_GROWN; e++) {
            if (near[J[e]] != FREE || count_inside(g, near, J[e], a->own) < 2) continue;
            near[J[e]] = TO_COME; /* does not count as inside yet */
            a->node[a->size++] = J[e];
        }
    }
    for (int32_t m = old; m < a->size; m++) near[a->node[m]] = a->own;
}

static void grow_twice(const graph *g, int32_t root, int32_t own, int32_t *near)
{
    const int32_t degree = g->G->degree[root];
    growing a = {.own = own, .size = degree};

    if (degree > MOST_GROWN) return;
    memcpy(a.node, neighbours(g, root), (size_t)degree * sizeof *a.node);
    grow(g, &a, 0, near);
    grow(g, &a, degree, near);
}

static bool grows(const gs_connections *G)
{
    int64_t total = 0, connected = 0;

    for (int32_t I = 0; I < G->nodes; I++) {
        total += G->degree[I];
        connected += G->degree[I] > 0;
    }
    return gs_stars_grow(total, connected);
}

/* near[I]: the aggregate of the root that has node I, or FREE. Returns how many there are. */
static int32_t choose_greedily(const graph *g, int32_t *near)
{
    const bool stars_grow = grows(g->G);
    int32_t count = 0;

    for (int32_t I = 0; I < g->G->nodes; I++) near[I] = FREE;
    for (int32_t I = 0; I < g->G->nodes; I++) {
        const int32_t degree = g->G->degree[I], *J = neighbours(g, I);
        bool taken = near[I] != FREE || degree == 0;
        for (int32_t e = 0; e < degree && !taken; e++) taken = near[J[e]] != FREE;
        if (taken) continue;
        near[I] = count;
        for (int32_t e = 0; e < degree; e++) near[J[e]] = count;
        if (stars_grow) grow_twice(g, I, count, near);
        count++;
    }
    return count;
}

/* further[I]: what node I and its neighbours have seen. */
static void read_further(const graph *g, const uint32_t *seen, uint32_t *further)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(g->ctx))
    for (int32_t I = 0; I < g->G->nodes; I++) {
        if (further[I] >= GS_FOUND_NONE) continue;
        further[I] = gs_least_found_by_neighbours(g->G->degree[I], neighbours(g, I), seen, seen[I]);
    }
}

/* state: roots are the least in rounds of drawn priorities; further: NULL where two connections
 * between them will do. */
static void decide_roots(const graph *g, uint32_t *state, uint32_t *seen, uint32_t *further)
{
    const uint32_t *looked = further ? further : seen;
    const int32_t nodes = g->G->nodes, *degree = g->G->degree;
    const int bits = gs_bits_of_priorities(nodes), threads = gsolve_threads(g->ctx);
    int64_t undecided = 0;

    for (int32_t I = 0; I < nodes; I++) {
        state[I] = degree[I] ? gs_priority(0, I, bits) : GS_NO_ROOT;
        seen[I] = 0;
        if (further) further[I] = 0;
        undecided += degree[I] > 0;
    }
    for (uint32_t round = 1; undecided > 0; round++) {
        undecided = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int32_t I = 0; I < nodes; I++) {
            if (seen[I] >= GS_FOUND_NONE) continue;
            seen[I] = gs_least_found(degree[I], neighbours(g, I), state, state[I]);
        }
        if (further) read_further(g, seen, further);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : undecided)
        for (int32_t I = 0; I < nodes; I++) {
            if (state[I] == GS_ROOT || state[I] == GS_NO_ROOT) continue;
            state[I] = gs_decide(degree[I], neighbours(g, I), looked, looked[I], state[I]);
            if (state[I] == GS_ROOT || state[I] == GS_NO_ROOT) continue;
            state[I] = gs_priority(round, I, bits);
            undecided++;
        }
    }
}

/* --- aggregates of roots ---------------------------------------------------------------------- */

static int32_t number_roots(int32_t nodes, const uint32_t *state, int32_t *number)
{
    int32_t count = 0;

    for (int32_t I = 0; I < nodes; I++) {
        number[I] = count;
        count += state[I] == GS_ROOT;
    }
    return count;
}

/* near[I] as by choose_greedily. */
static int32_t choose_by_priorities(const graph *g, uint32_t *state, uint32_t *seen,
                                    uint32_t *further, int32_t *near)
{
    const int32_t nodes = g->G->nodes, *degree = g->G->degree;
    int32_t *number = (int32_t *)seen, count;

    decide_roots(g, state, seen, further);
    count = number_roots(nodes, state, number);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(g->ctx))
    for (int32_t I = 0; I < nodes; I++) {
        near[I] = state[I] == GS_ROOT ? number[I]
                                      : gs_root_near(degree[I], neighbours(g, I), state, number);
    }
    return count;
}

/* of: near, and for nodes that no root has the aggregate that most of their neighbours are in. */
static void join(const graph *g, const int32_t *near, int32_t *of)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(g->ctx))
    for (int32_t I = 0; I < g->G->nodes; I++) {
        of[I] = near[I] >= 0 ? near[I] : gs_most_near(g->G->degree[I], neighbours(g, I), near);
    }
}

static gsolve_status aggregate(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                               gs_aggregation kind, int32_t *of, int32_t *count)
{
    const graph g = {ctx, A, G};
    const bool far = kind == GS_AGGREGATION_MIS2 && grows(G);
    uint32_t *state = NULL, *seen = NULL, *further = NULL;
    int32_t *near = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, near, G->nodes);
    if (kind == GS_AGGREGATION_MIS2) {
        ALLOC(ctx, GSOLVE_HOST, state, G->nodes);
        ALLOC(ctx, GSOLVE_HOST, seen, G->nodes);
        if (far) ALLOC(ctx, GSOLVE_HOST, further, G->nodes);
        *count = choose_by_priorities(&g, state, seen, further, near);
    } else {
        *count = choose_greedily(&g, near);
    }
    join(&g, near, of);
    if (far) {
        memcpy(near, of, (size_t)G->nodes * sizeof *near);
        join(&g, near, of);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, state);
    gsolve_free(ctx, GSOLVE_HOST, seen);
    gsolve_free(ctx, GSOLVE_HOST, further);
    gsolve_free(ctx, GSOLVE_HOST, near);
    return status;
}

/* --- their nodes ------------------------------------------------------------------------------ */

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
        if (of[I] >= 0) member[start[of[I]]++] = I; /* start[g] ends as the end of g */
    }
    for (int32_t g = count; g > 0; g--) start[g] = start[g - 1];
    start[0] = 0;
    return GSOLVE_OK;
}

const gs_aggregate_kernels gs_aggregate_host[GSOLVE_TYPE_COUNT] = {{aggregate, list},
                                                                   {aggregate, list}};
