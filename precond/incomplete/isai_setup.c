/* isai_setup.c: set-up of isai: factorisation, approximate inverses, and their matrices. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "precond/incomplete/incomplete.h"
#include "precond/incomplete/isai.h"

typedef struct setup_job {
    gs_strict_triangle L, U;
    double *d; /* 1 / D_ii; its square root with ic */
    double shift;
    gsolve_csr V[2];       /* W0 and W1' */
    gsolve_csr W[2], T[2]; /* become the matrices of the handle */
    int32_t shortened;
    bool fits; /* all values are within the range of the type */
} setup_job;

static void free_job(setup_job *w, gsolve_context *ctx)
{
    gs_strict_triangle_free(&w->L, ctx);
    gs_strict_triangle_free(&w->U, ctx);
    gsolve_free(ctx, GSOLVE_HOST, w->d);
    for (int k = 0; k < 2; k++) {
        gsolve_csr_free(&w->V[k], ctx);
        gsolve_csr_free(&w->W[k], ctx);
        gsolve_csr_free(&w->T[k], ctx);
    }
}

static gsolve_status factor(const gs_isai_data *M, gsolve_context *ctx, const gsolve_csr *csr,
                            setup_job *w)
{
    gsolve_status status;

    if (M->options.factors == GS_ISAI_ILU) {
        return gs_incomplete_lu(&w->L, &w->U, w->d, ctx, csr,
                                &(gs_incomplete_args){"isai", &M->schedule, false}, &w->shift);
    }
    TRY(gs_incomplete_cholesky(&w->L, w->d, ctx, csr,
                               &(gs_incomplete_args){"isai", &M->schedule, false}, &w->shift));
    for (int32_t i = 0; i < csr->nrows; i++) w->d[i] = sqrt(w->d[i]);
done:
    return status;
}

/* The pattern of V[k], the inverse of I + L: that of the existing matrix if there is one. */
static gsolve_status make_pattern(const gs_isai_data *M, gsolve_context *ctx, gsolve_type type,
                                  int k, const gs_strict_triangle *L, setup_job *w)
{
    int32_t shortened = 0;
    gsolve_csr made;
    gsolve_status status = GSOLVE_OK;

    if (w->V[k].start) return GSOLVE_OK;
    if (M->factor[k].W) {
        gsolve_matrix_csr(M->factor[k].W, &made);
        return k == 0 ? gs_csr_move(&w->V[k], ctx, GSOLVE_HOST, &made)
                      : gsolve_csr_transpose(&w->V[k], ctx, &made);
    }
    TRY(gs_isai_pattern(&w->V[k], ctx, type, L, M->options.power, M->options.longest, &shortened));
    w->shortened += shortened;
done:
    return status;
}

/* Computes V[k] and T[k]. T[1] holds its transpose until transpose_second. */
static gsolve_status invert_factor(const gs_isai_data *M, gsolve_context *ctx, gsolve_type type,
                                   int k, const gs_strict_triangle *L, const double *scale,
                                   setup_job *w)
{
    bool fits = true;
    gsolve_status status;

    TRY(make_pattern(M, ctx, type, k, L, w));
    TRY(gs_isai_fill(&w->V[k], ctx, L, scale, &fits));
    w->fits = w->fits && fits;
    if (M->options.relax > 0) {
        gsolve_csr_free(&w->T[k], ctx);
        TRY(gs_isai_triangle(&w->T[k], ctx, type, L, scale, &fits));
        w->fits = w->fits && fits;
    }
done:
    return status;
}

static gsolve_status invert(const gs_isai_data *M, gsolve_context *ctx, gsolve_type type,
                            setup_job *w)
{
    gs_strict_triangle U = {0};
    gsolve_status status;

    w->fits = true;
    if (M->options.factors == GS_ISAI_IC) return invert_factor(M, ctx, type, 0, &w->L, w->d, w);
    TRY(gs_strict_triangle_transpose(&U, ctx, &w->U));
    TRY(invert_factor(M, ctx, type, 0, &w->L, NULL, w));
    TRY(invert_factor(M, ctx, type, 1, &U, w->d, w));
done:
    gs_strict_triangle_free(&U, ctx);
    return status;
}

/* Factors and inverts, with larger shifts until the inverse is within the range of the type. */
static gsolve_status approximate(const gs_isai_data *M, gsolve_context *ctx, const gsolve_csr *csr,
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

/* W[0] = V[0], W[1] = V[1]' (V[0]' with ic), and T[1] = its transpose. */
static gsolve_status transpose_second(const gs_isai_data *M, gsolve_context *ctx, setup_job *w)
{
    const int second = M->options.factors == GS_ISAI_ILU;
    gsolve_csr transposed = {0};
    gsolve_status status;

    TRY(gsolve_csr_transpose(&w->W[1], ctx, &w->V[second]));
    w->W[0] = w->V[0];
    memset(&w->V[0], 0, sizeof w->V[0]);
    if (M->options.relax > 0) {
        TRY(gsolve_csr_transpose(&transposed, ctx, &w->T[second]));
        gsolve_csr_free(&w->T[1], ctx);
        w->T[1] = transposed;
    }
done:
    return status;
}

/* Creates *A from csr, or gives an existing *A csr's values. csr is freed or not as
 * gsolve_matrix_create_owned says. */
static gsolve_status store_matrix(gsolve_matrix **A, gsolve_context *ctx, gsolve_csr *csr)
{
    return *A ? gsolve_matrix_update(*A, csr) : gsolve_matrix_create_owned(A, ctx, "csr", csr);
}

gsolve_status gs_isai_setup(gs_isai_data *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    const bool is_new = !M->factor[0].W;
    setup_job w = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.d, csr->nrows);
    TRY(gs_strict_triangle_extract(&w.L, ctx, csr, false));
    if (M->options.factors == GS_ISAI_ILU) TRY(gs_strict_triangle_extract(&w.U, ctx, csr, true));
    if (is_new) {
        TRY(gs_schedule_create(&M->schedule, ctx, false, w.L.n, w.L.start, w.L.col));
    }
    TRY(approximate(M, ctx, csr, &w));
    TRY(transpose_second(M, ctx, &w));
    for (int k = 0; k < 2; k++) {
        TRY(store_matrix(&M->factor[k].W, ctx, &w.W[k]));
        if (M->options.relax > 0) TRY(store_matrix(&M->factor[k].T, ctx, &w.T[k]));
    }
    if (is_new) M->shortened = w.shortened;
    M->shift = w.shift;
    gs_isai_destroy_inverses(M->transposed);
done:
    free_job(&w, ctx);
    return status;
}

/* --- the transposes --------------------------------------------------------------------------- */

void gs_isai_destroy_inverses(gs_isai_inverse *inverse)
{
    for (int k = 0; k < 2; k++) {
        gsolve_matrix_destroy(&inverse[k].W);
        gsolve_matrix_destroy(&inverse[k].T);
    }
}

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

gsolve_status gs_isai_make_transposed(gs_isai_data *M, gsolve_context *ctx)
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
    if (status != GSOLVE_OK) gs_isai_destroy_inverses(M->transposed);
    return status;
}
