/* metis.c: nested dissection by METIS (Karypis and Kumar 1998). METIS allocates its
 * memory without counting, and draws random numbers from a seed that is fixed here. */
#include "factor/metis.h"

#include "core/try.h"
#include "factor/signals.h"

void gs_metis_options(idx_t options[METIS_NOPTIONS])
{
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
}

gsolve_status gs_metis_graph(idx_t **start, idx_t **neighbour, gsolve_context *ctx,
                             const gs_adjacency *g)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, *start, (size_t)g->n + 1);
    ALLOC(ctx, GSOLVE_HOST, *neighbour, g->start[g->n]);
    for (int32_t i = 0; i <= g->n; i++) (*start)[i] = (idx_t)g->start[i];
    for (int64_t k = 0; k < g->start[g->n]; k++) (*neighbour)[k] = g->neighbour[k];
done:
    return status;
}

gsolve_status gs_metis_status(gsolve_context *ctx, int result, const char *what, idx_t n,
                              const char *instead)
{
    if (result == METIS_OK) return GSOLVE_OK;
    return gsolve_fail(ctx, result == METIS_ERROR_MEMORY ? GSOLVE_NO_MEMORY : GSOLVE_UNSUPPORTED,
                       "METIS could not %s %lld rows (its code is %d); use %s", what, (long long)n,
                       result, instead);
}

static gsolve_status dissect(idx_t *place, idx_t *order, gsolve_context *ctx, idx_t n, idx_t *start,
                             idx_t *neighbour)
{
    idx_t options[METIS_NOPTIONS];
    gs_signals signals;
    int result;

    gs_metis_options(options);
    gs_signals_enter(&signals, ctx);
    result = METIS_NodeND(&n, start, neighbour, NULL, options, order, place);
    gs_signals_leave(&signals, ctx);
    return gs_metis_status(ctx, result, "order", n, "order=amd");
}

gsolve_status gs_order_nd(int32_t *order, gsolve_context *ctx, const gs_adjacency *g)
{
    idx_t *start = NULL, *neighbour = NULL, *found = NULL, *place = NULL;
    gsolve_status status = GSOLVE_OK;

    for (int32_t i = 0; i < g->n; i++) order[i] = i;
    if (g->start[g->n] == 0) return GSOLVE_OK; /* METIS needs an edge */
    TRY(gs_metis_graph(&start, &neighbour, ctx, g));
    ALLOC(ctx, GSOLVE_HOST, found, g->n);
    ALLOC(ctx, GSOLVE_HOST, place, g->n);
    TRY(dissect(place, found, ctx, g->n, start, neighbour));
    for (int32_t i = 0; i < g->n; i++) order[i] = (int32_t)found[i];
done:
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_free(ctx, GSOLVE_HOST, found);
    gsolve_free(ctx, GSOLVE_HOST, neighbour);
    gsolve_free(ctx, GSOLVE_HOST, start);
    return status;
}
