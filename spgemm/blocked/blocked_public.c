/* blocked_public.c: the public functions on matrices of dense blocks. */
#include <string.h>

#include "core/try.h"
#include "spgemm/blocked/blocked.h"

static gs_blocked from_public(const gsolve_blocked *B)
{
    const gs_blocked own = {
        {B->nrows, B->ncols, B->start, B->col, B->value, B->offset, B->type, B->location},
        B->height,
        B->width};
    return own;
}

static gsolve_blocked to_public(const gs_blocked *B)
{
    const gsolve_csr *csr = &B->csr;
    const gsolve_blocked given = {csr->nrows,  csr->ncols, csr->start,    csr->col,  csr->value,
                                  csr->offset, csr->type,  csr->location, B->height, B->width};
    return given;
}

void gsolve_blocked_free(gsolve_blocked *B, gsolve_context *ctx)
{
    gs_blocked own;

    if (!B) return;
    own = from_public(B);
    gs_blocked_free(&own, ctx);
    memset(B, 0, sizeof *B);
}

gsolve_status gsolve_blocked_from_csr(gsolve_blocked *out, gsolve_context *ctx, int32_t height,
                                      int32_t width, const gsolve_csr *A)
{
    gs_blocked B;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !A) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_blocked_from_csr: an argument is NULL");
    }
    TRY(gs_blocked_from_csr(&B, ctx, height, width, A));
    *out = to_public(&B);
done:
    return status;
}

gsolve_status gsolve_blocked_to_csr(gsolve_csr *out, gsolve_context *ctx, const gsolve_blocked *B)
{
    gs_blocked own;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_blocked_to_csr: an argument is NULL");
    }
    own = from_public(B);
    return gs_blocked_to_csr(out, ctx, &own);
}

gsolve_status gsolve_blocked_multiply(gsolve_blocked *out, gsolve_context *ctx, const char *spec,
                                      const gsolve_blocked *A, const gsolve_blocked *B)
{
    gs_blocked left, right, C;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !A || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_blocked_multiply: an argument is NULL");
    }
    left = from_public(A);
    right = from_public(B);
    TRY(gs_blocked_multiply(&C, ctx, spec, &left, A == B ? &left : &right));
    *out = to_public(&C);
done:
    return status;
}
