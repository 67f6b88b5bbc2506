/* storage.c: allocates and frees the arrays of owned compressed rows, and returns them for writing.
 */
#include <limits.h>
#include <string.h>

#include "matrix/csr.h"

gsolve_status gs_csr_new_at(gsolve_csr *csr, gsolve_context *ctx, gsolve_location location,
                            int32_t nrows, int32_t ncols, int64_t entries, gsolve_type type)
{
    gsolve_csr new = {.nrows = nrows, .ncols = ncols, .type = type, .location = location};

    new.offset = entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    new.start = gsolve_alloc(ctx, location, (size_t)nrows + 1, gs_offset_size(new.offset));
    new.col = new.start ? gsolve_alloc(ctx, location, (size_t)entries, sizeof *new.col) : NULL;
    new.value = new.col ? gsolve_alloc(ctx, location, (size_t)entries, gs_type_size(type)) : NULL;
    if (!new.value) {
        gsolve_csr_free(&new, ctx);
        return GSOLVE_NO_MEMORY;
    }
    *csr = new;
    return GSOLVE_OK;
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
