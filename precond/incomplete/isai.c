/* isai.c: incomplete sparse approximate inverse (Anzt, Huckle, Braeckle and Dongarra, Parallel
 * Computing 71, 2018) of the factors of ilu or ic: z = W1 W0 r. An application is two products and
 * no triangular solve.
 *
 *   ilu  T0 = I + L       T1 = D (I + U)        W0 T0 = I on the rows of T0's pattern,
 *   ic   T0 = (I + L) E   T1 = T0', E^2 = D     T1 W1 = I on the columns of T1's pattern.
 *
 * Rows for W0 and columns for W1 make M symmetric if A is. With ic, W1 = W0', and M is positive
 * definite for any pattern. A relaxation step y += W (x - T y) multiplies the error of y = W x by I
 * - W T, which is strictly triangular, so that more steps come closer to the triangular solve. The
 * step commutes with transposition, so that M stays symmetric. */
#include "precond/incomplete/isai.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/handle.h"
#include "precond/incomplete/incomplete.h"
#include "vector/vector.h"

enum { FACTORS_ILU, FACTORS_IC };

typedef struct isai_options {
    int factors, power, longest, relax;
    double shift;
} isai_options;

typedef struct isai_inverse {
    gsolve_matrix *W, *T; /* T, whose inverse W approximates; only for relaxation */
} isai_inverse;

typedef struct isai {
    isai_options options;
    gs_schedule schedule;       /* order of the factorisation */
    double shift;               /* that the factorisation needed */
    int32_t shortened;          /* rows with a lower power than the option says */
    isai_inverse factor[2];     /* W0 and W1 */
    isai_inverse transposed[2]; /* W1' and W0'; built by the first transposed application */
    gs_column_work work;
} isai;

static const gsolve_option options[] = {
    {"factors",
     "the factors whose inverses are approximated; ilu: those of ilu; ic: those of ic, for a "
     "symmetric A",
     GSOLVE_CHOICE, offsetof(isai_options, factors), FACTORS_ILU, 0, 0, "ilu|ic"},
    {"power", "the approximate inverse of a factor T has the pattern of T^power", GSOLVE_INT,
     offsetof(isai_options, power), 1, 1, 10, NULL},
    {"longest",
     "limit of the entries per row of the inverse; a row that would have more uses a lower power, "
     "but at least 1 (power 1 may exceed the limit)",
     GSOLVE_INT, offsetof(isai_options, longest), 512, 1, 1000000, NULL},
    {"relax",
     "number of relaxation steps that improve each triangular solve; each step costs two more "
     "products per factor",
     GSOLVE_INT, offsetof(isai_options, relax), 0, 0, 20, NULL},
    {"shift", "initial shift, as in ilu and ic; raised automatically on breakdown", GSOLVE_REAL,
     offsetof(isai_options, shift), 0, 0, GS_MAX_SHIFT, NULL},
    {0},
};

/* --- set-up ----------------------------------------------------------------------------------- */

/* Frees both of them. */
static void destroy_inverses(isai_inverse *inverse)
{
    for (int k = 0; k < 2; k++) {
        gsolve_matrix_destroy(&inverse[k].W);
        gsolve_matrix_destroy(&inverse[k].T);
    }
}

typedef struct setup_job {
    gs_strict_triangle L, U;
    double *d; /* 1 / D_ii; its square root with ic */
    double shift;
    gsolve_csr W[2], T[2]; /* become the matrices of the handle; W[1] and T[1] are transposed until
                              transpose_second */
    int32_t shortened;
    bool fits; /* all values are within the range of the type */
} setup_job;

static void free_job(setup_job *w, gsolve_context *ctx)
{
    gs_strict_triangle_free(&w->L, ctx);
    gs_strict_triangle_free(&w->U, ctx);
    gsolve_free(ctx, GSOLVE_HOST, w->d);
    for (int k = 0; k < 2; k++) {
        gsolve_csr_free(&w->W[k], ctx);
        gsolve_csr_free(&w->T[k], ctx);
    }
}

static gsolve_status factor(const isai *M, gsolve_context *ctx, const gsolve_csr *csr, setup_job *w)
{
    const gs_incomplete_args args = {.who = "isai", .schedule = &M->schedule};
    gsolve_status status;

    if (M->options.factors == FACTORS_ILU) {
        return gs_incomplete_lu(&w->L, &w->U, w->d, ctx, csr, &args, &w->shift);
    }
    TRY(gs_incomplete_cholesky(&w->L, w->d, ctx, csr, &args, &w->shift));
    for (int32_t i = 0; i < csr->nrows; i++) w->d[i] = sqrt(w->d[i]);
done:
    return status;
}

