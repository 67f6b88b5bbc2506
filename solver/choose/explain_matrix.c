/* explain_matrix.c: causes of failures that the matrix shows. */
#include "solver/choose/explain_cause.h"

#define NEARLY_SYMMETRIC 1e-6 /* with a smaller |A - A'| / |A| a method may still converge */
#define LEAST_SQUARES    1e-6 /* a smaller |A'r| / (|A| |r|) is that of a least-squares solution */

static bool needs_symmetric(const gs_case *c)
{
    const gs_method *m = gs_method_of_case(c);
    return m && m->symmetric;
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
static bool is_not_square(gs_case *c)
{
    const gs_method *m = gs_method_of_case(c);

    return !is_square(c) && m && !m->any_shape;
}
static void say_not_square(gs_case *c)
{
    GS_SAY(c, "A is %d x %d, and %s needs a square matrix. ", c->f->t.nrows, c->f->t.ncols,
           name_of(c));
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
    if (c->has_rows || c->f->over_ranks) {
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

static bool is_odd_skew(gs_case *c)
{
    return c->f->t.skew && is_square(c) && c->f->t.nrows % 2 == 1;
}

static void say_odd_skew(gs_case *c)
{
    GS_SAY(c,
           "A is singular: it is skew-symmetric, and its number of rows, %d, is odd, so that its "
           "determinant is 0. ",
           c->f->t.nrows);
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
    return is_square(c) && (c->f->failed || c->f->residual > 1e-6) && c->f->t.nrows <= 1000000 &&
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

static bool direct_failed(gs_case *c)
{
    return c->f->failed == GSOLVE_ZERO_PIVOT && method_is(c, "direct");
}

/* The error of a set-up without its advice, such as "; use the method lsmr". */
static void say_error(gs_case *c)
{
    const char *error = c->f->error, *use = strstr(error, "; use "), *try = strstr(error, "; try ");
    const size_t length = use ? (size_t)(use - error) : try ? (size_t)(try - error) : strlen(error);

    GS_SAY(c, "%s%.*s. ", c->f->failed == GSOLVE_ZERO_PIVOT ? "The set-up failed: " : "",
           (int)length, error);
}

/* --- symmetry and definiteness ---------------------------------------------------------------- */

static bool is_not_symmetric(gs_case *c)
{
    if (!is_square(c) || c->f->t.symmetric || !needs_symmetric(c)) return false;
    return c->f->ran || c->f->failed || !c->has_rows ||
           gs_asymmetry(&c->rows, c->at) > NEARLY_SYMMETRIC;
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
           !(gs_method_of_case(c) && gs_method_of_case(c)->normal);
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

/* Whether a row with the diagonal entry 0 has another entry: then A is not even semidefinite. */
static bool has_entry_beside_zero(const gsolve_csr *A)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        bool diagonal = false, other = false;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            if (gs_value(A, e) == 0) continue;
            diagonal |= A->col[e] == i;
            other |= A->col[e] != i;
        }
        if (other && !diagonal) return true;
    }
    return false;
}

static bool has_zero_diagonal(gs_case *c)
{
    const gsolve_statistics *t = &c->f->t;

    if (t->zero_diagonals == 0 || !is_square(c) || !may_need_definite(c)) return false;
    if (c->f->ran || c->f->failed) return c->has_rows || c->f->over_ranks;
    if (!t->symmetric || t->zero_diagonals <= t->empty_rows) return false;
    return !c->has_rows || has_entry_beside_zero(&c->rows);
}

void gs_say_zero_diagonal(gs_case *c)
{
    const gsolve_statistics *t = &c->f->t;

    if (t->zero_diagonals == 0 || !(c->has_rows || c->f->over_ranks) || !is_square(c)) return;
    GS_SAY(c,
           "%d of %d diagonal entries of A are zero or missing, the first in row %d (counted "
           "from 1). ",
           t->zero_diagonals, t->nrows, t->first_zero_diagonal + 1);
    if (c->has_rows && !t->symmetric_pattern && gs_may_permute_rows(c->ctx, &c->rows)) {
        GS_SAY(c, "A permutation of the rows may give a diagonal without zeros. ");
    }
}

static void say_zero_diagonal(gs_case *c)
{
    gs_say_zero_diagonal(c);
    if (c->f->failed) {
        GS_SAY(c, "%s needs them. ", c->f->precond);
    } else {
        GS_SAY(c, "A is then not positive definite, which %s needs. ", name_of(c));
    }
}

static bool setup_failed(gs_case *c)
{
    return c->f->failed != GSOLVE_OK;
}

/* --- the table -------------------------------------------------------------------------------- */

/* clang-format off */
const gs_cause gs_matrix_causes[] = {
    {"not square", OF_A | OF_FAILURE, is_not_square, say_not_square, {GS_USE_CHOICE}},
    {"zero matrix", OF_A, is_zero, say_zero, {GS_USE_LSMR, GS_USE_QR}},
    {"empty row", OF_A | OF_RESIDUAL, has_empty_equation, say_empty_equation, {GS_USE_LSMR, GS_USE_QR}},
    {"empty row", OF_A, has_empty_row, say_empty_row, {GS_USE_LSMR, GS_USE_QR}},
    {"empty column", OF_A, has_empty_column, say_empty_column, {GS_USE_LSMR, GS_USE_QR}},
    {"skew-symmetric", OF_A, is_odd_skew, say_odd_skew, {GS_USE_LSMR, GS_USE_QR}},
    {"null space", OF_A, sums_to_0, say_sums, {GS_USE_NULL_SPACE, GS_USE_LSMR, GS_USE_QR}},
    {"equal rows", OF_A | OF_ROWS, has_equal_rows, say_equal_rows, {GS_USE_LSMR, GS_USE_QR}},
    {"no solution", OF_A | OF_RESIDUAL, has_no_solution, say_no_solution, {GS_USE_LSMR, GS_USE_QR}},
    {"singular", OF_FAILURE, direct_failed, say_error, {GS_USE_LSMR, GS_USE_QR}},
    {"not symmetric", OF_A | BEFORE, is_not_symmetric, say_not_symmetric, {OTHERS, GS_USE_LSMR}},
    {"negative diagonal", OF_A | BEFORE, is_negative, say_negative, {OTHERS, GS_USE_LSMR}},
    {"zero diagonal", OF_A | BEFORE, has_zero_diagonal, say_zero_diagonal, {OTHERS, GS_USE_LSMR}},
    {"set-up failed", OF_FAILURE, setup_failed, say_error, {OTHERS}},
    {0},
};
/* clang-format on */
