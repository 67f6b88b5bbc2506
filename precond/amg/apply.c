/* apply.c: columns into the cycle and out of it. One goes through as it is. Several lie by rows in
 * it, so that an entry of a matrix meets all that it is multiplied with in one place: they are
 * turned when they come in and when they go out, by what also brings them to the levels' type. */
#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/hierarchy.h"
#include "vector/layout.h"
#include "vector/vector.h"

/* --- vectors ---------------------------------------------------------------------------------- */

static gsolve_status reserve(gsolve_dense *v, gsolve_context *ctx, const gs_level *l)
{
    return gs_dense_new(v, ctx, gs_location(ctx), l->rows.type, l->rows.nrows, 1);
}

gsolve_status gs_cycle_reserve(gs_hierarchy *h, gsolve_context *ctx)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < h->levels; k++) {
        gs_level *l = &h->level[k];
        TRY(reserve(&l->b, ctx, l));
        TRY(reserve(&l->x, ctx, l));
        TRY(reserve(&l->space, ctx, l));
        if (h->options.cycle != GS_AMG_K || k == 0) continue;
        TRY(reserve(&l->v, ctx, l));
        TRY(reserve(&l->c, ctx, l));
    }
    if (h->options.cycle == GS_AMG_K) {
        ALLOC(ctx, GSOLVE_DEVICE, h->scalar, 5 * GS_AMG_MOST_LEVELS);
    }
done:
    return status;
}

/* Bytes of a level's vectors of GS_AMG_COLUMNS columns. */
static size_t bytes_of_many(const gs_hierarchy *h, const gs_level *l)
{
    const size_t vectors = 3 + (size_t)h->smoother->spaces;

    return vectors * GS_AMG_COLUMNS * (size_t)l->rows.nrows * gs_type_size(h->type);
}

/* As many as there ever are, since what is recorded remembers where they are. */
static gsolve_status reserve_many(gs_hierarchy *h, gsolve_context *ctx)
{
    size_t bytes = 0;
    char *at;

    if (h->many) return GSOLVE_OK;
    for (int k = 0; k < h->levels; k++) bytes += bytes_of_many(h, &h->level[k]);
    h->many = at = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    if (!at) return GSOLVE_NO_MEMORY;
    for (int k = 0; k < h->levels; k++) {
        h->level[k].many = at;
        at += bytes_of_many(h, &h->level[k]);
    }
    return GSOLVE_OK;
}

gs_level_vectors gs_level_vectors_of(const gs_hierarchy *h, int k, int32_t columns)
{
    const gs_level *l = &h->level[k];
    gs_level_vectors v = {l->b, l->x, l->space};
    gsolve_dense *const all[] = {&v.b, &v.x, &v.space};

    for (size_t i = 0; columns > 1 && i < sizeof all / sizeof *all; i++) {
        const size_t before = i * GS_AMG_COLUMNS * (size_t)l->b.nrows * gs_type_size(h->type);
        all[i]->ncols = columns;
        all[i]->stride = columns;
        all[i]->layout = GSOLVE_ROW_MAJOR;
        all[i]->value = (char *)l->many + before;
    }
    return v;
}

/* --- applications ----------------------------------------------------------------------------- */

/* Whether a cycle in single precision begins and ends in double; not one whose products are with
 * A'. */
static bool widens(const gs_hierarchy *h, bool transposed, gsolve_dense r, gsolve_dense z)
{
    return (!transposed || h->symmetric) && h->type == GSOLVE_F32 && r.type == GSOLVE_F64 &&
           z.type == GSOLVE_F64 && gs_cycle_widens(h);
}

static gsolve_status apply_wide(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                gsolve_dense r, gsolve_dense z, double *rz)
{
    const gs_ends wide = {r.value, z.value, rz};

    return gs_cycle(h, ctx, transposed, &wide, h->level[0].b, h->level[0].x);
}

static gsolve_status apply_one(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                               gsolve_dense r, gsolve_dense z)
{
    const gs_level *finest = h->level;
    gsolve_status status;

    if (h->type == r.type) return gs_cycle(h, ctx, transposed, NULL, r, z);
    if (widens(h, transposed, r, z)) return apply_wide(h, ctx, transposed, r, z, NULL);
    TRY(GS_KERNELS(gs_vector, ctx, h->type)
            ->copy(ctx->queue, r.nrows, r.type, r.value, finest->b.value));
    TRY(gs_cycle(h, ctx, transposed, NULL, finest->b, finest->x));
    TRY(GS_KERNELS(gs_vector, ctx, z.type)
            ->copy(ctx->queue, z.nrows, h->type, finest->x.value, z.value));
done:
    return status;
}

static gsolve_status apply_several(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                   gsolve_dense r, gsolve_dense z)
{
    gs_level_vectors v;
    gsolve_status status;

    TRY(reserve_many(h, ctx));
    v = gs_level_vectors_of(h, 0, r.ncols);
    TRY(gs_change_layout(ctx, r, v.b));
    TRY(gs_cycle(h, ctx, transposed, NULL, v.b, v.x));
    TRY(gs_change_layout(ctx, v.x, z));
done:
    return status;
}

gsolve_status gs_hierarchy_apply(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                 gsolve_dense r, gsolve_dense z)
{
    const int32_t most = h->options.cycle == GS_AMG_K ? 1 : GS_AMG_COLUMNS;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c += most) {
        gsolve_dense some = gs_column_of(r, c), out = gs_column_of(z, c);
        some.ncols = out.ncols = r.ncols - c < most ? r.ncols - c : most;
        status = (some.ncols > 1 ? apply_several : apply_one)(h, ctx, transposed, some, out);
    }
    return status;
}

gsolve_status gs_hierarchy_apply_dot(gs_hierarchy *h, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z, double *rz)
{
    gsolve_status status;

    if (widens(h, false, r, z)) return apply_wide(h, ctx, false, r, z, rz);
    TRY(gs_hierarchy_apply(h, ctx, false, r, z));
    TRY(GS_KERNELS(gs_vector, ctx, r.type)->dot(ctx->queue, r.nrows, r.value, z.value, rz));
done:
    return status;
}
