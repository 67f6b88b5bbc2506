/* ilu.c: the preconditioner ilu: triangular solves with the factors of incomplete LU
 * (incomplete_lu.c). */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/handle.h"
#include "precond/incomplete/factors.h"
#include "precond/incomplete/incomplete.h"

typedef struct ilu_options {
    double shift;
} ilu_options;

typedef struct ilu {
    double first_shift, shift; /* the shift of the option, and the one that was needed */
    gs_factors factors;
} ilu;

static const gsolve_option options[] = {
    {"shift",
     "factor A + shift S, where S is the diagonal matrix of the largest magnitude in each row, "
     "with the sign of a_ii; raised automatically on breakdown",
     GSOLVE_REAL, offsetof(ilu_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    {0},
};

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    ilu *M = self;
    gs_strict_triangle L = {0}, U = {0};
    double *d = NULL, shift = M->first_shift;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, d, csr->nrows);
    TRY(gs_strict_triangle_extract(&L, ctx, csr, false));
    TRY(gs_strict_triangle_extract(&U, ctx, csr, true));
    TRY(gs_factors_plan(&M->factors, ctx, csr->type, &L));
    TRY(gs_incomplete_lu(&L, &U, d, ctx, csr,
                         &(gs_incomplete_args){"ilu", &M->factors.lower.schedule, false}, &shift));
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
    gs_factors_destroy(&((ilu *)self)->factors, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    ilu *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->first_shift = ((const ilu_options *)chosen)->shift;
    TRY(update(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

/* The first transposed application builds the transposed factors. */
static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    ilu *M = self;
    return gs_factors_apply(&M->factors, ctx, false, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    ilu *M = self;
    return gs_factors_apply(&M->factors, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const ilu *M = self;

    info->moved = gs_factors_bytes(&M->factors);
    if (M->shift > 0) snprintf(info->note, sizeof info->note, "shift %.3g", M->shift);
}

const gsolve_precond_kind gs_ilu = {
    .plugin = {"ilu", "incomplete LU, level 0", options, sizeof(ilu_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
