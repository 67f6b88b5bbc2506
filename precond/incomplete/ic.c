/* ic.c: the preconditioner ic: triangular solves with the factors of incomplete Cholesky
 * (incomplete_cholesky.c). */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/handle.h"
#include "precond/incomplete/factors.h"
#include "precond/incomplete/incomplete.h"

typedef struct ic_options {
    double shift;
} ic_options;

typedef struct ic {
    double first_shift, shift; /* the shift of the option, and the one that was needed */
    gs_factors factors;
} ic;

static const gsolve_option options[] = {
    {"shift", "factor A + shift diag(A); raised automatically on breakdown", GSOLVE_REAL,
     offsetof(ic_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    {0},
};

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    ic *M = self;
    gs_strict_triangle L = {0}, U = {0};
    double *d = NULL, shift = M->first_shift;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, d, csr->nrows);
    TRY(gs_strict_triangle_extract(&L, ctx, csr, false));
    TRY(gs_factors_plan(&M->factors, ctx, csr->type, &L));
    TRY(gs_incomplete_cholesky(
        &L, d, ctx, csr, &(gs_incomplete_args){"ic", &M->factors.lower.schedule, false}, &shift));
    TRY(gs_strict_triangle_transpose(&U, ctx, &L));
    TRY(gs_factors_store(&M->factors, ctx, csr->type, &L, &U, d));
    M->shift = shift;
done:
    gs_strict_triangle_free(&U, ctx);
    gs_strict_triangle_free(&L, ctx);
    gsolve_free(ctx, GSOLVE_HOST, d);
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_factors_destroy(&((ic *)self)->factors, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    ic *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->first_shift = ((const ic_options *)chosen)->shift;
    TRY(update(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    ic *M = self;
    return gs_factors_apply(&M->factors, ctx, false, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const ic *M = self;

    info->moved = gs_factors_bytes(&M->factors);
    if (M->shift > 0) snprintf(info->note, sizeof info->note, "shift %.3g", M->shift);
}

const gsolve_precond_kind gs_ic = {
    .plugin = {"ic", "incomplete Cholesky, level 0; A symmetric positive definite (not checked)",
               options, sizeof(ic_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update,
    .describe = describe,
};
