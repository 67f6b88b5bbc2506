/* metis.c: partitions by METIS (Karypis and Kumar 1998). METIS allocates its memory without
 * counting, and draws random numbers from a seed that is fixed here. */
#include "factor/metis.h"

#include "core/try.h"
#include "factor/signals.h"
#include "partition/partition.h"

enum { MOST_BISECTIONS = 8 }; /* parts up to which METIS's manual advises recursive bisection */

static gsolve_status call(idx_t *part, gsolve_context *ctx, idx_t n, idx_t *start, idx_t *neighbour,
                          idx_t *weight, idx_t parts)
{
    idx_t options[METIS_NOPTIONS], constraints = 1, cut;
    gs_signals signals;
    int result;

    gs_metis_options(options);
    gs_signals_enter(&signals, ctx);
    result = (parts <= MOST_BISECTIONS ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &n, &constraints, start, neighbour, weight, NULL, NULL, &parts, NULL, NULL, options, &cut,
        part);
    gs_signals_leave(&signals, ctx);
    return gs_metis_status(ctx, result, "partition", n, "the partition blocks");
}

static gsolve_status divide(int32_t *part, gsolve_context *ctx, const gs_adjacency *g,
                            const int32_t *weight, int parts)
{
    idx_t *start = NULL, *neighbour = NULL, *weights = NULL, *found = NULL;
    gsolve_status status;

    TRY(gs_metis_graph(&start, &neighbour, ctx, g));
    ALLOC(ctx, GSOLVE_HOST, weights, g->n);
    ALLOC(ctx, GSOLVE_HOST, found, g->n);
    for (int32_t i = 0; i < g->n; i++) weights[i] = weight[i];
    TRY(call(found, ctx, g->n, start, neighbour, weights, parts));
    for (int32_t i = 0; i < g->n; i++) part[i] = (int32_t)found[i];
done:
    gsolve_free(ctx, GSOLVE_HOST, start);
    gsolve_free(ctx, GSOLVE_HOST, neighbour);
    gsolve_free(ctx, GSOLVE_HOST, weights);
    gsolve_free(ctx, GSOLVE_HOST, found);
    return status;
}

const gs_partitioner gs_metis_partitioner = {.name = "metis", .divide = divide};
