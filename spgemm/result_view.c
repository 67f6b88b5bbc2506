/* result_view.c: the result C of a product handle at the caller's location. */
#include "spgemm/result_view.h"

#include <string.h>

#include "core/try.h"

gsolve_status gs_view_result(gs_result_view *s, gsolve_context *ctx, const gsolve_csr *C,
                             gsolve_csr *view)
{
    int64_t entries;
    gsolve_status status = GSOLVE_OK;

    if (C->location == s->location) {
        *view = *C;
        return GSOLVE_OK;
    }
    if (!s->copy.start) {
        TRY(gs_csr_move(&s->copy, ctx, s->location, C));
    } else if (s->stale) {
        TRY(gs_csr_entries(ctx, &s->copy, &entries));
        TRY(gsolve_copy(ctx, gs_owned_block(ctx, s->copy.value), s->location, C->value, C->location,
                        (size_t)entries * gs_type_size(C->type)));
    }
    s->stale = false;
    *view = s->copy;
done:
    return status;
}

void gs_describe_product(const gs_product *P, int64_t entries, gsolve_product_info *info)
{
    memset(info, 0, sizeof *info);
    info->method = P->stats.by;
    info->nrows = P->C.csr.nrows;
    info->ncols = P->C.csr.ncols;
    info->products = P->stats.products;
    info->entries = entries;
    info->compression = entries > 0 ? (double)info->products / (double)entries : 0;
    info->bands = P->stats.bands;
    info->peak = P->stats.peak;
}
