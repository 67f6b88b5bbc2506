/* least_squares.c: whether the x of a column that did not converge is a least-squares solution:
 *
 *     |A'r| <= rtol |A| |r|,   r = b - A x from the caller's A, b and x
 *
 * |A| is the Frobenius norm. Of an operator it is not known; a few steps of power iteration then
 * give |A v| / |v|, which is at most the spectral norm, and so makes the test stricter.
 *
 * r is computed in double precision and rounded to A's type, and A'r in A's type. Both are scaled
 * by powers of two, so that no square leaves the range of numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/operator.h"
#include "matrix/structural_rank.h"
#include "solver/methods/golub_kahan.h"
#include "solver/run/run.h"

#define POWER_STEPS 10

/* --- work space ------------------------------------------------------------------------------- */

/* *v = one column of n elements of A's type. */
static gsolve_status new_column(gs_krylov *k, int32_t n, gsolve_dense *v)
{
    const int64_t stride = gs_vector_stride(n);

    *v = (gsolve_dense){n, 1, stride, NULL, k->csr.type, gs_location(k->ctx), GSOLVE_COLUMN_MAJOR};
    return gs_new_work(k, v->location, (size_t)stride, gs_type_size(k->csr.type), &v->value);
}

gsolve_status gs_least_squares_reserve(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;
    gsolve_status status = GSOLVE_OK;

    if (s->sum) return GSOLVE_OK;
    TRY(new_column(k, k->csr.nrows, &s->r));
    TRY(new_column(k, k->csr.ncols, &s->g));
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, sizeof *s->sum, (void **)(void *)&s->sum));
done:
    return status;
}

/* *norm = |v| of `count` elements of A's type where kernels read them. */
static gsolve_status norm_of(gs_krylov *k, int64_t count, const void *v, double *norm)
{
    double *sum = k->run->least_squares.sum;
    gsolve_status status;

    TRY(k->vector->dot(k->ctx->queue, count, v, v, sum));
    TRY(gsolve_copy(k->ctx, norm, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof *norm));
    *norm = sqrt(*norm);
done:
    return status;
}

/* --- |A| -------------------------------------------------------------------------------------- */

/* |A| from the rows on the host, whose squares leave the range of double. */
static gsolve_status norm_of_scaled_rows(gs_krylov *k, double *norm)
{
    const gsolve_csr *A = &k->csr;
    double most = 0, sum = 0;
    int64_t end;
    gsolve_status status;

    TRY(gs_need_rows(k));
    end = gs_start(A, A->nrows);
    for (int64_t e = 0; e < end; e++) most = fmax(most, fabs(gs_value(A, e)));
    for (int64_t e = 0; e < end && most > 0; e++) {
        const double v = gs_value(A, e) / most;
        sum += v * v;
    }
    *norm = most * sqrt(sum);
done:
    return status;
}

static gsolve_status norm_of_rows(gs_krylov *k, double *norm)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_csr rows;
    gsolve_status status;

    gsolve_matrix_describe(k->A, &info);
    gsolve_matrix_device_csr(k->A, &rows);
    TRY(norm_of(k, info.entries, rows.value, norm));
    if (*norm < 1e100 && *norm > 1e-100) return GSOLVE_OK;
    TRY(norm_of_scaled_rows(k, norm));
done:
    return status;
}

/* g = A'r; *norm = |g|. */
static gsolve_status apply_transpose(gs_krylov *k, double factor, double *norm)
{
    gs_least_squares *s = &k->run->least_squares;
    gsolve_status status;

    TRY(gsolve_matrix_apply_transpose(k->A, factor, s->r, 0, s->g));
    TRY(norm_of(k, k->csr.ncols, s->g.value, norm));
done:
    return status;
}

/* *norm = the largest |A v| / |v| of a power iteration that begins with the column b. */
static gsolve_status norm_of_operator(gs_krylov *k, gsolve_dense b, double *norm)
{
    gs_least_squares *s = &k->run->least_squares;
    const gs_ratio none = {.sign = 0};
    double r, g;
    gsolve_status status;

    *norm = 0;
    TRY(norm_of(k, k->csr.nrows, b.value, &r));
    TRY(k->vector->axpby(k->ctx->queue, b.nrows, (gs_ratio){.sign = r > 0 ? 1 / r : 0}, b.value,
                         none, s->r.value));
    for (int i = 0; i < POWER_STEPS; i++) {
        TRY(apply_transpose(k, 1, &g));
        if (!(g > 0) || !isfinite(g)) break;
        TRY(k->vector->scale(k->ctx->queue, k->csr.ncols, (gs_ratio){.sign = 1 / g}, s->g.value));
        TRY(gsolve_matrix_apply(k->A, 1, s->g, 0, s->r));
        TRY(norm_of(k, k->csr.nrows, s->r.value, &r));
        if (!(r > 0) || !isfinite(r)) break;
        *norm = fmax(*norm, fmax(g, r));
        TRY(k->vector->scale(k->ctx->queue, k->csr.nrows, (gs_ratio){.sign = 1 / r}, s->r.value));
    }
done:
    return status;
}

