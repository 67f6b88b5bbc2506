/* ic.c: incomplete Cholesky of level 0 (Meijerink and van der Vorst 1977): A ~ L L' on the pattern of
 * the lower triangle of A; what lies above the diagonal is taken to be its mirror. Where a pivot
 * is not positive the whole is done again for A + shift diag(A) (Manteuffel 1980), with shift 0.001,
 * 0.002, ... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/factor.h"
#include "precond/precond.h"

typedef struct ic_options {
    double shift;
} ic_options;

typedef struct ic {
    double first_shift, shift; /* asked for, needed */
    gs_triangle lower, upper;  /* solves with L and with L' */
} ic;

static const gsolve_option options[] = {
    {"shift", "factor A + shift diag(A); raised by itself on breakdown", GSOLVE_REAL,
     offsetof(ic_options, shift), 0, 0, 1000, NULL},
    {0},
};

/* sum over the common columns j < k of rows i and k of l_ij l_kj. */
static double row_product(const gs_factor *L, int64_t i, int64_t i_end, int64_t k, int64_t k_end)
{
    double sum = 0;

    while (i < i_end && k < k_end) {
        if (L->col[i] == L->col[k]) {
            sum += L->value[i++] * L->value[k++];
        } else if (L->col[i] < L->col[k]) {
            i++;
        } else {
            k++;
        }
    }
    return sum;
}

/* L's rows from A's, in place, and the pivots l_ii from a_ii (1 + shift). False: a pivot failed. */
static bool factorise(int32_t n, gs_factor *L, const double *diagonal, double shift, double *pivot)
{
    for (int32_t i = 0; i < n; i++) {
        const int64_t from = L->start[i], to = L->start[i + 1];
        double square = diagonal[i] * (1 + shift);
        for (int64_t e = from; e < to; e++) {
            const int32_t k = L->col[e];
            L->value[e] =
                (L->value[e] - row_product(L, from, e, L->start[k], L->start[k + 1])) / pivot[k];
            square -= L->value[e] * L->value[e];
        }
        if (!(square > 1e-14 * diagonal[i]) || !isfinite(square)) return false;
        pivot[i] = sqrt(square);
    }
    return true;
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
static gsolve_status factorise_shifted(ic *M, gsolve_context *ctx, int32_t n, gs_factor *L,
                                       const double *diagonal, double *pivot)
{
    const size_t bytes = (size_t)L->start[n] * sizeof *L->value;
    double *original = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, original, L->start[n]);
    memcpy(original, L->value, bytes);
    M->shift = M->first_shift;
    while (!factorise(n, L, diagonal, M->shift, pivot)) {
        M->shift = gs_next_shift(M->shift);
        if (M->shift > GS_MOST_SHIFT) {
            status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                                 "ic broke down even for A + %g diag(A); the matrix is far from "
                                 "positive definite",
                                 GS_MOST_SHIFT);
            goto done;
        }
        memcpy(L->value, original, bytes);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, original);
    return status;
}

/* Makes the triangles, or, where there are some, gives them new values. */
static gsolve_status compute(ic *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    const int32_t n = csr->nrows;
    gs_factor L = {0}, U = {0};
    double *diagonal = NULL, *pivot = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, diagonal, n);
    ALLOC(ctx, GSOLVE_HOST, pivot, n);
    TRY(read_diagonal(ctx, csr, diagonal));
    TRY(gs_factor_triangle(&L, ctx, csr, false));
    TRY(factorise_shifted(M, ctx, n, &L, diagonal, pivot));
    TRY(gs_factor_transpose(&U, ctx, n, &L));
    if (M->lower.start) {
        gs_triangle_update(&M->lower, ctx, L.value, pivot);
        gs_triangle_update(&M->upper, ctx, U.value, pivot);
    } else {
        TRY(gs_triangle_create(&M->lower, ctx, csr->type, false, n, L.start, L.col, L.value, pivot));
        TRY(gs_triangle_create(&M->upper, ctx, csr->type, true, n, U.start, U.col, U.value, pivot));
    }
done:
    gs_factor_free(&U, ctx);
    gs_factor_free(&L, ctx);
    gsolve_free(ctx, GSOLVE_HOST, pivot);
    gsolve_free(ctx, GSOLVE_HOST, diagonal);
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    ic *M = self;

    gs_triangle_destroy(&M->lower, ctx);
    gs_triangle_destroy(&M->upper, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    ic *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->first_shift = ((const ic_options *)chosen)->shift;
    TRY(compute(M, ctx, csr));
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return compute(self, ctx, csr);
}

static gsolve_status apply(const void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    const ic *M = self;
    gsolve_status status;

    TRY(gs_triangle_solve(&M->lower, ctx, r, z));                     /* z = L^-1 r         */
    TRY(gs_triangle_solve(&M->upper, ctx, z, z));                     /* z = L^-T z         */
done:
    return status;
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const ic *M = self;

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