/* The pattern of W[k], the inverse of I + L: that of the existing matrix if there is one. */
static gsolve_status make_pattern(const isai *M, gsolve_context *ctx, gsolve_type type, int k,
                                  const gs_strict_triangle *L, setup_job *w)
{
    int32_t shortened = 0;
    gsolve_csr made;
    gsolve_status status = GSOLVE_OK;

    if (w->W[k].start) return GSOLVE_OK;
    if (M->factor[k].W) {
        gsolve_matrix_csr(M->factor[k].W, &made);
        return k == 0 ? gs_csr_move(&w->W[k], ctx, GSOLVE_HOST, &made)
                      : gsolve_csr_transpose(&w->W[k], ctx, &made);
    }
    TRY(gs_isai_pattern(&w->W[k], ctx, type, L, M->options.power, M->options.longest, &shortened));
    w->shortened += shortened;
done:
    return status;
}

/* Computes W[k] and T[k]. */
static gsolve_status invert_factor(const isai *M, gsolve_context *ctx, gsolve_type type, int k,
                                   const gs_strict_triangle *L, const double *scale, setup_job *w)
{
    bool fits = true;
    gsolve_status status;

    TRY(make_pattern(M, ctx, type, k, L, w));
    TRY(gs_isai_fill(&w->W[k], ctx, L, scale, &fits));
    w->fits = w->fits && fits;
    if (M->options.relax > 0) {
        gsolve_csr_free(&w->T[k], ctx);
        TRY(gs_isai_triangle(&w->T[k], ctx, type, L, scale, &fits));
        w->fits = w->fits && fits;
    }
done:
    return status;
}

static gsolve_status invert(const isai *M, gsolve_context *ctx, gsolve_type type, setup_job *w)
{
    gs_strict_triangle U = {0};
    gsolve_status status;

    w->fits = true;
    if (M->options.factors == FACTORS_IC) return invert_factor(M, ctx, type, 0, &w->L, w->d, w);
    TRY(gs_strict_triangle_transpose(&U, ctx, &w->U));
    TRY(invert_factor(M, ctx, type, 0, &w->L, NULL, w));
    TRY(invert_factor(M, ctx, type, 1, &U, w->d, w));
done:
    gs_strict_triangle_free(&U, ctx);
    return status;
}

/* Factors and inverts, with larger shifts until the inverse is within the range of the type. */
static gsolve_status approximate(const isai *M, gsolve_context *ctx, const gsolve_csr *csr,
                                 setup_job *w)
{
    gsolve_status status;

    w->shift = M->options.shift;
    for (;;) {
        TRY(factor(M, ctx, csr, w));
        TRY(invert(M, ctx, csr->type, w));
        if (w->fits) break;
        w->shift = gs_next_shift(w->shift);
        gs_strict_triangle_reload(&w->L, ctx, csr);
        if (w->U.start) gs_strict_triangle_reload(&w->U, ctx, csr);
    }
done:
    return status;
}

/* X[1] = X[1]', or X[0]' with ic. */
static gsolve_status transpose_second(const isai *M, gsolve_context *ctx, gsolve_csr X[2])
{
    gsolve_csr transposed = {0};
    gsolve_status status;

    TRY(gsolve_csr_transpose(&transposed, ctx, &X[M->options.factors == FACTORS_ILU]));
    gsolve_csr_free(&X[1], ctx);
    X[1] = transposed;
done:
    return status;
}

/* Creates *A from csr, or gives an existing *A csr's values. csr is freed or not as
 * gsolve_matrix_create_owned says. */
static gsolve_status store_matrix(gsolve_matrix **A, gsolve_context *ctx, gsolve_csr *csr)
{
    return *A ? gsolve_matrix_update(*A, csr) : gsolve_matrix_create_owned(A, ctx, "csr", csr);
}

/* The first call builds factor, schedule, shift and shortened. A later one gives factor the values
 * of a matrix of the same pattern, and frees transposed. On failure M is unchanged. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    isai *M = self;
    const bool is_new = !M->factor[0].W;
    setup_job w = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.d, csr->nrows);
    TRY(gs_strict_triangle_extract(&w.L, ctx, csr, false));
    if (M->options.factors == FACTORS_ILU) TRY(gs_strict_triangle_extract(&w.U, ctx, csr, true));
    if (!M->work.one[0].value) {
        M->work.vectors = M->options.relax > 0 ? 2 : 1;
        M->work.in_place = true;
        TRY(gs_column_work_create(&M->work, ctx, csr));
    }
    if (is_new) {
        TRY(gs_schedule_create(&M->schedule, ctx, false, w.L.n, w.L.start, w.L.col));
    }
    TRY(approximate(M, ctx, csr, &w));
    TRY(transpose_second(M, ctx, w.W));
    if (M->options.relax > 0) TRY(transpose_second(M, ctx, w.T));
    for (int k = 0; k < 2; k++) {
        TRY(store_matrix(&M->factor[k].W, ctx, &w.W[k]));
        if (M->options.relax > 0) TRY(store_matrix(&M->factor[k].T, ctx, &w.T[k]));
    }
    if (is_new) M->shortened = w.shortened;
    M->shift = w.shift;
    destroy_inverses(M->transposed);
done:
    free_job(&w, ctx);
    return status;
}

/* --- the transposes --------------------------------------------------------------------------- */