/* The first right-hand side that is not solved yet, in A's type. */
static gsolve_dense first_b(const gs_krylov *k)
{
    int32_t c = 0;

    while (c + 1 < k->ncols && !k->active[c]) c++;
    return gs_outer_column(k->b, k, c);
}

/* s->norm = |A| of the present values. */
static gsolve_status need_norm(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status;

    gsolve_matrix_describe(k->A, &info);
    if (s->sum && s->version == info.version && s->measured) return GSOLVE_OK;
    s->measured = s->examined = false;
    TRY(gs_least_squares_reserve(k));
    TRY(gs_matrix_is_operator(k->A) ? norm_of_operator(k, first_b(k), &s->norm)
                                    : norm_of_rows(k, &s->norm));
    s->version = info.version;
    s->measured = true;
done:
    return status;
}

gsolve_status gs_norm_of_A(gs_krylov *k, double *norm)
{
    gsolve_status status;

    TRY(need_norm(k));
    *norm = ldexp(k->run->least_squares.norm, k->run->size);
done:
    return status;
}

/* --- |A'r| ------------------------------------------------------------------------------------ */

gsolve_status gs_normal_residual(gs_krylov *k, gsolve_dense b, gsolve_dense x, double size,
                                 double *measure)
{
    gs_least_squares *s = &k->run->least_squares;
    const int most = k->csr.type == GSOLVE_F32 ? 100 : GS_MOST_EXPONENT;
    int of_r, of_A;
    double r, g, factor;
    gsolve_status status;

    *measure = INFINITY;
    TRY(need_norm(k));
    frexp(size, &of_r);
    frexp(s->norm, &of_A);
    factor = ldexp(1, -gs_outer_clamp(of_A, most));
    TRY(gs_matrix_residual_vector(k->A, b, x, -gs_outer_clamp(of_r, GS_MOST_EXPONENT), s->r));
    TRY(gs_projection_of_r(k, s->r));
    TRY(norm_of(k, k->csr.nrows, s->r.value, &r));
    TRY(apply_transpose(k, factor, &g));
    if (isfinite(g)) *measure = g == 0 ? 0 : g / (s->norm * factor * r);
done:
    return status;
}

bool gs_may_be_least_squares(const gs_krylov *k)
{
    return k->run->least_squares.sum && !k->run->monitor.stopped;
}

/* --- success ---------------------------------------------------------------------------------- */

/* Whether A is square, and nothing shows that it is singular. */
static gsolve_status may_be_regular(gs_krylov *k, bool *regular)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    int32_t rank;
    gsolve_status status = GSOLVE_OK;

    *regular = false;
    if (k->csr.nrows != k->csr.ncols || gs_projects(k)) return GSOLVE_OK;
    *regular = true;
    if (gs_matrix_is_operator(k->A)) return GSOLVE_OK;
    TRY(gsolve_matrix_statistics(k->A, &t));
    *regular = t.empty_rows == 0 && t.empty_cols == 0 && t.zero_sum_rows < t.nrows;
    if (!*regular) return GSOLVE_OK;
    TRY(gs_need_rows(k));
    TRY(gs_structural_rank(k->ctx, &k->csr, &rank));
    *regular = rank == k->csr.nrows;
done:
    return status;
}

gsolve_status gs_least_squares_outcome(gs_krylov *k, gsolve_outcome *outcome)
{
    gs_least_squares *s = &k->run->least_squares;
    const bool chosen =
        k->method->normal && ((const gs_normal_options *)k->options)->accept == GS_ACCEPT_ANY;
    gsolve_status status = GSOLVE_OK;

    *outcome = GSOLVE_LEAST_SQUARES;
    if (chosen) return GSOLVE_OK;
    if (!s->examined) TRY(may_be_regular(k, &s->regular));
    s->examined = true;
    if (s->regular) *outcome = GSOLVE_NOT_SOLVED;
done:
    return status;
}

void gs_least_squares_note(gs_krylov *k)
{
    const size_t length = strlen(k->note);
    double worst = -1;

    for (int32_t c = 0; c < k->ncols; c++) {
        const gs_column *column = &k->run->column[c];
        if (column->outcome == GSOLVE_LEAST_SQUARES) worst = fmax(worst, column->normal);
    }
    if (worst < 0) return;
    snprintf(k->note + length, sizeof k->note - length,
             "%sx is a least-squares solution: |A^T r| = %.1e |A| |r|, in the Frobenius norm%s.",
             length ? " " : "", worst,
             gs_matrix_is_operator(k->A) ? " or a lower bound of it" : "");
}
