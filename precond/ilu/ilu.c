/* ilu.c: incomplete LU of level 0 (Meijerink and van der Vorst 1977): A ~ L U on the pattern of A, L
 * with ones on its diagonal. Where a pivot vanishes or the numbers blow up, the whole is done again
 * for A + shift D, D the diagonal of the rows' largest magnitudes with the signs of the a_ii. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/factor.h"
#include "precond/precond.h"

typedef struct ilu_options {
    double shift;
} ilu_options;

typedef struct ilu {
    double first_shift, shift;
    gs_triangle lower, upper;            /* solves with L and U */
    gs_triangle transposed_lower, transposed_upper; /* with U' and L'; made when first asked for */
    gs_factor L, U;                      /* kept for the transposed, in double */
    double *pivot;
    int32_t n;
    gsolve_type type;
    bool stale;                          /* the transposed are of older values */
} ilu;

static const gsolve_option options[] = {
    {"shift", "factor A + shift D, D of the rows' size; raised by itself on breakdown", GSOLVE_REAL,
     offsetof(ilu_options, shift), 0, 0, 1000, NULL},
    {0},
};

/* Where in L and in U the entries of the row at work lie. */
typedef struct row_places {
    int64_t *lower, *upper; /* n each: entry + 1 of row i in that column, or 0 */
} row_places;

static void mark(const gs_factor *f, int32_t i, int64_t *place, bool on)
{
    for (int64_t e = f->start[i]; e < f->start[i + 1]; e++) place[f->col[e]] = on ? e + 1 : 0;
}

/* L and U in place from the triangles of A, pivot from its shifted diagonal. False: breakdown. */
static bool factorise(int32_t n, gs_factor *L, gs_factor *U, double *pivot, row_places p,
                      const double *size)
{
    bool sound = true;

    for (int32_t i = 0; i < n && sound; i++) {
        mark(L, i, p.lower, true);
        mark(U, i, p.upper, true);
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
            const int32_t k = L->col[e];
            const double factor = L->value[e] / pivot[k];                 /* l_ik = a_ik / u_kk */
            L->value[e] = factor;
            for (int64_t u = U->start[k]; u < U->start[k + 1]; u++) {
                const int32_t j = U->col[u];                              /* a_ij -= l_ik u_kj */
                if (j == i) {
                    pivot[i] -= factor * U->value[u];
                } else if (p.lower[j]) {
                    L->value[p.lower[j] - 1] -= factor * U->value[u];
                } else if (p.upper[j]) {
                    U->value[p.upper[j] - 1] -= factor * U->value[u];
                }
            }
        }
        mark(L, i, p.lower, false);
        mark(U, i, p.upper, false);
        sound = fabs(pivot[i]) > 1e-10 * size[i] && fabs(pivot[i]) < 1e10 * size[i];
    }
    return sound;
}

static gsolve_status read_diagonal(gsolve_context *ctx, const gsolve_csr *csr, double *diagonal,
                                   double *size)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        if (at < 0) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "ilu needs a full diagonal, and that of row %d (counted from 1) is "
                               "missing; try --solver direct, or --precond none",
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

static gsolve_status factorise_shifted(ilu *M, gsolve_context *ctx, const gsolve_csr *csr,
                                       const double *diagonal, const double *size)
{
    const int32_t n = csr->nrows;
    row_places p = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, p.lower, n);
    ALLOC(ctx, GSOLVE_HOST, p.upper, n);
    for (M->shift = M->first_shift;; M->shift = gs_next_shift(M->shift)) {
        if (M->shift > GS_MOST_SHIFT) {
            status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "ilu broke down even with a shift of %g",
                                 GS_MOST_SHIFT);
            goto done;
        }
        gs_factor_free(&M->L, ctx);
        gs_factor_free(&M->U, ctx);
        TRY(gs_factor_triangle(&M->L, ctx, csr, false));
        TRY(gs_factor_triangle(&M->U, ctx, csr, true));
        memset(p.lower, 0, (size_t)n * sizeof *p.lower);
        memset(p.upper, 0, (size_t)n * sizeof *p.upper);
        for (int32_t i = 0; i < n; i++) {
            M->pivot[i] = diagonal[i] + copysign(M->shift * size[i], diagonal[i]);
        }
        if (factorise(n, &M->L, &M->U, M->pivot, p, size)) break;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, p.lower);
    gsolve_free(ctx, GSOLVE_HOST, p.upper);
    return status;
}

