/* explain_causes.c: the table of causes. A row has the evidence that its test needs, the test, the
 * sentences, and the remedies in order of preference. The first row whose test holds is the cause,
 * so certain causes come before suspicions, and those before the bare outcome of the run. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "matrix/operator.h"
#include "solver/choose/explain.h"

#define LEAST_SQUARES 1e-6 /* a smaller |A'r| / (|A| |r|) is that of a least-squares solution */
#define BAD_SCALING   1e8

enum {                  /* evidence */
       OF_A = 1,        /* the statistics of the matrix that the method iterates on */
       OF_ROWS = 2,     /* the rows of the caller's matrix */
       OF_RUN = 4,      /* a run, and */
       OF_RESIDUAL = 8, /* its residual, with the rows */
       OF_FAILURE = 16, /* a set-up that failed */
       BEFORE = 32      /* the cause is known before a run */
};

struct gs_cause {
    const char *name;
    int needs;
    bool (*test)(gs_case *c);
    void (*say)(gs_case *c);
    gs_remedy_id remedies[5];
};

void gs_add_sentence(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* --- what tests and sentences share ----------------------------------------------------------- */

static bool method_is(const gs_case *c, const char *name)
{
    return gs_spec_is(c->f->method, name);
}

static bool precond_is(const gs_case *c, const char *name)
{
    return gs_spec_is(c->f->precond, name);
}

static bool ended(const gs_case *c, gsolve_outcome outcome)
{
    return c->f->ran && c->f->outcome == outcome;
}

/* The method of the spec, or the inner method of refine. */
static const gs_method *method_of(const gs_case *c)
{
    const char *inner = strstr(c->f->method, ",inner=");
    const char *name = inner ? inner + strlen(",inner=") : c->f->method;
    const size_t length = strcspn(name, ",");

    for (int k = 0; gs_methods[k]; k++) {
        if (strlen(gs_methods[k]->name) == length && !strncmp(gs_methods[k]->name, name, length)) {
            return (const gs_method *)(const void *)gs_methods[k];
        }
    }
    return NULL;
}

static const char *name_of(const gs_case *c)
{
    const gs_method *m = method_of(c);
    return m ? m->plugin.name : "the method";
}

static bool needs_symmetric(const gs_case *c)
{
    const gs_method *m = method_of(c);
    return m && m->symmetric;
}

static bool needs_definite(const gs_case *c)
{
    const gs_method *m = method_of(c);
    return m && m->definite;
}

static bool is_square(const gs_case *c)
{
    return c->f->t.nrows == c->f->t.ncols;
}

/* Whether x is a least-squares solution, and |b - A x| not small. */
static bool is_least_squares(const gs_case *c)
{
    return c->normal >= 0 && c->normal <= LEAST_SQUARES && isfinite(c->f->residual) &&
           c->f->residual > 0.5 * c->f->rtol;
}

static void say_least_squares(gs_case *c)
{
    if (!is_least_squares(c)) return;
    GS_SAY(c,
           "No x solves A x = b: b is not in the range of A. x is a least-squares solution "
           "(|A^T r| / (|A| |r|) = %.1e), which leaves |b - Ax| / |b| = %.2e. ",
           c->normal, c->f->residual);
}

/* --- the caller, and the shape ---------------------------------------------------------------- */

static bool is_stopped(gs_case *c)
{
    return ended(c, GSOLVE_STOPPED) || ended(c, GSOLVE_ACCEPTED);
}

static void say_stopped(gs_case *c)
{
    if (ended(c, GSOLVE_ACCEPTED)) {
        GS_SAY(c,
               "The caller's stopping test accepted x at |b - Ax| / |b| = %.1e, which does not "
               "meet rtol and atol. ",
               c->f->residual);
    } else {
        GS_SAY(c, "%s stopped the run at |b - Ax| / |b| = %.1e. ",
               c->k->run->monitor.test ? "The monitor or the stopping test" : "The monitor",
               c->f->residual);
    }
}

static bool is_function(gs_case *c)
{
    const size_t used = strlen(c->f->text);

    return gs_explain_function(c->k, c->worst, c->f->text + used, sizeof c->f->text - used);
}

static bool is_not_square(gs_case *c)
{
    return !is_square(c);
}

static void say_not_square(gs_case *c)
{
    GS_SAY(c, "A is %d x %d, and %s needs a square matrix. ", c->f->t.nrows, c->f->t.ncols,
           method_of(c) && method_of(c)->any_shape ? c->f->precond : name_of(c));
}

/* --- singular matrices ------------------------------------------------------------------------ */

static bool is_zero(gs_case *c)
{
    return c->f->t.nrows > 0 && c->f->t.largest == 0;
}

static void say_zero(gs_case *c)
{
    GS_SAY(c, "No x solves A x = b unless b = 0: every entry of A is 0. ");
}

/* at[0] = an empty row in which the residual, and so b, is not 0. */
static bool has_empty_equation(gs_case *c)
{
    const int32_t column = (int32_t)(c->worst - c->k->run->column);

    for (int32_t i = c->f->t.empty_rows ? c->f->t.first_empty_row : c->rows.nrows;
         i < c->rows.nrows; i++) {
        if (gs_start(&c->rows, i + 1) > gs_start(&c->rows, i)) continue;
        c->at[0] = i;
        if (gs_report_element(gs_column_of(c->r, column), i) != 0) return true;
    }
    return false;
}

static void say_empty_equation(gs_case *c)
{
    const int32_t column = (int32_t)(c->worst - c->k->run->column);
    const double b = gs_report_element(gs_column_of(c->r, column), c->at[0]);

    GS_SAY(c,
           "The system is inconsistent: row %d of A (counted from 1) is empty, but b is %g there. "
           "No x solves A x = b. Remove the equation or correct the matrix. ",
           c->at[0] + 1, ldexp(b, c->worst->left));
}

static bool has_empty_row(gs_case *c)
{
    return c->f->t.empty_rows > 0;
}

static void say_empty_row(gs_case *c)
{
    GS_SAY(c, "A is singular: %d of its rows are empty", c->f->t.empty_rows);
    if (c->has_rows) {
        GS_SAY(c, ", and row %d of A (counted from 1) is empty", c->f->t.first_empty_row + 1);
    }
    GS_SAY(c, ". ");
    say_least_squares(c);
}

static bool has_empty_column(gs_case *c)
{
    return c->f->t.empty_cols > 0 && is_square(c);
}

static void say_empty_column(gs_case *c)
{
    c->at[0] = c->has_rows ? gs_first_empty_column(c->ctx, &c->rows) : -1;
    GS_SAY(c, "A is singular: %d of its columns are empty", c->f->t.empty_cols);
    if (c->at[0] >= 0) GS_SAY(c, ", and column %d of A (counted from 1) is empty", c->at[0] + 1);
    GS_SAY(c, ", so the unknown of that column is not determined. ");
    say_least_squares(c);
}

static bool sums_to_0(gs_case *c)
{
    const gsolve_statistics *t = &c->f->t;

    if (t->nrows == 0 || t->zero_sum_rows != t->nrows || !is_square(c) || c->f->projects) {
        return false;
    }
    c->f->parts = c->has_rows && t->symmetric_pattern ? gs_connected_parts(c->ctx, &c->rows) : 0;
    return true;
}

static void say_sums(gs_case *c)
{
    say_least_squares(c);
    GS_SAY(c,
           "A is singular: every row of A sums to 0, so the constant vector is in its null space");
    if (c->f->parts > 1) {
        GS_SAY(c,
               ". A consists of %d parts that are not connected: the vector that is constant in "
               "one part and 0 in the others is in the null space, too, whose dimension is %d",
               c->f->parts, c->f->parts);
    }
    GS_SAY(c, ". ");
}

static bool has_equal_rows(gs_case *c)
{
    return is_square(c) && (c->f->failed || c->f->residual > 1e-6) &&
           gs_has_equal_rows(c->ctx, &c->rows, c->at);
}

static void say_equal_rows(gs_case *c)
{
    GS_SAY(c,
           "A is singular: rows %d and %d of A (counted from 1) are equal, so A x = b has a "
           "solution only if b is equal in these rows. ",
           c->at[0] + 1, c->at[1] + 1);
    say_least_squares(c);
}

static bool has_no_solution(gs_case *c)
{
    return is_least_squares(c) && !ended(c, GSOLVE_NOT_SOLVED);
}

static void say_no_solution(gs_case *c)
{
    say_least_squares(c);
    if (c->f->t.nrows > c->f->t.ncols) GS_SAY(c, "A has more equations than unknowns. ");
    if (ended(c, GSOLVE_INDEFINITE)) {
        GS_SAY(c, "%s then met p^T A p <= 0 or r^T M^-1 r <= 0 and stopped as indefinite. ",
               name_of(c));
    }
}

static bool is_not_solved(gs_case *c)
{
    return ended(c, GSOLVE_NOT_SOLVED);
}

static void say_not_solved(gs_case *c)
{
    GS_SAY(c,
           "x is a least-squares solution (|A^T r| / (|A| |r|) = %.1e), which leaves |b - Ax| / "
           "|b| = %.2e. Nothing shows that A is singular, so A x = b may have a solution. ",
           c->worst->normal, c->f->residual);
}

static bool direct_failed(gs_case *c)
{
    return c->f->failed == GSOLVE_ZERO_PIVOT && method_is(c, "direct");
}

/* The error of a set-up up to its advice, which begins behind a semicolon. */
static void say_error(gs_case *c)
{
    const char *error = c->f->error;

    if (strncmp(error, "the ", 4) == 0) {
        GS_SAY(c, "The %.*s. ", (int)strcspn(error + 4, ";"), error + 4);
    } else {
        GS_SAY(c, "%.*s. ", (int)strcspn(error, ";"), error);
    }
}

/* --- symmetry and definiteness ---------------------------------------------------------------- */

static bool is_not_symmetric(gs_case *c)
{
    return is_square(c) && !c->f->t.symmetric && needs_symmetric(c);
}

static void say_not_symmetric(gs_case *c)
{
    const char *of = c->f->transformed ? "The transformed matrix" : "A";

    if (!c->has_rows) {
        GS_SAY(c, "%s is not symmetric, which %s needs. ", of, name_of(c));
        return;
    }
    const double size = gs_asymmetry(&c->rows, c->at);
    GS_SAY(c,
           "%s is %s: |A - A^T| / |A| = %.1e, and the largest difference is at row %d, column %d "
           "(counted from 1). %s needs a symmetric matrix. ",
           of, c->f->t.skew ? "skew-symmetric, not symmetric" : "not symmetric", size, c->at[0] + 1,
           c->at[1] + 1, name_of(c));
}

static bool may_need_definite(const gs_case *c)
{
    return needs_definite(c) || ended(c, GSOLVE_INDEFINITE) ||
           (c->f->failed == GSOLVE_ZERO_PIVOT && !method_is(c, "direct"));
}

static bool is_negative(gs_case *c)
{
    return c->f->t.negative_diagonals > 0 && c->f->t.symmetric && may_need_definite(c) &&
           !(method_of(c) && method_of(c)->normal);
}

static void say_negative(gs_case *c)
{
    const gsolve_statistics *t = &c->f->t;
    double value = 0;

    if (t->negative_diagonals == t->nrows) {
        GS_SAY(c,
               "A is not positive definite: All %d diagonal entries are negative, so -A may be "
               "positive definite. ",
               t->nrows);
    } else if (!c->has_rows) {
        GS_SAY(c, "A is not positive definite: %d of %d diagonal entries are negative. ",
               t->negative_diagonals, t->nrows);
    } else {
        const int32_t i = gs_first_negative_diagonal(&c->rows, &value);
        GS_SAY(c, "A is not positive definite: the diagonal entry of row %d (counted from 1) is %g",
               i + 1, value);
        if (t->negative_diagonals > 1) {
            GS_SAY(c, ", and %d of %d are negative", t->negative_diagonals, t->nrows);
        }
        GS_SAY(c, ". ");
    }
    if (c->f->failed || !needs_definite(c)) {
        GS_SAY(c, "%s is then no positive definite preconditioner. ", c->f->precond);
    } else {
        GS_SAY(c, "%s needs a positive definite matrix. ", name_of(c));
    }
}

static bool has_zero_diagonal(gs_case *c)
{
    return c->f->t.zero_diagonals > 0 && is_square(c) && may_need_definite(c) && c->has_rows;
}

static void say_zero_diagonal(gs_case *c)
{
    const gsolve_statistics *t = &c->f->t;

    GS_SAY(c,
           "%d of %d diagonal entries of A are zero or missing, the first in row %d (counted "
           "from 1). ",
           t->zero_diagonals, t->nrows, t->first_zero_diagonal + 1);
    if (c->f->failed) {
        GS_SAY(c, "%s needs them. ", c->f->precond);
    } else {
        GS_SAY(c, "A is then not positive definite, which %s needs. ", name_of(c));
    }
    if (!t->symmetric_pattern && gs_may_permute_rows(c->ctx, &c->rows)) {
        GS_SAY(c, "A permutation of the rows may give a diagonal without zeros. ");
    }
}

static bool is_bad_precond(gs_case *c)
{
    return ended(c, GSOLVE_INDEFINITE) && !needs_definite(c);
}

static void say_bad_precond(gs_case *c)
{
    GS_SAY(c, "%s met r^T M^-1 r < 0: the preconditioner %s is not positive definite. ", name_of(c),
           c->f->precond);
}

static bool is_indefinite(gs_case *c)
{
    return ended(c, GSOLVE_INDEFINITE);
}

static void say_indefinite(gs_case *c)
{
    const bool plain = precond_is(c, "none") || precond_is(c, "jacobi");

    GS_SAY(c, "%s is not positive definite: %s met p^T A p <= 0%s in iteration %d. ",
           plain ? "A" : "A or the preconditioner", name_of(c), plain ? "" : " or r^T M^-1 r < 0",
           c->f->iterations);
    if (plain && c->f->t.negative_diagonals == 0) {
        GS_SAY(c, "The signs of the diagonal do not show it. ");
    }
}

static bool setup_failed(gs_case *c)
{
    return c->f->failed != GSOLVE_OK;
}

/* --- precision -------------------------------------------------------------------------------- */

static bool is_x_rounded(gs_case *c)
{
    return c->worst->rounded;
}

static void say_x_rounded(gs_case *c)
{
    GS_SAY(c,
           "x is in single precision, and its rounding alone gives |b - Ax| / |b| = %.1e. Pass x "
           "in double precision, or use a larger rtol. ",
           c->f->residual);
}

static bool is_single(gs_case *c)
{
    return ended(c, GSOLVE_STAGNATED) && c->k->csr.type == GSOLVE_F32 && c->f->residual < 1e-4 &&
           c->f->residual > 1e-12;
}

static void say_single(gs_case *c)
{
    GS_SAY(c, "The residual stagnated at %.1e, the rounding level of single precision. ",
           c->f->residual);
}

static bool is_uncorrected(gs_case *c)
{
    return ended(c, GSOLVE_STAGNATED) && method_is(c, "refine");
}

static void say_uncorrected(gs_case *c)
{
    GS_SAY(c,
           "A correction did not halve the residual, even when it was computed in the precision "
           "of A; |b - Ax| / |b| stays at %.1e. ",
           c->f->residual);
}

static bool is_at_rounding(gs_case *c)
{
    const int32_t column = (int32_t)(c->worst - c->k->run->column);
    const double least = c->k->run->fetched[column].least / gs_column_norm(c->k, column);

    return ended(c, GSOLVE_STAGNATED) && !c->f->transformed &&
           (c->worst->restarts > 0 || least <= c->f->rtol || c->f->residual < 1e-12);
}

static void say_at_rounding(gs_case *c)
{
    GS_SAY(c,
           "The residual stagnated at rounding level: |b - Ax| / |b| stays at %.1e%s, and the "
           "tolerance is %.1e. ",
           c->f->residual, c->worst->restarts > 0 ? " even after restarts" : "", c->f->rtol);
}

static bool passes_stagnated(gs_case *c)
{
    return c->f->transformed && ended(c, GSOLVE_STAGNATED);
}

static void say_passes(gs_case *c)
{
    const int passes = c->k->run->passes;

    GS_SAY(c,
           "After %d correction%s on the transformed system |b - Ax| / |b| of your system stays "
           "at %.1e. ",
           passes, passes == 1 ? "" : "s", c->f->residual);
}

/* --- suspicions ------------------------------------------------------------------------------- */

static bool is_badly_scaled(gs_case *c)
{
    return !c->f->transformed && is_square(c) && !method_is(c, "direct") &&
           (c->f->t.scaling >= BAD_SCALING || c->f->t.spread >= BAD_SCALING);
}

static void say_scaling(gs_case *c)
{
    gs_find_extreme_rows(&c->rows, c->at);
    GS_SAY(c,
           "%s: %s at |b - Ax| / |b| = %.1e. A is badly scaled: the largest magnitudes of rows "
           "%d and %d (counted from 1) differ by a factor of %.1e, and diagonal entries by "
           "%.1e. ",
           name_of(c), gsolve_outcome_text(c->f->outcome), c->f->residual, c->at[0] + 1,
           c->at[1] + 1, c->f->t.scaling, c->f->t.spread);
}

static int restart_of(const gs_case *c)
{
    const char *at = strstr(c->f->method, ",restart=");
    int restart = 0;

    return at && sscanf(at, ",restart=%d", &restart) == 1 ? restart : 0;
}

static bool is_restarted(gs_case *c)
{
    const int restart = restart_of(c);

    return (ended(c, GSOLVE_STAGNATED) || ended(c, GSOLVE_ITERATION_LIMIT)) && restart > 0 &&
           restart < c->f->t.nrows && c->f->iterations >= 3 * restart;
}

/* The zeros on the diagonal, for a run that they need not have spoiled. */
static void add_ordering(gs_case *c)
{
    const gsolve_statistics *t = &c->f->t;

    if (t->zero_diagonals == 0 || !c->has_rows || !is_square(c)) return;
    GS_SAY(c,
           "%d of %d diagonal entries of A are zero or missing, the first in row %d (counted "
           "from 1). ",
           t->zero_diagonals, t->nrows, t->first_zero_diagonal + 1);
    if (!t->symmetric_pattern && gs_may_permute_rows(c->ctx, &c->rows)) {
        GS_SAY(c, "A permutation of the rows may give a diagonal without zeros. ");
    }
}

static void say_restarted(gs_case *c)
{
    GS_SAY(c,
           "%s restarts every %d iterations, and |b - Ax| / |b| is %.1e after %d: at each "
           "restart it forgets the directions that it has found. ",
           name_of(c), restart_of(c), c->f->residual, c->f->iterations);
    add_ordering(c);
}

static bool is_limited(gs_case *c)
{
    return ended(c, GSOLVE_ITERATION_LIMIT);
}

static void say_limited(gs_case *c)
{
    double more[2];

    GS_SAY(c, "The limit of %d iterations was reached at |b - Ax| / |b| = %.1e. ", c->f->maxit,
           c->f->residual);
    if (gs_estimate_iterations(c->f, more)) {
        GS_SAY(c, "At the rate so far, %.2g to %.2g more are needed. ", more[0], more[1]);
    }
    add_ordering(c);
}

static bool is_unfinished(gs_case *c)
{
    return c->k->method->normal && (ended(c, GSOLVE_ITERATION_LIMIT) || ended(c, GSOLVE_STAGNATED));
}

static void say_unfinished(gs_case *c)
{
    const bool early = c->worst->restarts > 0 || c->f->iterations < c->k->run->last.stall;

    GS_SAY(c, "|b - Ax| / |b| = %.1e and |A^T r| / (|A| |r|) = %.1e are above rtol = %.1e. ",
           c->f->residual, c->worst->normal, c->f->rtol);
    if (is_limited(c)) {
        GS_SAY(c, "The limit of %d iterations was reached. ", c->f->maxit);
    } else if (early) {
        GS_SAY(c, "%s stagnated at rounding level. ", name_of(c));
    } else {
        GS_SAY(c, "%s stagnated: in %d iterations neither |r| nor |A^T r| became smaller. ",
               name_of(c), c->k->run->last.stall);
    }
}

static bool broke_down(gs_case *c)
{
    return ended(c, GSOLVE_BREAKDOWN);
}

static void say_breakdown(gs_case *c)
{
    GS_SAY(c,
           "%s broke down at |b - Ax| / |b| = %.1e: an inner product in a denominator became "
           "zero. ",
           name_of(c), c->f->residual);
    add_ordering(c);
}

static bool diverged(gs_case *c)
{
    return ended(c, GSOLVE_DIVERGED);
}

static void say_diverged(gs_case *c)
{
    const char *const of = c->f->transformed ? " of the transformed system" : "";

    GS_SAY(c, "The residual%s grew", of);
    if (!c->f->transformed) GS_SAY(c, " to %.1e", c->worst->last);
    GS_SAY(c, ". x is the best iterate so far, with |b - Ax| / |b| = %.1e. ", c->f->residual);
    add_ordering(c);
}

static bool always(gs_case *c)
{
    return c->f->ran;
}

static void say_stagnated(gs_case *c)
{
    GS_SAY(c, "The residual stagnated: in %d iterations it did not become smaller than %.1e. ",
           c->k->run->last.stall, c->f->residual);
    add_ordering(c);
}

/* --- the table -------------------------------------------------------------------------------- */

#define OTHERS GS_USE_CHOICE, GS_USE_DIRECT

/* clang-format off */
static const gs_cause causes[] = {
    {"stopped", OF_RUN, is_stopped, say_stopped, {0}},
    {"function of the caller", OF_RUN, is_function, NULL, {0}},
    {"not square", OF_A | OF_FAILURE, is_not_square, say_not_square, {GS_USE_CHOICE}},
    {"zero matrix", OF_A, is_zero, say_zero, {GS_USE_LSMR, GS_USE_QR}},
    {"empty row", OF_A | OF_RESIDUAL, has_empty_equation, say_empty_equation, {GS_USE_LSMR, GS_USE_QR}},
    {"empty row", OF_A, has_empty_row, say_empty_row, {GS_USE_LSMR, GS_USE_QR}},
    {"empty column", OF_A, has_empty_column, say_empty_column, {GS_USE_LSMR, GS_USE_QR}},
    {"null space", OF_A, sums_to_0, say_sums, {GS_USE_NULL_SPACE, GS_USE_LSMR, GS_USE_QR}},
    {"equal rows", OF_A | OF_ROWS, has_equal_rows, say_equal_rows, {GS_USE_LSMR, GS_USE_QR}},
    {"no solution", OF_A | OF_RESIDUAL, has_no_solution, say_no_solution, {GS_USE_LSMR, GS_USE_QR}},
    {"not solved", OF_RUN, is_not_solved, say_not_solved, {OTHERS, GS_USE_TOLERANCE}},
    {"singular", OF_FAILURE, direct_failed, say_error, {GS_USE_LSMR, GS_USE_QR}},
    {"not symmetric", OF_A | BEFORE, is_not_symmetric, say_not_symmetric, {OTHERS, GS_USE_LSMR}},
    {"negative diagonal", OF_A | BEFORE, is_negative, say_negative, {OTHERS, GS_USE_LSMR}},
    {"zero diagonal", OF_A, has_zero_diagonal, say_zero_diagonal, {OTHERS, GS_USE_LSMR}},
    {"preconditioner not definite", OF_RUN, is_bad_precond, say_bad_precond, {OTHERS}},
    {"not positive definite", OF_RUN, is_indefinite, say_indefinite, {OTHERS, GS_USE_LSMR}},
    {"set-up failed", OF_FAILURE, setup_failed, say_error, {OTHERS}},
    {"x in single precision", OF_RUN, is_x_rounded, say_x_rounded, {GS_USE_TOLERANCE}},
    {"single precision", OF_RUN, is_single, say_single, {GS_USE_DOUBLE, GS_USE_TOLERANCE}},
    {"rounding", OF_RUN, is_at_rounding, say_at_rounding, {GS_USE_TOLERANCE, OTHERS}},
    {"correction", OF_RUN, is_uncorrected, say_uncorrected, {OTHERS, GS_USE_TOLERANCE}},
    {"transformed system", OF_RUN, passes_stagnated, say_passes, {GS_USE_TOLERANCE, GS_USE_UNSCALED, OTHERS}},
    {"least squares not reached", OF_RUN, is_unfinished, say_unfinished, {GS_USE_QR, GS_USE_LSMR, GS_USE_MORE_ITERATIONS}},
    {"scaling", OF_A | OF_ROWS | OF_RUN, is_badly_scaled, say_scaling, {GS_USE_SCALE, OTHERS}},
    {"restart", OF_A | OF_RUN, is_restarted, say_restarted, {GS_USE_CHOICE, GS_USE_RESTART, GS_USE_DIRECT}},
    {"iteration limit", OF_RUN, is_limited, say_limited, {GS_USE_CHOICE, GS_USE_MORE_ITERATIONS, GS_USE_DIRECT}},
    {"breakdown", OF_RUN, broke_down, say_breakdown, {OTHERS, GS_USE_LSMR}},
    {"divergence", OF_RUN, diverged, say_diverged, {OTHERS, GS_USE_LSMR}},
    {"stagnation", OF_RUN, always, say_stagnated, {OTHERS, GS_USE_TOLERANCE, GS_USE_LSMR}},
};
/* clang-format on */

static int evidence_of(const gs_case *c)
{
    return (c->f->has_statistics ? OF_A : 0) | (c->has_rows ? OF_ROWS : 0) |
           (c->f->ran ? OF_RUN : 0) | (c->f->ran && c->has_rows && c->r.value ? OF_RESIDUAL : 0) |
           (c->f->failed ? OF_FAILURE : 0);
}

static bool find(gs_case *c, int evidence, int only)
{
    for (size_t k = 0; k < sizeof causes / sizeof *causes; k++) {
        const int needs = causes[k].needs & ~BEFORE;
        if ((causes[k].needs & only) != only || (needs & evidence) != needs) continue;
        if (!causes[k].test(c)) continue;
        c->f->cause = &causes[k];
        if (causes[k].say) causes[k].say(c);
        return true;
    }
    return false;
}

void gs_find_cause(gs_case *c)
{
    find(c, evidence_of(c), 0);
}

bool gs_find_cause_before(gs_case *c)
{
    return find(c, evidence_of(c), BEFORE);
}

const char *gs_cause_name(const gs_cause *cause)
{
    return cause->name;
}

const gs_remedy_id *gs_remedies_of(const gs_cause *cause)
{
    return cause->remedies;
}
