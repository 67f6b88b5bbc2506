/* factors.c: the stored factors of ilu and ic, see factors.h. */
#include "precond/incomplete/factors.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"

gsolve_status gs_factors_plan(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                              const gs_strict_triangle *L)
{
    return f->lower.rows.start ? GSOLVE_OK : gs_triangle_create(&f->lower, ctx, type, L);
}

static void destroy_transposed(gs_factors *f, gsolve_context *ctx)
{
    gs_triangle_destroy(&f->lower_transposed, ctx);
    gs_triangle_destroy(&f->upper_transposed, ctx);
}

static gsolve_status store_diagonal(gs_factors *f, gsolve_context *ctx, gsolve_type type, int32_t n,
                                    const double *d)
{
    const size_t bytes = (size_t)n * gs_type_size(type);
    void *draft = gs_draft(ctx, f->d, bytes);

    if (!draft) return GSOLVE_NO_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        if (type == GSOLVE_F32) {
            ((float *)draft)[i] = (float)d[i];
        } else {
            ((double *)draft)[i] = d[i];
        }
    }
    return gs_draft_put(ctx, f->d, draft, bytes);
}

gsolve_status gs_factors_store(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                               const gs_strict_triangle *L, const gs_strict_triangle *U,
                               const double *d)
{
    gsolve_status status;

    TRY(gs_factors_plan(f, ctx, type, L));
    if (!f->upper.rows.start) TRY(gs_triangle_create(&f->upper, ctx, type, U));
    if (!f->d) f->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)L->n, gs_type_size(type));
    if (!f->d) return GSOLVE_NO_MEMORY;
    TRY(gs_triangle_fill(&f->lower, ctx, L));
    TRY(gs_triangle_fill(&f->upper, ctx, U));
    TRY(store_diagonal(f, ctx, type, L->n, d));
    destroy_transposed(f, ctx);
done:
    return status;
}

size_t gs_factors_bytes(const gs_factors *f)
{
    const size_t d = (size_t)f->lower.rows.nrows * gs_type_size(f->lower.rows.type);

    return gs_triangle_bytes(&f->lower) + gs_triangle_bytes(&f->upper) + d;
}

void gs_factors_destroy(gs_factors *f, gsolve_context *ctx)
{
    destroy_transposed(f, ctx);
    gs_triangle_destroy(&f->lower, ctx);
    gs_triangle_destroy(&f->upper, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, f->d);
    memset(f, 0, sizeof *f);
}

/* to = the triangular solve with I + T', where from solves with I + T. */
static gsolve_status transpose(gs_triangle *to, gsolve_context *ctx, const gs_triangle *from)
{
    gs_strict_triangle T = {0}, transposed = {0};
    gsolve_status status;

    TRY(gs_triangle_unpack(&T, ctx, from));
    TRY(gs_strict_triangle_transpose(&transposed, ctx, &T));
    TRY(gs_triangle_create(to, ctx, from->rows.type, &transposed));
    TRY(gs_triangle_fill(to, ctx, &transposed));
done:
    gs_strict_triangle_free(&T, ctx);
    gs_strict_triangle_free(&transposed, ctx);
    return status;
}

static gsolve_status make_transposed(gs_factors *f, gsolve_context *ctx)
{
    gsolve_status status;

    if (f->upper_transposed.rows.start) return GSOLVE_OK;
    TRY(transpose(&f->lower_transposed, ctx, &f->upper));
    TRY(transpose(&f->upper_transposed, ctx, &f->lower));
done:
    if (status != GSOLVE_OK) destroy_transposed(f, ctx);
    return status;
}

gsolve_status gs_factors_apply(gs_factors *f, gsolve_context *ctx, bool transposed, gsolve_dense r,
                               gsolve_dense z)
{
    gs_triangle *first = &f->lower, *second = &f->upper;
    gsolve_status status;

    if (transposed) {
        TRY(make_transposed(f, ctx));
        first = &f->lower_transposed, second = &f->upper_transposed;
    }
    TRY(gs_triangle_solve_pair(first, second, ctx, f->d, r, z)); /* (I + U)^-1 D^-1 (I + L)^-1 r */
done:
    return status;
}
