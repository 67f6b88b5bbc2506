/* least_squares.c: whether the x of a column that did not converge is a least-squares solution:
 *
 *     |A'r| <= rtol |A| |r|,   r = b - A x from the caller's A, b and x
 *
 * |A| is the Frobenius norm. Of an operator it is not known; a few steps of power iteration then
 * give |A v| / |v|, which is at most the spectral norm, and so makes the test stricter. They begin
 * with random numbers, which are the same in each run.
 *
 * r is computed in double precision and rounded to A's type, and A'r in A's type. Both are scaled
 * by powers of two, so that no square leaves the range of numbers.
 *
 * A small |A'r| also shows that A is nearly singular: A - r (A'r)' / |r|^2 is singular, since its
 * transpose maps r to 0, and it differs from A by |A'r| / |r|. So r proves that A is singular, to
 * rounding, if |A'r| <= ROUNDING |A| |r|. A run that found a least-squares solution of a square
 * matrix by its tolerance, and no proof, goes on until r is one, or x solves the system. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "gsolve_io.h"
#include "matrix/operator.h"
#include "matrix/structural_rank.h"
#include "solver/methods/golub_kahan.h"
#include "solver/run/least_squares.h"
#include "solver/run/run.h"

#define POWER_STEPS 10

#define ROUNDING 0x1p-46 /* 1.4e-14, or 64 units of the last place of double */

/* A run goes on for a proof until it has made PROOF_FACTOR times the iterations, and
 * PROOF_ITERATIONS. Steps reduce |A'r| by a constant factor, so from 1e-8 to ROUNDING it takes
 * about as many as before. */
#define PROOF_FACTOR     3.0
#define PROOF_ITERATIONS 100

/* --- work space ------------------------------------------------------------------------------- */

/* *v = one column of n elements of A's type. */
static gsolve_status new_column(gs_krylov *k, int32_t n, gsolve_dense *v)
{
    const int64_t stride = gs_vector_stride(n);

    *v = (gsolve_dense){n, 1, stride, NULL, k->csr.type, gs_location(k->ctx), GSOLVE_COLUMN_MAJOR};
    return gs_new_work(k, v->location, (size_t)stride, gs_type_size(k->csr.type), &v->value);
}

/* Whether the options accept a least-squares solution of any A. */
static bool accepts_any(const gs_krylov *k)
{
    return k->method->normal && ((const gs_normal_options *)k->options)->accept == GS_ACCEPT_ANY;
}

/* Whether A may be one that is examined for a proof that it is singular: it is square, it has rows,
 * all of them on this rank, and the options do not accept a least-squares solution of any A. */
static bool needs_proof(const gs_krylov *k)
{
    return !accepts_any(k) && k->csr.nrows == k->csr.ncols && !k->comm &&
           !(k->A && gs_matrix_is_operator(k->A));
}

/* s->start = random numbers, with norm 1. */
static gsolve_status set_start(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;
    const int32_t n = k->csr.nrows;
    const size_t size = gs_type_size(k->csr.type), bytes = (size_t)n * size;
    double square = 0;
    void *draft;
    gsolve_status status;

    TRY(gs_new_work(k, s->r.location, (size_t)n, size, &s->start));
    if (gs_is_counting(k)) return GSOLVE_OK;
    draft = gs_draft(k->ctx, s->start, bytes);
    if (!draft) return GSOLVE_NO_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        const double value = gsolve_random(2026, (uint64_t)i);
        square += value * value;
    }
    for (int32_t i = 0; i < n; i++) {
        gs_put_value(draft, k->csr.type, i, gsolve_random(2026, (uint64_t)i) / sqrt(square));
    }
    TRY(gs_draft_put(k->ctx, s->start, draft, bytes));
done:
    return status;
}

gsolve_status gs_least_squares_reserve(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;
    const size_t matching = gs_structural_rank_bytes(k->csr.nrows);
    gsolve_status status = GSOLVE_OK;

    if (s->sum) return GSOLVE_OK;
    TRY(new_column(k, k->csr.nrows, &s->r));
    TRY(new_column(k, k->csr.ncols, &s->g));
    if (k->A && gs_matrix_is_operator(k->A)) TRY(set_start(k));
    if (needs_proof(k)) {
        TRY(gs_new_work(k, GSOLVE_HOST, 1, matching, &s->matching));
        if (!gs_is_counting(k)) TRY(gs_need_rows(k));
    }
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, sizeof *s->sum, (void **)(void *)&s->sum));
done:
    return status;
}

