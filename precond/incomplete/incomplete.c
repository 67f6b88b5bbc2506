/* incomplete.c: the preconditioners ilu and ic: triangular solves with the factors of incomplete LU
 * (incomplete_lu.c) and of incomplete Cholesky (incomplete_cholesky.c). */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/handle.h"
#include "precond/incomplete/factors.h"
#include "precond/incomplete/incomplete.h"

typedef struct incomplete_options {
    double shift;
} incomplete_options;

typedef struct incomplete {
    bool symmetric;            /* ic, else ilu */
    double first_shift, shift; /* the shift of the option, and the one that was needed */
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

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    incomplete *M = self;
    const gs_incomplete_args args = {M->symmetric ? "ic" : "ilu", &M->factors.lower.schedule,
                                     false};
    gs_strict_triangle L = {0}, U = {0};
    double *d = NULL, shift = M->first_shift;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, d, csr->nrows);
    TRY(gs_strict_triangle_extract(&L, ctx, csr, false));
    TRY(gs_factors_plan(&M->factors, ctx, csr->type, &L));
    if (M->symmetric) {
        TRY(gs_incomplete_cholesky(&L, d, ctx, csr, &args, &shift));
        TRY(gs_strict_triangle_transpose(&U, ctx, &L));
    } else {
        TRY(gs_strict_triangle_extract(&U, ctx, csr, true));
        TRY(gs_incomplete_lu(&L, &U, d, ctx, csr, &args, &shift));
    }
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
    gs_factors_destroy(&((incomplete *)self)->factors, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const incomplete_options *options, bool symmetric)
{
    incomplete *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->symmetric = symmetric;
    M->first_shift = options->shift;
    TRY(update(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

static gsolve_status build_ilu(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                               const void *chosen)
{
    return build(self, ctx, csr, chosen, false);
}

static gsolve_status build_ic(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                              const void *chosen)
{
    return build(self, ctx, csr, chosen, true);
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
    .update = update,
    .describe = describe,
};

const gsolve_precond_kind gs_ic = {
    .plugin = {"ic", "incomplete Cholesky, level 0; A symmetric positive definite (not checked)",
               ic_options, sizeof(incomplete_options)},
    .build = build_ic,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update,
    .describe = describe,
};
