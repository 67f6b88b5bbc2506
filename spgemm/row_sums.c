/* row_sums.c: the memory of the sums of a row. */
#include "spgemm/row_sums.h"

#include <string.h>

#include "core/try.h"

gsolve_status gs_row_new_lists(gs_row_sums *g, gsolve_context *ctx, int32_t longest,
                               gsolve_type type)
{
    const size_t capacity = (size_t)longest + GS_RANKED;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, g->list, capacity);
    memset(g->list, 0, GS_RANKED * sizeof *g->list); /* a sort by rank reads behind a short row */
    g->sum = gsolve_alloc(ctx, GSOLVE_HOST, capacity, gs_type_size(type));
    TRY(g->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

void gs_row_drop_lists(gs_row_sums *g, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, g->list);
    gsolve_free(ctx, GSOLVE_HOST, g->sum);
    gsolve_free(ctx, GSOLVE_HOST, g->bit);
    g->list = NULL;
    g->sum = NULL;
    g->bit = NULL;
}