gsolve_status gs_least_squares_prepare(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;
    gsolve_status status;

    TRY(gs_least_squares_reserve(k));
    TRY(k->vector->zero(k->ctx->queue, k->csr.nrows, s->r.value));
    TRY(gsolve_matrix_apply_transpose(k->A, 1, s->r, 0, s->g));
done:
    return status;
}

/* *norm = |v| of `count` elements of A's type where kernels read them. */
static gsolve_status norm_of(gs_krylov *k, int64_t count, const void *v, double *norm)
{
    double *sum = k->run->least_squares.sum;
    gsolve_status status;

    TRY(k->vector->dot(k->ctx->queue, count, v, v, sum));
    TRY(gs_comm_sum_of(k->comm, sum, 1));
    TRY(gsolve_copy(k->ctx, norm, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof *norm));
    *norm = sqrt(*norm);
done:
    return status;
}

/* --- |A| -------------------------------------------------------------------------------------- */

/* Part i of this rank's rows; false: there is none. On one rank there is one part, k->csr. */
static bool rows_on_host(const gs_krylov *k, int i, gsolve_csr *part)
{
    if (k->comm) return gs_matrix_part(k->A, i, part);
    *part = k->csr;
    return i == 0;
}

/* |A| from the rows on the host, whose squares leave the range of double. */
static gsolve_status norm_of_scaled_rows(gs_krylov *k, double *norm)
{
    gsolve_csr A;
    double most = 0, sum = 0;
    gsolve_status status;

    if (!k->comm) TRY(gs_need_rows(k));
    for (int i = 0; rows_on_host(k, i, &A); i++) {
        const int64_t end = gs_start(&A, A.nrows);
        for (int64_t e = 0; e < end; e++) most = fmax(most, fabs(gs_value(&A, e)));
    }
    TRY(gs_comm_largest(k->comm, &most, 1));
    for (int i = 0; rows_on_host(k, i, &A); i++) {
        const int64_t end = gs_start(&A, A.nrows);
        for (int64_t e = 0; e < end && most > 0; e++) {
            const double v = gs_value(&A, e) / most;
            sum += v * v;
        }
    }
    TRY(gs_comm_sum_on_host(k->comm, &sum, 1));
    *norm = most * sqrt(sum);
done:
    return status;
}

/* |A| of rows that several ranks share. */
static gsolve_status norm_over_ranks(gs_krylov *k, double *norm)
{
    gsolve_csr part;
    double of_part;
    gsolve_status status = GSOLVE_OK;

    *norm = 0;
    for (int i = 0; rows_on_host(k, i, &part); i++) {
        TRY(norm_of(k, gs_start(&part, part.nrows), gs_matrix_part_values(k->A, i), &of_part));
        *norm = hypot(*norm, of_part);
    }
done:
    return status;
}

static gsolve_status norm_on_one_rank(gs_krylov *k, double *norm)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_csr rows;

    gsolve_matrix_describe(k->A, &info);
    gsolve_matrix_device_csr(k->A, &rows);
    return norm_of(k, info.entries, rows.value, norm);
}

static gsolve_status norm_of_rows(gs_krylov *k, double *norm)
{
    gsolve_status status;

    TRY(k->comm ? norm_over_ranks(k, norm) : norm_on_one_rank(k, norm));
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

    TRY(gs_comm_defer(k->comm, gsolve_matrix_apply_transpose(k->A, factor, s->r, 0, s->g)));
    TRY(norm_of(k, k->csr.ncols, s->g.value, norm));
done:
    return status;
}

static bool is_positive(double norm)
{
    return norm > 0 && isfinite(norm);
}

/* g = factor A'r; *norm = |g|. factor is a power of two, 1 if the squares of g are in the range of
 * numbers. */
static gsolve_status apply_transpose_scaled(gs_krylov *k, double *factor, double *norm)
{
    static const int exponents[] = {0, 45, -45, 90, -90};
    const int unit = k->csr.type == GSOLVE_F32 ? 1 : 10;
    gsolve_status status;

    for (int i = 0; i < 5; i++) {
        *factor = ldexp(1, unit * exponents[i]);
        TRY(apply_transpose(k, *factor, norm));
        if (*norm > 1e-100 && *norm < 1e100) break;
    }
done:
    return status;
}

/* *norm = the largest |A v| / |v| of a power iteration. 0: A is 0, or its products are not finite.
 */
