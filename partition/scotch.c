/* scotch.c: partitions by Scotch 7 (Pellegrini and Roman 1996). Scotch allocates its memory without
 * counting. A context of Scotch, with one thread and random numbers of its own, makes its results
 * those of the arguments alone. */
#include <stdint.h>
#include <stdio.h>

#include <scotch.h>

#include "core/try.h"
#include "partition/partition.h"

typedef struct numbers { /* of a graph, as Scotch counts */
    SCOTCH_Num *start, *neighbour, *weight, *part;
} numbers;

/* Whether the context, which is initialised, is deterministic with one thread. */
static bool set_context(SCOTCH_Context *context)
{
    return SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
           SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1) == 0 &&
           SCOTCH_contextRandomClone(context) == 0 &&
           SCOTCH_contextThreadSpawn(context, 1, NULL) == 0;
}

/* Whether Scotch has partitioned the graph. */
static bool call_in(SCOTCH_Context *context, const SCOTCH_Graph *graph, SCOTCH_Num parts,
                    SCOTCH_Num *part)
{
    SCOTCH_Graph bound;
    SCOTCH_Strat strategy;
    bool done;

    SCOTCH_contextRandomSeed(context, 1);
    SCOTCH_contextRandomReset(context);
    if (SCOTCH_graphInit(&bound) != 0) return false;
    if (SCOTCH_stratInit(&strategy) != 0) return false;
    done = SCOTCH_contextBindGraph(context, graph, &bound) == 0 &&
           SCOTCH_graphPart(&bound, parts, &strategy, part) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&bound);
    return done;
}

static bool call(const numbers *a, SCOTCH_Num n, SCOTCH_Num parts)
{
    SCOTCH_Context context;
    SCOTCH_Graph graph;
    bool done;

    if (SCOTCH_contextInit(&context) != 0) return false;
    if (SCOTCH_graphInit(&graph) != 0) {
        SCOTCH_contextExit(&context);
        return false;
    }
    done = set_context(&context) &&
           SCOTCH_graphBuild(&graph, 0, n, a->start, NULL, a->weight, NULL, a->start[n],
                             a->neighbour, NULL) == 0 &&
           call_in(&context, &graph, parts, a->part);
    SCOTCH_graphExit(&graph);
    SCOTCH_contextExit(&context);
    return done;
}

static gsolve_status divide(int32_t *part, gsolve_context *ctx, const gs_adjacency *g,
                            const int32_t *weight, int parts)
{
    numbers a = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, a.start, (size_t)g->n + 1);
    ALLOC(ctx, GSOLVE_HOST, a.neighbour, g->start[g->n]);
    ALLOC(ctx, GSOLVE_HOST, a.weight, g->n);
    ALLOC(ctx, GSOLVE_HOST, a.part, g->n);
    for (int32_t i = 0; i <= g->n; i++) a.start[i] = (SCOTCH_Num)g->start[i];
    for (int64_t k = 0; k < g->start[g->n]; k++) a.neighbour[k] = g->neighbour[k];
    for (int32_t i = 0; i < g->n; i++) a.weight[i] = weight[i];
    if (!call(&a, g->n, parts)) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "Scotch could not partition %lld rows; use the partition blocks",
                             (long long)g->n);
    }
    for (int32_t i = 0; i < g->n && status == GSOLVE_OK; i++) part[i] = (int32_t)a.part[i];
done:
    gsolve_free(ctx, GSOLVE_HOST, a.start);
    gsolve_free(ctx, GSOLVE_HOST, a.neighbour);
    gsolve_free(ctx, GSOLVE_HOST, a.weight);
    gsolve_free(ctx, GSOLVE_HOST, a.part);
    return status;
}

const gs_partitioner gs_scotch_partitioner = {.name = "scotch", .divide = divide};
