/* metis.c: nested dissection by METIS (Karypis and Kumar 1998). METIS allocates its
 * memory without counting, and draws random numbers from a seed that is fixed here. */
#include <metis.h>
#include <string.h>

#include "core/try.h"
#include "factor/ordering.h"
#include "factor/signals.h"

static gsolve_status dissect(idx_t *place, idx_t *order, gsolve_context *ctx, idx_t n, idx_t *start,
                             idx_t *neighbour)
{
    idx_t options[METIS_NOPTIONS];
    gs_signals signals;
    int result;

    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
    gs_signals_enter(&signals, ctx);
    result = METIS_NodeND(&n, start, neighbour, NULL, options, order, place);
    gs_signals_leave(&signals, ctx);
    if (result == METIS_OK) return GSOLVE_OK;
    return gsolve_fail(ctx, result == METIS_ERROR_MEMORY ? GSOLVE_NO_MEMORY : GSOLVE_UNSUPPORTED,
                       "METIS could not order %lld rows (its code is %d); use order=amd",
                       (long long)n, result);
}

gsolve_status gs_order_nd(int32_t *order, gsolve_context *ctx, const gs_adjacency *g)
{
    idx_t *start = NULL, *neighbour = NULL, *found = NULL, *place = NULL;
    gsolve_status status = GSOLVE_OK;

    for (int32_t i = 0; i < g->n; i++) order[i] = i;
    if (g->start[g->n] == 0) return GSOLVE_OK; /* METIS needs an edge */
    ALLOC(ctx, GSOLVE_HOST, start, (size_t)g->n + 1);
    ALLOC(ctx, GSOLVE_HOST, neighbour, g->start[g->n]);
    ALLOC(ctx, GSOLVE_HOST, found, g->n);
    ALLOC(ctx, GSOLVE_HOST, place, g->n);
    for (int32_t i = 0; i <= g->n; i++) start[i] = (idx_t)g->start[i];
    for (int64_t k = 0; k < g->start[g->n]; k++) neighbour[k] = g->neighbour[k];
    TRY(dissect(place, found, ctx, g->n, start, neighbour));
    for (int32_t i = 0; i < g->n; i++) order[i] = (int32_t)found[i];
done:
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_free(ctx, GSOLVE_HOST, found);
    gsolve_free(ctx, GSOLVE_HOST, neighbour);
    gsolve_free(ctx, GSOLVE_HOST, start);
    return status;
}