static gsolve_status norm_of_operator(gs_krylov *k, double *norm)
{
    gs_least_squares *s = &k->run->least_squares;
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    double r, g, factor = 1;
    gsolve_status status;

    *norm = 0;
    TRY(k->vector->copy(k->ctx->queue, m, k->csr.type, s->start, s->r.value));
    for (int i = 0; i < POWER_STEPS; i++) {
        TRY(i == 0 ? apply_transpose_scaled(k, &factor, &g) : apply_transpose(k, factor, &g));
        if (!is_positive(g)) break;
        *norm = fmax(*norm, g / factor);
        TRY(k->vector->scale(k->ctx->queue, n, (gs_ratio){.sign = 1 / g}, s->g.value));
        TRY(gs_comm_defer(k->comm, gsolve_matrix_apply(k->A, factor, s->g, 0, s->r)));
        TRY(norm_of(k, m, s->r.value, &r));
        if (!is_positive(r)) break;
        *norm = fmax(*norm, r / factor);
        TRY(k->vector->scale(k->ctx->queue, m, (gs_ratio){.sign = 1 / r}, s->r.value));
    }
done:
    return status;
}

/* s->norm = |A| of the present values. */
static gsolve_status need_norm(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status;

    gsolve_matrix_describe(k->A, &info);
    if (s->version == info.version && s->measured) return GSOLVE_OK;
    s->measured = s->examined = false;
    TRY(gs_matrix_is_operator(k->A) ? norm_of_operator(k, &s->norm) : norm_of_rows(k, &s->norm));
    s->version = info.version;
    s->measured = s->norm > 0 || !gs_matrix_is_operator(k->A); /* a function may have failed */
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

gsolve_status gs_normal_residual(gs_krylov *k, gsolve_dense b, gsolve_dense x,
                                 const gs_norms *norms, double *measure)
{
    gs_least_squares *s = &k->run->least_squares;
    const int most = k->csr.type == GSOLVE_F32 ? 100 : GS_MOST_EXPONENT;
    int of_r, of_A;
    double r, g, factor;
    gsolve_status status;

    *measure = INFINITY;
    TRY(need_norm(k));
    frexp(norms->r, &of_r);
    frexp(s->norm, &of_A);
    factor = ldexp(1, -gs_outer_clamp(of_A, most));
    TRY(gs_matrix_residual_vector(k->A, b, x, -gs_outer_clamp(of_r, GS_MOST_EXPONENT),
                                  norms->doubled, s->r));
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

/* Whether every row has at least two entries and sums to 0: then A maps the constants to 0. */
static bool all_rows_sum_to_0(const gsolve_csr *A)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0, most = 0;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            sum += gs_value(A, e);
            most += fabs(gs_value(A, e));
        }
        if (gs_start(A, i + 1) - gs_start(A, i) < 2 || !(fabs(sum) <= 1e-12 * most)) return false;
    }
    return true;
}

/* Whether A is not square, or proven singular by the rows of A alone. */
static bool is_deficient(gs_krylov *k)
{
    gs_least_squares *s = &k->run->least_squares;

    if (k->total_rows != k->total_cols || gs_projects(k)) return true;
    if (!s->matching) return false;
    if (!s->examined) {
        s->singular =
            all_rows_sum_to_0(&k->csr) || gs_is_structurally_deficient(&k->csr, s->matching);
    }
    s->examined = true;
    return s->singular;
}

double gs_least_squares_tolerance(const gs_krylov *k)
{
    const double rtol = gs_run_options_of(k)->rtol;

    return rtol > 0 ? fmax(rtol, ROUNDING) : 0;
}

double gs_least_squares_limit(const gs_krylov *k, int32_t c)
{
    return k->run->column[c].proving ? ROUNDING : gs_least_squares_tolerance(k);
}

gsolve_outcome gs_least_squares_outcome(gs_krylov *k, double normal)
{
    return accepts_any(k) || normal <= ROUNDING || is_deficient(k) ? GSOLVE_LEAST_SQUARES
                                                                   : GSOLVE_NOT_SOLVED;
}

bool gs_least_squares_go_on(gs_krylov *k, int32_t c)
{
    gs_column *column = &k->run->column[c];
    const int done = k->run->counts.iteration;

    if (column->outcome != GSOLVE_NOT_SOLVED || !k->method->normal || k->csr.type != GSOLVE_F64 ||
        done >= column->most || !(column->normal < 0.5 * column->normal_before)) {
        return false;
    }
    if (!column->proving) {
        column->most = (int)fmin(column->most, PROOF_FACTOR * (double)done + PROOF_ITERATIONS);
    }
    column->proving = true;
    return true;
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
