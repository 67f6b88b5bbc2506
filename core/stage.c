/* stage.c: vectors of the caller's that lie elsewhere, see stage.h. */
#include "core/stage.h"

static size_t bytes_of(gsolve_dense v)
{
    const int64_t elements = v.ncols > 0 ? (v.ncols - 1) * v.stride + v.nrows : 0;
    return (size_t)elements * gs_type_size(v.type);
}

gsolve_status gs_stage_in(gs_stage *s, gsolve_context *ctx, gsolve_dense v, bool read)
{
    const gsolve_place place = gs_place(ctx);

    s->given = s->used = v;
    if (v.place == place) return GSOLVE_OK;
    s->used.place = place;
    s->used.value = gsolve_alloc(ctx, place, bytes_of(v), 1);
    if (!s->used.value) return GSOLVE_NO_MEMORY;
    /* what lies between the columns of several is kept as it is */
    if (!read && v.ncols <= 1) return GSOLVE_OK;
    return gsolve_copy(ctx, s->used.value, place, v.value, v.place, bytes_of(v));
}

gsolve_status gs_stage_out(const gs_stage *s, gsolve_context *ctx)
{
    if (s->given.value == s->used.value) return GSOLVE_OK;
    return gsolve_copy(ctx, s->given.value, s->given.place, s->used.value, s->used.place,
                       bytes_of(s->used));
}

void gs_stage_drop(gs_stage *s, gsolve_context *ctx)
{
    if (s->given.value != s->used.value) gsolve_free(ctx, s->used.place, s->used.value);
    s->used = s->given;
}
