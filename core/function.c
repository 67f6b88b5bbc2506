/* function.c: see function.h. */
#include "core/function.h"

/* Calls the function. If it fails without a sentence of its own, the library adds one. */
static gsolve_status call(const gs_function *f, gsolve_context *ctx, gsolve_apply_function *apply,
                          gsolve_dense x, gsolve_dense y)
{
    const char before = ctx->error[0];
    gsolve_status status;

    ctx->error[0] = 0;
    status = apply(ctx, x, y, f->user);
    if ((unsigned)status >= GSOLVE_STATUS_COUNT) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the function of the caller's %s returned %d, which is no gsolve_status",
                           f->what, (int)status);
    }
    if (status != GSOLVE_OK && !ctx->error[0]) {
        return gsolve_fail(ctx, status,
                           "the function of the caller's %s failed (%s); it can give the reason "
                           "by gsolve_fail",
                           f->what, gsolve_status_text(status));
    }
    if (!ctx->error[0]) ctx->error[0] = before;
    return status;
}

gsolve_status gs_function_apply(const gs_function *f, gsolve_context *ctx, bool transposed,
                                gsolve_dense x, gsolve_dense y)
{
    gsolve_apply_function *apply = transposed ? f->apply_transpose : f->apply;
    gsolve_status status = GSOLVE_OK;

    if (!apply && (f->flags & GSOLVE_FUNCTION_SYMMETRIC)) apply = f->apply;
    if (!apply) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the caller's %s has no function apply_transpose; pass one when you "
                           "create it, set GSOLVE_FUNCTION_SYMMETRIC if it is symmetric, or use a "
                           "method that needs no transpose, such as gmres",
                           f->what);
    }
    if (f->flags & GSOLVE_FUNCTION_COLUMNS) return call(f, ctx, apply, x, y);
    for (int32_t c = 0; c < x.ncols && status == GSOLVE_OK; c++) {
        status = call(f, ctx, apply, gs_column_of(x, c), gs_column_of(y, c));
    }
    return status;
}

gsolve_status gs_function_set_flags(gs_function *f, gsolve_context *ctx, unsigned flags,
                                    unsigned allowed)
{
    if (flags & ~allowed) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the flags 0x%x of the caller's %s are unknown or do not suit it; "
                           "allowed are combinations of 0x%x (gsolve_function_flag)",
                           flags & ~allowed, f->what, allowed);
    }
    if (flags & GSOLVE_FUNCTION_DEFINITE) flags |= GSOLVE_FUNCTION_SYMMETRIC;
    f->flags = flags;
    return GSOLVE_OK;
}
