/* aggregate_host.c: aggregates on the CPU. greedy: the nodes in their order; a node becomes a root
 * if none of its neighbours is in an aggregate. One thread does this, and the aggregates are better
 * than those of mis2. */
#include <string.h>

#include "precond/amg/coarsening/aggregation.h"

#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"

#define FREE    (-1)
#define PENDING (-2)

/* --- roots ------------------------------------------------------------------------------------ */

#define MAX_GROWN 27 /* the largest size of an aggregate that grows */

typedef struct growing {
    int32_t own, size; /* the aggregate, and its number of nodes so far */
    int32_t node[MAX_GROWN];
} growing;

static int32_t count_inside(const gs_root_search *s, int32_t I, int32_t own)
{
    const int32_t degree = s->degree[I], *J = gs_neighbours(s, I), *joined = s->joined;
    int32_t inside = 0;

    for (int32_t e = 0; e < degree; e++) inside += joined[J[e]] == own;
    return inside;
}

/* Adds the free neighbours of node[from], node[from + 1], ... that have two neighbours in the
 * aggregate. */
static void grow(const gs_root_search *s, growing *a, int32_t from)
{
    const int32_t old = a->size;
    int32_t *joined = s->joined;

    for (int32_t m = from; m < old; m++) {
        const int32_t I = a->node[m], degree = s->degree[I], *J = gs_neighbours(s, I);
        for (int32_t e = 0; e < degree && a->size < MAX_GROWN; e++) {
            if (joined[J[e]] != FREE || count_inside(s, J[e], a->own) < 2) continue;
            joined[J[e]] = PENDING; /* does not count as a member yet */
            a->node[a->size++] = J[e];
        }
    }
    for (int32_t m = old; m < a->size; m++) joined[a->node[m]] = a->own;
}

static void grow_twice(const gs_root_search *s, int32_t root, int32_t own)
{
    const int32_t degree = s->degree[root];
    growing a = {.own = own, .size = degree};

    if (degree > MAX_GROWN) return;
    memcpy(a.node, gs_neighbours(s, root), (size_t)degree * sizeof *a.node);
    grow(s, &a, 0);
    grow(s, &a, degree);
}

static gsolve_status find_growth(gsolve_context *ctx, int32_t nodes, const int32_t *degree,
                                 bool *grow)
{
    int64_t total = 0, connected = 0;

    (void)ctx;
    for (int32_t I = 0; I < nodes; I++) {
        total += degree[I];
        connected += degree[I] > 0;
    }
    *grow = gs_aggregates_grow(total, connected);
    return GSOLVE_OK;
}

static int32_t choose_greedily(const gs_root_search *s)
{
    const int32_t nodes = s->nodes;
    int32_t *joined = s->joined, count = 0;
    bool stars_grow;

    find_growth(NULL, nodes, s->degree, &stars_grow);
    for (int32_t I = 0; I < nodes; I++) joined[I] = FREE;
    for (int32_t I = 0; I < nodes; I++) {
        const int32_t degree = s->degree[I], *J = gs_neighbours(s, I);
        bool excluded = joined[I] != FREE || degree == 0;
        for (int32_t e = 0; e < degree && !excluded; e++) excluded = joined[J[e]] != FREE;
        if (excluded) continue;
        joined[I] = count;
        for (int32_t e = 0; e < degree; e++) joined[J[e]] = count;
        if (stars_grow) grow_twice(s, I, count);
        count++;
    }
    return count;
}

static gsolve_status decide(gs_queue *q, const gs_root_search *s, bool last, int32_t *undecided)
{
    int64_t left = 0;

    (void)last;
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) reduction(+ : left)
    for (int32_t I = 0; I < s->nodes; I++) left += gs_decide_node(s, I);
    *undecided = left > 0;
    return GSOLVE_OK;
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

const gs_aggregate_kernels GS_LEVEL(gs_aggregate_host)[GSOLVE_TYPE_COUNT] = {
    {find_growth, choose_greedily, decide, NULL, list},
    {find_growth, choose_greedily, decide, NULL, list}};