static gsolve_status transpose(gsolve_matrix **to, gsolve_context *ctx, const gsolve_matrix *from)
{
    gsolve_csr rows, transposed = {0};
    gsolve_status status;

    gsolve_matrix_csr(from, &rows);
    TRY(gsolve_csr_transpose(&transposed, ctx, &rows));
    TRY(gsolve_matrix_create_owned(to, ctx, "csr", &transposed));
done:
    gsolve_csr_free(&transposed, ctx);
    return status;
}

/* Builds transposed unless it exists; both matrices or none. */
static gsolve_status make_transposed(isai *M, gsolve_context *ctx)
{
    gsolve_status status;

    if (M->transposed[0].W) return GSOLVE_OK;
    for (int k = 0; k < 2; k++) {
        TRY(transpose(&M->transposed[1 - k].W, ctx, M->factor[k].W));
        if (M->options.relax > 0) {
            TRY(transpose(&M->transposed[1 - k].T, ctx, M->factor[k].T));
        }
    }
done:
    if (status != GSOLVE_OK) destroy_inverses(M->transposed);
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    isai *M = self;

    destroy_inverses(M->factor);
    destroy_inverses(M->transposed);
    gs_schedule_destroy(&M->schedule, ctx);
    gs_column_work_destroy(&M->work, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    (void)user;
    return gs_precond_build(self, ctx, csr, chosen, &gs_isai, sizeof(isai));
}

/* --- application ------------------------------------------------------------------------------ */

/* y = W x, then the relaxation steps y += W (x - T y). q: work space for the steps. */
static gsolve_status solve(const isai *M, gsolve_context *ctx, isai_inverse factor, gsolve_dense x,
                           gsolve_dense y, gsolve_dense q)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, x.type);
    gsolve_status status;

    TRY(gsolve_matrix_apply(factor.W, 1, x, 0, y));
    for (int step = 0; step < M->options.relax; step++) {
        TRY(vector->copy(ctx->queue, (int64_t)x.nrows * x.ncols, x.type, x.value, q.value));
        TRY(gsolve_matrix_apply(factor.T, -1, y, 1, q));
        TRY(gsolve_matrix_apply(factor.W, 1, q, 1, y));
    }
done:
    return status;
}

/* z = W1 W0 r. z may be r. */
static gsolve_status apply_factors(const void *self, gsolve_context *ctx, const void *factors,
                                   gsolve_dense r, gsolve_dense z, const gsolve_dense *work)
{
    const isai *M = self;
    const isai_inverse *factor = factors;
    const gsolve_dense y = work[0], q = work[M->work.vectors - 1];
    gsolve_status status;

    TRY(solve(M, ctx, factor[0], r, y, q));
    TRY(solve(M, ctx, factor[1], y, z, q));
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    isai *M = self;
    return gs_apply_in_blocks(&M->work, ctx, apply_factors, M, M->factor, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    isai *M = self;
    gsolve_status status;

    if (M->options.factors == FACTORS_IC) return apply(M, ctx, r, z); /* M is symmetric */
    TRY(make_transposed(M, ctx));
    TRY(gs_apply_in_blocks(&M->work, ctx, apply_factors, M, M->transposed, r, z));
done:
    return status;
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const isai *M = self;
    char rows[100] = "", shift[40] = "";

    if (M->shift > 0) snprintf(shift, sizeof shift, "shift %.3g", M->shift);
    if (M->shortened > 0) {
        snprintf(rows, sizeof rows, "%d rows with more than %d entries have a lower power",
                 M->shortened, M->options.longest);
    }
    snprintf(info->note, sizeof info->note, "%s%s%s", shift, *shift && *rows ? ", " : "", rows);
}

const gsolve_precond_kind gs_isai = {
    .plugin = {"isai",
               "incomplete sparse approximate inverse of the factors of ilu or ic; applied by "
               "matrix-vector products",
               options, sizeof(isai_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .update = update,
    .describe = describe,
};
