/* incomplete.c: the stored factors of factorisation.c, and the preconditioners ilu and ic, which
 * solve with them. */
#include "precond/incomplete/incomplete.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/handle.h"

/* --- stored factors --------------------------------------------------------------------------- */

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
    for (int32_t i = 0; i < n; i++) gs_put_value(draft, type, i, d[i]);
    return gs_draft_put(ctx, f->d, draft, bytes);
}

/* Stores L, U and the reciprocals of D. The structures of an earlier call are used again. */
static gsolve_status store_factors(gs_factors *f, gsolve_context *ctx, gsolve_type type,
                                   const gs_strict_triangle *L, const gs_strict_triangle *U,
                                   const double *d)
{
    gsolve_status status;

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

gsolve_status gs_factors_compute(gs_factors *f, gsolve_context *ctx, const gsolve_csr *csr,
                                 const char *who, bool symmetric, bool allow_zero_diagonal,
                                 double *shift)
{
    const gs_incomplete_args args = {who, &f->lower.schedule, allow_zero_diagonal};
    gs_strict_triangle L = {0}, U = {0};
    double *d = NULL, least = *shift;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, d, csr->nrows);
    TRY(gs_strict_triangle_extract(&L, ctx, csr, false));
    if (!f->lower.rows.start) TRY(gs_triangle_create(&f->lower, ctx, csr->type, &L));
    if (symmetric) {
        TRY(gs_incomplete_cholesky(&L, d, ctx, csr, &args, &least));
        TRY(gs_strict_triangle_transpose(&U, ctx, &L));
    } else {
        TRY(gs_strict_triangle_extract(&U, ctx, csr, true));
        TRY(gs_incomplete_lu(&L, &U, d, ctx, csr, &args, &least));
    }
    TRY(store_factors(f, ctx, csr->type, &L, &U, d));
    *shift = least;
done:
    gs_strict_triangle_free(&U, ctx);
    gs_strict_triangle_free(&L, ctx);
    gsolve_free(ctx, GSOLVE_HOST, d);
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

static gsolve_status make_transposed(gs_factors *f, gsolve_context *ctx)
{
    gsolve_status status;

    if (f->upper_transposed.rows.start) return GSOLVE_OK;
    TRY(gs_triangle_transpose(&f->lower_transposed, ctx, &f->upper));
    TRY(gs_triangle_transpose(&f->upper_transposed, ctx, &f->lower));
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

/* --- the preconditioners ---------------------------------------------------------------------- */

typedef struct incomplete_options {
    double shift;
} incomplete_options;

typedef struct incomplete {
    incomplete_options options;
    double shift; /* that was needed */
    gs_factors factors;
} incomplete;

static const gsolve_option ilu_options[] = {
    {"shift",
     "factor A + shift S, where S is the diagonal matrix of the largest magnitude in each row, "
     "with the sign of a_ii; raised automatically on breakdown",
     GSOLVE_REAL, offsetof(incomplete_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    {0},
};

static const gsolve_option ic_options[] = {
    {"shift", "factor A + shift diag(A); raised automatically on breakdown", GSOLVE_REAL,
     offsetof(incomplete_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    {0},
};

static gsolve_status update(incomplete *M, gsolve_context *ctx, const gsolve_csr *csr,
                            bool symmetric)
{
    double shift = M->options.shift;
    gsolve_status status;

    TRY(gs_factors_compute(&M->factors, ctx, csr, symmetric ? "ic" : "ilu", symmetric, false,
                           &shift));
    M->shift = shift;
done:
    return status;
}

static gsolve_status update_ilu(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return update(self, ctx, csr, false);
}

static gsolve_status update_ic(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return update(self, ctx, csr, true);
}

static gsolve_status build_ilu(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                               const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_ilu, sizeof(incomplete));
}

static gsolve_status build_ic(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                              const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_ic, sizeof(incomplete));
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_factors_destroy(&((incomplete *)self)->factors, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return gs_factors_apply(&((incomplete *)self)->factors, ctx, false, r, z);
}

/* The first transposed application builds the transposed factors. */
static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    return gs_factors_apply(&((incomplete *)self)->factors, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const incomplete *M = self;

    info->moved = gs_factors_bytes(&M->factors);
    if (M->shift > 0) snprintf(info->note, sizeof info->note, "shift %.3g", M->shift);
}

const gsolve_precond_kind gs_ilu = {
    .plugin = {"ilu", "incomplete LU, level 0", ilu_options, sizeof(incomplete_options)},
    .build = build_ilu,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update_ilu,
    .describe = describe,
};

const gsolve_precond_kind gs_ic = {
    .plugin = {"ic", "incomplete Cholesky, level 0; A symmetric positive definite (not checked)",
               ic_options, sizeof(incomplete_options)},
    .build = build_ic,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update_ic,
    .describe = describe,
};
