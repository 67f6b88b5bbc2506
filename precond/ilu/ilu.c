/* ilu.c: incomplete LU of level 0 (Meijerink and van der Vorst 1977): A ~ (I + L) D (I + U) on the
 * pattern of A. Where a pivot vanishes or the numbers blow up, the whole is done again for A +
 * shift S, S the diagonal of the rows' largest magnitudes with the signs of the a_ii, with shift
 * 0.001, 0.002, 0.004, ... */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/factors.h"
#include "precond/precond.h"

typedef struct ilu_options {
    double shift;
} ilu_options;

typedef struct ilu {
    double first_shift, shift; /* asked for, needed */
    gs_factors factors;
} ilu;

static const gsolve_option options[] = {
    {"shift", "factor A + shift S, S of the rows' size; raised by itself on breakdown", GSOLVE_REAL,
     offsetof(ilu_options, shift), 0, 0, GS_MOST_SHIFT, NULL},
    {0},
};

typedef struct job {
    gs_strict L, U;       /* of A, then of the factorisation */
    double *diagonal, *d; /* a_ii, 1 / D_ii */
    double *size;         /* the largest magnitude in each row */
    int32_t *scratch;     /* n zeros a worker */
    double shift;
    double most; /* magnitude that the type can hold */
} job;

/* place[j] = 1 + the number of column j in row i, or 0 again. */
static void mark(const gs_strict *T, int32_t i, int32_t *place, bool on)
{
    int32_t number = 0;

    for (int64_t e = T->start[i]; e < T->start[i + 1]; e++) place[T->col[e]] = on ? ++number : 0;
}

/* Row i of L, D and U: for each k in L, a_ij -= a_ik u_kj on the pattern, l_ik = a_ik / D_kk; then
 * D_ii = a_ii, u_ij = a_ij / D_ii. False: D_ii vanishes or something overflows. */
static bool factor_row(void *data, int worker, int32_t i)
{
    const job *w = data;
    const gs_strict *L = &w->L, *U = &w->U;
    double *lower = L->value + L->start[i], *upper = U->value + U->start[i], most = 0;
    double pivot = w->diagonal[i] + copysign(w->shift * w->size[i], w->diagonal[i]);
    int32_t *place = w->scratch + (int64_t)worker * L->n;

    mark(L, i, place, true);
    mark(U, i, place, true);
    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        const double a = L->value[e];
        for (int64_t m = U->start[k]; m < U->start[k + 1]; m++) {
            const int32_t j = U->col[m];
            if (j == i) {
                pivot -= a * U->value[m];
            } else if (place[j]) {
                (j < i ? lower : upper)[place[j] - 1] -= a * U->value[m];
            }
        }
        L->value[e] = a * w->d[k];
        most = fmax(most, fabs(L->value[e]));
    }
    mark(L, i, place, false);
    mark(U, i, place, false);
    w->d[i] = 1 / pivot;
    for (int64_t e = 0; e < U->start[i + 1] - U->start[i]; e++) {
        upper[e] *= w->d[i];
        most = fmax(most, fabs(upper[e]));
    }
    return fabs(pivot) > GS_LEAST_PIVOT * w->size[i] && fabs(pivot) < w->size[i] / GS_LEAST_PIVOT &&
           fabs(w->d[i]) <= w->most && most <= w->most;
}

static gsolve_status read_diagonal(gsolve_context *ctx, const gsolve_csr *csr, double *diagonal,
                                   double *size)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        if (at < 0) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "ilu needs a full diagonal, and that of row %d (counted from 1) is "
                               "missing; try the solver direct, or the preconditioner none",
                               i + 1);
        }
        diagonal[i] = gs_value(csr, at);
        size[i] = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            size[i] = fmax(size[i], fabs(gs_value(csr, k)));
        }
        if (size[i] == 0) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "ilu cannot factor row %d (counted from 1), which holds only zeros",
                               i + 1);
        }
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
    memset(w->scratch, 0, scratch * sizeof *w->scratch);
    for (w->shift = *shift; w->shift <= GS_MOST_SHIFT;) {
        if (gs_schedule_walk(schedule, w->L.n, factor_row, w)) {
            *shift = w->shift;
            goto done;
        }
        w->shift = w->shift > 0 ? 2 * w->shift : GS_LEAST_SHIFT;
        gs_strict_reload(&w->L, ctx, csr);
        gs_strict_reload(&w->U, ctx, csr);
    }
    status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "ilu broke down even with a shift of %g",
                         GS_MOST_SHIFT);
done:
    gsolve_free(ctx, GSOLVE_HOST, w->scratch);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    ilu *M = self;
    job w = {.most = csr->type == GSOLVE_F32 ? FLT_MAX : DBL_MAX};
    double shift = M->first_shift;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.diagonal, csr->nrows);
    ALLOC(ctx, GSOLVE_HOST, w.d, csr->nrows);
    ALLOC(ctx, GSOLVE_HOST, w.size, csr->nrows);
    TRY(read_diagonal(ctx, csr, w.diagonal, w.size));
    TRY(gs_strict_of(&w.L, ctx, csr, false));
    TRY(gs_strict_of(&w.U, ctx, csr, true));
    TRY(gs_factors_plan(&M->factors, ctx, csr->type, &w.L));
    TRY(factor(&w, ctx, csr, &M->factors.lower.schedule, &shift));
    TRY(gs_factors_store(&M->factors, ctx, csr->type, &w.L, &w.U, w.d));
    M->shift = shift;
done:
    gs_strict_free(&w.U, ctx);
    gs_strict_free(&w.L, ctx);
    gsolve_free(ctx, GSOLVE_HOST, w.size);
    gsolve_free(ctx, GSOLVE_HOST, w.d);
    gsolve_free(ctx, GSOLVE_HOST, w.diagonal);
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

    TRY(gs_factors_supported(ctx, "ilu", csr->type));
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

/* The transposed factors are made when first asked for; the constness is about what M stands for.
 */
static gsolve_status apply(const void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    ilu *M = (ilu *)(uintptr_t)self;
    return gs_factors_apply(&M->factors, ctx, false, r, z);
}

static gsolve_status apply_transpose(const void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    ilu *M = (ilu *)(uintptr_t)self;
    return gs_factors_apply(&M->factors, ctx, true, r, z);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const ilu *M = self;

    info->moved = gs_factors_moved(&M->factors);
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
