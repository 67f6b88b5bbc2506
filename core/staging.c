/* staging.c: see staging.h. */
#include "core/staging.h"

static size_t bytes_of(gsolve_dense v)
{
    const int64_t lines = v.layout == GSOLVE_ROW_MAJOR ? v.nrows : v.ncols;
    const int64_t line = v.layout == GSOLVE_ROW_MAJOR ? v.ncols : v.nrows;
    return (size_t)(lines > 0 ? (lines - 1) * v.stride + line : 0) * gs_type_size(v.type);
}

gsolve_status gs_stage_in_at(gs_stage *s, gsolve_context *ctx, gsolve_location location,
                             gsolve_dense v, bool read, void *memory)
{
    *s = (gs_stage){.given = v, .used = v, .borrowed = true};
    if (v.location == location) return GSOLVE_OK;
    s->used.location = location;
    s->used.value = memory;
    /* the bytes between columns or rows must keep their values */
    if (!read && bytes_of(v) == (size_t)v.nrows * (size_t)v.ncols * gs_type_size(v.type)) {
        return GSOLVE_OK;
    }
    return gsolve_copy(ctx, s->used.value, location, v.value, v.location, bytes_of(v));
}

gsolve_status gs_stage_in(gs_stage *s, gsolve_context *ctx, gsolve_location location,
                          gsolve_dense v, bool read)
{
    void *memory = NULL;
    gsolve_status status;

    if (v.location != location) {
        memory = gsolve_alloc(ctx, location, bytes_of(v), 1);
        if (!memory) return GSOLVE_NO_MEMORY;
    }
    status = gs_stage_in_at(s, ctx, location, v, read, memory);
    s->borrowed = false;
    return status;
}

gsolve_status gs_stage_out(const gs_stage *s, gsolve_context *ctx)
{
    if (s->given.value == s->used.value) return GSOLVE_OK;
    return gsolve_copy(ctx, s->given.value, s->given.location, s->used.value, s->used.location,
                       bytes_of(s->used));
}

void gs_stage_drop(gs_stage *s, gsolve_context *ctx)
{
    if (s->given.value != s->used.value && !s->borrowed) {
        gsolve_free(ctx, s->used.location, s->used.value);
    }
    s->used = s->given;
}

void *gs_draft(gsolve_context *ctx, void *there, size_t bytes)
{
    return gs_location(ctx) == GSOLVE_HOST ? there : gsolve_alloc(ctx, GSOLVE_HOST, bytes, 1);
}

void gs_draft_drop(gsolve_context *ctx, const void *there, void *draft)
{
    if (draft != there) gsolve_free(ctx, GSOLVE_HOST, draft);
}

gsolve_status gs_draft_put(gsolve_context *ctx, void *there, void *draft, size_t bytes)
{
    gsolve_status status = GSOLVE_OK;

    if (draft != there) {
        status = gsolve_copy(ctx, there, gs_location(ctx), draft, GSOLVE_HOST, bytes);
    }
    gs_draft_drop(ctx, there, draft);
    return status;
}

gsolve_status gs_dense_new(gsolve_dense *v, gsolve_context *ctx, gsolve_location location,
                           gsolve_type type, int32_t nrows, int32_t ncols)
{
    void *value = gsolve_alloc(ctx, location, (size_t)nrows * (size_t)ncols, gs_type_size(type));

    if (!value) return GSOLVE_NO_MEMORY;
    *v = (gsolve_dense){nrows, ncols, nrows, value, type, location, GSOLVE_COLUMN_MAJOR};
    return GSOLVE_OK;
}

gsolve_status gs_need_columns(gsolve_context *ctx, gsolve_dense v, const char *what)
{
    if (v.layout == GSOLVE_COLUMN_MAJOR) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "%s must be column-major; only products with a matrix and runs of a solver "
                       "support row-major",
                       what);
}
