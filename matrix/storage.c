/* storage.c: allocates, copies and frees the arrays of owned compressed rows, on the host and on
 * the device. */
#include <limits.h>
#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"

/* --- arrays ----------------------------------------------------------------------------------- */

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

/* --- entries ---------------------------------------------------------------------------------- */

int32_t gs_row_of_entry(const gsolve_csr *csr, int64_t entry)
{
    int32_t low = 0, high = csr->nrows; /* start[low] <= entry < start[high] */

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(csr, middle) <= entry) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* --- copies ------------------------------------------------------------------------------------
 */

gsolve_status gs_csr_offset(gsolve_context *ctx, const gsolve_csr *csr, int32_t row,
                            int64_t *offset)
{
    const char *at = (const char *)csr->start + (size_t)row * gs_offset_size(csr->offset);
    int32_t narrow = 0;
    gsolve_status status;

    if (csr->offset == GSOLVE_O64) {
        return gsolve_copy(ctx, offset, GSOLVE_HOST, at, csr->location, sizeof *offset);
    }
    status = gsolve_copy(ctx, &narrow, GSOLVE_HOST, at, csr->location, sizeof narrow);
    *offset = narrow;
    return status;
}

gsolve_status gs_csr_entries(gsolve_context *ctx, const gsolve_csr *csr, int64_t *entries)
{
    return gs_csr_offset(ctx, csr, csr->nrows, entries);
}

gsolve_status gs_csr_move_blocks(gsolve_csr *out, gsolve_context *ctx, gsolve_location location,
                                 const gsolve_csr *A, int64_t numbers)
{
    gsolve_csr B = *A;
    int64_t entries = 0;
    gsolve_status status;

    status = gs_csr_entries(ctx, A, &entries);
    if (status != GSOLVE_OK) return status;
    B.location = location;
    TRY(gs_csr_new_arrays(&B, ctx, entries, numbers));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &B);
    TRY(gsolve_copy(ctx, to.start, location, A->start, A->location,
                    ((size_t)A->nrows + 1) * gs_offset_size(A->offset)));
    TRY(gsolve_copy(ctx, to.col, location, A->col, A->location, (size_t)entries * sizeof *A->col));
    TRY(gsolve_copy(ctx, to.value, location, A->value, A->location,
                    (size_t)(entries * numbers) * gs_type_size(A->type)));
    *out = B;
    memset(&B, 0, sizeof B);
done:
    gsolve_csr_free(&B, ctx);
    return status;
}

gsolve_status gs_csr_move(gsolve_csr *B, gsolve_context *ctx, gsolve_location location,
                          const gsolve_csr *A)
{
    return gs_csr_move_blocks(B, ctx, location, A, 1);
}

gsolve_status gs_csr_to_host(const gsolve_csr **csr, gsolve_context *ctx, gsolve_csr *fetched)
{
    gsolve_status status;

    if (!*csr || (*csr)->location == GSOLVE_HOST || gs_location(ctx) == GSOLVE_HOST)
        return GSOLVE_OK;
    status = gs_csr_move(fetched, ctx, GSOLVE_HOST, *csr);
    if (status == GSOLVE_OK) *csr = fetched;
    return status;
}

gsolve_status gs_csr_narrow(gsolve_csr *out, gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr B = *A;
    int32_t *start = NULL;
    int64_t entries;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    if (A->offset == GSOLVE_O64 && entries <= INT32_MAX) {
        ALLOC(ctx, A->location, start, (size_t)A->nrows + 1);
        TRY(gs_inspector(ctx, A)->narrow(ctx, A, start));
        B.start = start;
        B.offset = GSOLVE_O32;
    }
    TRY(gs_csr_move(out, ctx, A->location, &B));
done:
    gsolve_free(ctx, A->location, start);
    return status;
}
