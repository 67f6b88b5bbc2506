/* function.c: a preconditioner whose applications a function of the caller computes. */
#include "core/function.h"

#include <string.h>

#include "core/try.h"
#include "precond/handle.h"

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return r.nrows > 0 ? gs_function_apply(self, ctx, false, r, z) : GSOLVE_OK;
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return r.nrows > 0 ? gs_function_apply(self, ctx, true, r, z) : GSOLVE_OK;
}

static bool is_variable(const void *self)
{
    return ((const gs_function *)self)->flags & GSOLVE_FUNCTION_VARIABLE;
}

static bool is_recordable(const void *self)
{
    return !(((const gs_function *)self)->flags & GSOLVE_FUNCTION_NO_CAPTURE);
}

/* The handle has its self before it has this kind, so there is no build. */
static const gsolve_precond_kind function_kind = {
    .plugin = {"function", "a function of the caller", NULL, 0},
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .is_variable = is_variable,
};

static const gs_precond_extension extension = {
    .of_any_matrix = true,
    .update_call = "gsolve_precond_update_function",
    .is_recordable = is_recordable,
};

gsolve_status gsolve_precond_create_function(gsolve_precond **out, gsolve_context *ctx, int32_t n,
                                             gsolve_type type, gsolve_apply_function *function,
                                             gsolve_apply_function *transpose, void *user)
{
    gsolve_precond *M = NULL;
    gs_function *f;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !function || n < 0 || (unsigned)type >= GSOLVE_TYPE_COUNT) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_precond_create_function: M or apply is NULL, n (%d) is "
                           "negative, or the type (%d) is neither GSOLVE_F32 nor GSOLVE_F64",
                           n, (int)type);
    }
    TRY(gs_precond_new(&M, ctx, "function"));
    M->kind = &function_kind;
    M->extension = &extension;
    M->n = n;
    M->type = type;
    M->version = 1;
    ALLOC(ctx, GSOLVE_HOST, f, 1);
    M->self = f;
    M->bytes = sizeof *f;
    *f = (gs_function){"preconditioner", function, transpose, user, 0};
    *out = M;
    M = NULL;
done:
    gsolve_precond_destroy(&M);
    return status;
}

/* *f = M's function. */
static gsolve_status get_function(gsolve_precond *M, const char *caller, gs_function **f)
{
    if (!M) return GSOLVE_BAD_ARGUMENT;
    if (M->kind != &function_kind) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "%s needs a preconditioner of gsolve_precond_create_function, and this "
                           "one is '%s'",
                           caller, M->spec);
    }
    *f = M->self;
    return GSOLVE_OK;
}

gsolve_status gsolve_precond_update_function(gsolve_precond *M, void *user)
{
    gs_function *f = NULL;
    gsolve_status status;

    TRY(get_function(M, "gsolve_precond_update_function", &f));
    f->user = user;
    M->version++;
done:
    return status;
}

gsolve_status gsolve_precond_set_flags(gsolve_precond *M, unsigned flags)
{
    gs_function *f = NULL;
    gsolve_status status;

    TRY(get_function(M, "gsolve_precond_set_flags", &f));
    TRY(gs_function_set_flags(f, M->ctx, flags,
                              GSOLVE_FUNCTION_COLUMNS | GSOLVE_FUNCTION_SYMMETRIC |
                                  GSOLVE_FUNCTION_VARIABLE | GSOLVE_FUNCTION_NO_CAPTURE));
    M->version++; /* a recorded graph holds what the function did before */
done:
    return status;
}
