/* move.c: copies of compressed rows between the host and the device. */
#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"

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

/* *to = a new copy of a block of bytes at location from. */
static gsolve_status move_block(gsolve_context *ctx, gsolve_location location, const void **to,
                                const void *block, gsolve_location from, size_t bytes)
{
    void *copy = gsolve_alloc(ctx, location, bytes, 1);

    *to = copy;
    return copy ? gsolve_copy(ctx, copy, location, block, from, bytes) : GSOLVE_NO_MEMORY;
}

gsolve_status gs_csr_move(gsolve_csr *out, gsolve_context *ctx, gsolve_location location,
                          const gsolve_csr *A)
{
    gsolve_csr B = *A;
    const void *col = NULL;
    int64_t entries = 0;
    gsolve_status status;

    B.start = B.col = NULL;
    B.value = NULL;
    B.location = location;
    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(move_block(ctx, location, &B.start, A->start, A->location,
                   ((size_t)A->nrows + 1) * gs_offset_size(A->offset)));
    status = move_block(ctx, location, &col, A->col, A->location, (size_t)entries * sizeof *A->col);
    B.col = col;
    if (status != GSOLVE_OK) goto done;
    TRY(move_block(ctx, location, &B.value, A->value, A->location,
                   (size_t)entries * gs_type_size(A->type)));
    *out = B;
    memset(&B, 0, sizeof B);
done:
    gsolve_csr_free(&B, ctx);
    return status;
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
