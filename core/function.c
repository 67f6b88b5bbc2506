/* function.c: see function.h. */
#include "core/function.h"

#include <stdio.h>

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

/* Writes the names of the flags, separated by commas. */
static void name_flags(unsigned flags, char *text, size_t size)
{
    static const char *const names[] = {"COLUMNS", "SYMMETRIC", "DEFINITE", "VARIABLE",
                                        "NO_CAPTURE"};
    size_t used = 0;

    *text = 0;
    for (unsigned bit = 0; bit < sizeof names / sizeof *names; bit++) {
        if (flags & 1U << bit && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%sGSOLVE_FUNCTION_%s",
                                     used ? ", " : "", names[bit]);
        }
    }
}

gsolve_status gs_function_set_flags(gs_function *f, gsolve_context *ctx, unsigned flags,
                                    unsigned allowed)
{
    if (flags & ~allowed) {
        char names[200];
        name_flags(allowed, names, sizeof names);
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the flags 0x%x are unknown or do not suit the caller's %s, which can "
                           "have %s",
                           flags & ~allowed, f->what, names);
    }
    if (flags & GSOLVE_FUNCTION_DEFINITE) flags |= GSOLVE_FUNCTION_SYMMETRIC;
    f->flags = flags;
    return GSOLVE_OK;
}
