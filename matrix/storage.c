/* storage.c: allocates and frees the arrays of owned compressed rows, and returns them for writing.
 */
#include <limits.h>
#include <string.h>

#include "matrix/csr.h"

gsolve_status gs_csr_new_arrays(gsolve_csr *csr, gsolve_context *ctx, int64_t entries,
                                int64_t numbers)
{
    const gsolve_location where = csr->location;
    const size_t values = (size_t)entries * (size_t)numbers;

    csr->start = gsolve_alloc(ctx, where, (size_t)csr->nrows + 1, gs_offset_size(csr->offset));
    csr->col = csr->start ? gsolve_alloc(ctx, where, (size_t)entries, sizeof *csr->col) : NULL;
    csr->value = csr->col ? gsolve_alloc(ctx, where, values, gs_type_size(csr->type)) : NULL;
    if (csr->value) return GSOLVE_OK;
    gsolve_csr_free(csr, ctx);
    return GSOLVE_NO_MEMORY;
}

gsolve_status gs_csr_new_at(gsolve_csr *csr, gsolve_context *ctx, gsolve_location location,
                            int32_t nrows, int32_t ncols, int64_t entries, gsolve_type type)
{
    gsolve_csr new = {.nrows = nrows, .ncols = ncols, .type = type, .location = location};
    gsolve_status status;

    new.offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    status = gs_csr_new_arrays(&new, ctx, entries, 1);
    if (status == GSOLVE_OK) *csr = new;
    return status;
}

gsolve_status gs_csr_new(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                         int64_t entries, gsolve_type type)
{
    return gs_csr_new_at(csr, ctx, GSOLVE_HOST, nrows, ncols, entries, type);
}

gs_csr_arrays gs_csr_arrays_of(const gsolve_context *ctx, const gsolve_csr *csr)
{
    return (gs_csr_arrays){*csr, gs_owned_block(ctx, csr->start), gs_owned_block(ctx, csr->col),
                           gs_owned_block(ctx, csr->value)};
}

void gsolve_csr_free(gsolve_csr *csr, gsolve_context *ctx)
{
    if (!csr) return;
    gsolve_free(ctx, csr->location, csr->start);
    gsolve_free(ctx, csr->location, csr->col);
    gsolve_free(ctx, csr->location, csr->value);
    memset(csr, 0, sizeof *csr);
}
