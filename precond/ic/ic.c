/* ic.c: incomplete Cholesky of level 0 (Meijerink and van der Vorst 1977): A ~ (I + L) D (I + L')
 * on the pattern of the lower triangle of A; what lies above the diagonal is taken to be its
 * mirror. Where a pivot is not positive the whole is done again for A + shift diag(A) (Manteuffel
 * 1980), with shift 0.001, 0.002, 0.004, ... */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/factors.h"
#include "precond/precond.h"

typedef struct ic_options {
    double shift;
} ic_options;

typedef struct ic {
    double first_shift, shift; /* asked for, needed */
    gs_factors factors;
} ic;

static const gsolve_option options[] = {
    {"shift", "factor A + shift diag(A); raised by itself on breakdown", GSOLVE_REAL,
     offsetof(ic_options, shift), 0, 0, GS_MOST_SHIFT, NULL},
    {0},
};

typedef struct job {
    gs_strict L;            /* of A, then of the factorisation */
    double *diagonal, *d;   /* a_ii, 1 / D_ii */
    double *scratch, shift; /* n zeros a worker */
    double most;            /* magnitude that the type can hold */
} job;

/* Row i of L and D: g_ik = a_ik - sum_j g_ij l_kj, l_ik = g_ik / D_kk, D_ii = a_ii - sum_k g_ik
 * l_ik. False: D_ii is not positive. */
static bool factor_row(void *data, int worker, int32_t i)
{
    const job *w = data;
    const gs_strict *L = &w->L;
    double *g = w->scratch + (int64_t)worker * L->n;
    double pivot = w->diagonal[i] * (1 + w->shift);

    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        double sum = L->value[e];
        for (int64_t m = L->start[k]; m < L->start[k + 1]; m++) sum -= g[L->col[m]] * L->value[m];
        g[k] = sum;
    }
    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        L->value[e] = g[k] * w->d[k];
        pivot -= g[k] * L->value[e];
        g[k] = 0;
    }
    w->d[i] = 1 / pivot;
    return pivot > GS_LEAST_PIVOT * w->diagonal[i] && pivot <= w->most && w->d[i] <= w->most;
}

static gsolve_status read_diagonal(gsolve_context *ctx, const gsolve_csr *csr, double *diagonal)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        diagonal[i] = at < 0 ? 0 : gs_value(csr, at);
        if (diagonal[i] > 0) continue;
        return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                           "ic needs a positive diagonal, and that of row %d (counted from 1) is "
                           "%g%s",
                           i + 1, diagonal[i], at < 0 ? " (missing)" : "");
    }
    return GSOLVE_OK;
}

/* Raises the shift until the factorisation goes through. */
static gsolve_status factor(job *w, gsolve_context *ctx, const gsolve_csr *csr,
                            const gs_schedule *schedule, double *shift)
{
    const size_t scratch = (size_t)gs_schedule_workers(schedule) * (size_t)w->L.n;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w->scratch, scratch);
    for (w->shift = *shift; w->shift <= GS_MOST_SHIFT;) {
        memset(w->scratch, 0, scratch * sizeof *w->scratch);
        if (gs_schedule_walk(schedule, w->L.n, factor_row, w)) {
            *shift = w->shift;
            goto done;
        }
        w->shift = w->shift > 0 ? 2 * w->shift : GS_LEAST_SHIFT;
        gs_strict_reload(&w->L, ctx, csr);
    }
    status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                         "ic broke down even for A + %g diag(A); the matrix is far from positive "
                         "definite",
                         GS_MOST_SHIFT);
done:
    gsolve_free(ctx, GSOLVE_HOST, w->scratch);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    ic *M = self;
    job w = {.most = csr->type == GSOLVE_F32 ? FLT_MAX : DBL_MAX};
    double shift = M->first_shift;
    gs_strict U = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.diagonal, csr->nrows);
    ALLOC(ctx, GSOLVE_HOST, w.d, csr->nrows);
    TRY(read_diagonal(ctx, csr, w.diagonal));
    TRY(gs_strict_of(&w.L, ctx, csr, false));
    TRY(gs_factors_plan(&M->factors, ctx, csr->type, &w.L));
    TRY(factor(&w, ctx, csr, &M->factors.lower.schedule, &shift));
    TRY(gs_strict_transpose(&U, ctx, &w.L));
    TRY(gs_factors_store(&M->factors, ctx, csr->type, &w.L, &U, w.d));
    M->shift = shift;
done:
    gs_strict_free(&U, ctx);
    gs_strict_free(&w.L, ctx);
    gsolve_free(ctx, GSOLVE_HOST, w.d);
    gsolve_free(ctx, GSOLVE_HOST, w.diagonal);
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

    TRY(gs_factors_supported(ctx, "ic", csr->type));
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

static gsolve_status apply(const void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    ic *M = (ic *)(uintptr_t)self;
    return gs_factors_apply(&M->factors, ctx, false, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const ic *M = self;

    info->moved = gs_factors_moved(&M->factors);
    if (M->shift > 0) snprintf(info->note, sizeof info->note, "shift %.3g", M->shift);
}

const gsolve_precond_kind gs_ic = {
    .plugin = {"ic", "incomplete Cholesky, level 0; A symmetric", options, sizeof(ic_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update,
    .describe = describe,
};
