/* apply.c: converts vectors before and after a cycle. One column is converted to the levels' type.
 * Several columns are also transposed to row-major order: a product then reads the entries of all
 * columns that a matrix entry is multiplied with from one place. */
#include "precond/amg/cycle.h"

#include "core/staging.h"
#include "core/try.h"
#include "vector/layout.h"
#include "vector/vector.h"

/* --- vectors of several columns --------------------------------------------------------------- */

static size_t batch_bytes(const gs_hierarchy *h, const gs_level *l)
{
    const size_t vectors = 3 + (size_t)h->smoother->extra_vectors;

    return vectors * GS_AMG_COLUMNS * (size_t)l->rows.nrows * gs_type_size(h->type);
}

/* Allocates vectors of GS_AMG_COLUMNS columns at once, even if r has fewer: a recorded CUDA graph
 * keeps their addresses. */
gsolve_status gs_hierarchy_reserve_batch(gs_hierarchy *h, gsolve_context *ctx)
{
    size_t bytes = 0;
    char *at;

    if (h->batch) return GSOLVE_OK;
    for (int k = 0; k < h->levels; k++) bytes += batch_bytes(h, &h->level[k]);
    h->batch = at = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    if (!at) return GSOLVE_NO_MEMORY;
    for (int k = 0; k < h->levels; k++) {
        h->level[k].batch = at;
        at += batch_bytes(h, &h->level[k]);
    }
    return GSOLVE_OK;
}

gsolve_status gs_replicated_reserve(gs_replicated *T, gsolve_context *ctx, int32_t columns)
{
    gsolve_status status = GSOLVE_OK;

    TRY(gs_gather_reserve(&T->rows, ctx, (size_t)columns * sizeof(double)));
    if (columns > 1) TRY(gs_comm_check(ctx->comm, gs_hierarchy_reserve_batch(T->h, ctx)));
done:
    return status;
}

/* Over ranks all agree on success, once. */
static gsolve_status reserve(gs_hierarchy *h, gsolve_context *ctx)
{
    gsolve_status status;

    if (!h->comm) return gs_hierarchy_reserve_batch(h, ctx);
    if (h->has_batch) return GSOLVE_OK;
    TRY(gs_comm_check(h->comm, gs_hierarchy_reserve_batch(h, ctx)));
    if (h->coarse) TRY(gs_replicated_reserve(h->coarse, ctx, GS_AMG_COLUMNS));
    h->has_batch = true;
done:
    return status;
}

/* --- applications ----------------------------------------------------------------------------- */

/* Whether the cycle itself converts between single and double precision. A cycle with products with
 * A' does not. */
static bool fuses_f64(const gs_hierarchy *h, bool transposed, gsolve_dense r, gsolve_dense z)
{
    return (!transposed || h->symmetric) && h->type == GSOLVE_F32 && r.type == GSOLVE_F64 &&
           z.type == GSOLVE_F64 && gs_cycle_fuses_f64(h);
}

static gsolve_status apply_fused(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                 gsolve_dense r, gsolve_dense z, double *rz)
{
    const gs_f64_vectors f64 = {r.value, z.value, rz};

    return gs_cycle(h, ctx, transposed, &f64, h->level[0].b, h->level[0].x);
}

static gsolve_status apply_one(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                               gsolve_dense r, gsolve_dense z)
{
    const gs_level *finest = h->level;
    gsolve_status status;

    if (h->type == r.type) return gs_cycle(h, ctx, transposed, NULL, r, z);
    if (fuses_f64(h, transposed, r, z)) return apply_fused(h, ctx, transposed, r, z, NULL);
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

    TRY(reserve(h, ctx));
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
    const int32_t columns = h->options.cycle == GS_AMG_K ? 1 : GS_AMG_COLUMNS;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c += columns) {
        gsolve_dense in = gs_column_of(r, c), out = gs_column_of(z, c);
        in.ncols = out.ncols = r.ncols - c < columns ? r.ncols - c : columns;
        status = (in.ncols > 1 ? apply_several : apply_one)(h, ctx, transposed, in, out);
    }
    return status;
}

gsolve_status gs_hierarchy_apply_dot(gs_hierarchy *h, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z, double *rz)
{
    gsolve_status status;

    if (fuses_f64(h, false, r, z)) return apply_fused(h, ctx, false, r, z, rz);
    TRY(gs_hierarchy_apply(h, ctx, false, r, z));
    TRY(GS_KERNELS(gs_vector, ctx, r.type)->dot(ctx->queue, r.nrows, r.value, z.value, rz));
done:
    return status;
}