static gsolve_status compute(ilu *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    const int32_t n = M->n = csr->nrows;
    double *diagonal = NULL, *size = NULL;
    gsolve_status status;

    M->type = csr->type;
    M->stale = true;
    ALLOC(ctx, GSOLVE_HOST, diagonal, n);
    ALLOC(ctx, GSOLVE_HOST, size, n);
    if (!M->pivot) ALLOC(ctx, GSOLVE_HOST, M->pivot, n);
    TRY(read_diagonal(ctx, csr, diagonal, size));
    TRY(factorise_shifted(M, ctx, csr, diagonal, size));
    if (M->lower.start) {
        gs_triangle_update(&M->lower, ctx, M->L.value, NULL);
        gs_triangle_update(&M->upper, ctx, M->U.value, M->pivot);
    } else {
        TRY(gs_triangle_create(&M->lower, ctx, csr->type, false, n, M->L.start, M->L.col, M->L.value,
                               NULL));
        TRY(gs_triangle_create(&M->upper, ctx, csr->type, true, n, M->U.start, M->U.col, M->U.value,
                               M->pivot));
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, diagonal);
    gsolve_free(ctx, GSOLVE_HOST, size);
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    ilu *M = self;

    gs_triangle_destroy(&M->lower, ctx);
    gs_triangle_destroy(&M->upper, ctx);
    gs_triangle_destroy(&M->transposed_lower, ctx);
    gs_triangle_destroy(&M->transposed_upper, ctx);
    gs_factor_free(&M->L, ctx);
    gs_factor_free(&M->U, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M->pivot);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    ilu *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->first_shift = ((const ilu_options *)chosen)->shift;
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
    const ilu *M = self;
    gsolve_status status;

    TRY(gs_triangle_solve(&M->lower, ctx, r, z));                     /* z = L^-1 r         */
    TRY(gs_triangle_solve(&M->upper, ctx, z, z));                     /* z = U^-1 z         */
done:
    return status;
}

/* Solves with U' and L'; the handle's constness is about what it stands for. */
static gsolve_status need_transposed(const ilu *constant, gsolve_context *ctx)
{
    ilu *M = (ilu *)(uintptr_t)constant;
    gs_factor lower = {0}, upper = {0};
    gsolve_status status = GSOLVE_OK;

    if (!M->stale) return GSOLVE_OK;
    gs_triangle_destroy(&M->transposed_lower, ctx);
    gs_triangle_destroy(&M->transposed_upper, ctx);
    TRY(gs_factor_transpose(&lower, ctx, M->n, &M->U));
    TRY(gs_factor_transpose(&upper, ctx, M->n, &M->L));
    TRY(gs_triangle_create(&M->transposed_lower, ctx, M->type, false, M->n, lower.start, lower.col,
                           lower.value, M->pivot));
    TRY(gs_triangle_create(&M->transposed_upper, ctx, M->type, true, M->n, upper.start, upper.col,
                           upper.value, NULL));
    M->stale = false;
done:
    gs_factor_free(&lower, ctx);
    gs_factor_free(&upper, ctx);
    return status;
}

static gsolve_status apply_transpose(const void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    const ilu *M = self;
    gsolve_status status;

    TRY(need_transposed(M, ctx));
    TRY(gs_triangle_solve(&M->transposed_lower, ctx, r, z));          /* z = U^-T r         */
    TRY(gs_triangle_solve(&M->transposed_upper, ctx, z, z));          /* z = L^-T z         */
done:
    return status;
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const ilu *M = self;

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
