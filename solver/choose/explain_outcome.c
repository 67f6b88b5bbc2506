/* explain_outcome.c: causes of failures that the run shows, and suspicions about the matrix. */
#include "solver/choose/explain_cause.h"

#define BAD_SCALING 1e6

/* --- definiteness and least squares ----------------------------------------------------------- */

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
    return !c->f->transformed && (c->has_rows || c->f->over_ranks) && is_square(c) &&
           !method_is(c, "direct") &&
           (c->f->t.scaling >= BAD_SCALING || c->f->t.spread >= BAD_SCALING);
}

static void say_scaling(gs_case *c)
{
    char rows[60] = "the rows";

    if (c->has_rows) {
        gs_find_extreme_rows(&c->rows, c->at);
        snprintf(rows, sizeof rows, "rows %d and %d (counted from 1)", c->at[0] + 1, c->at[1] + 1);
    }
    GS_SAY(c,
           "%s: %s at |b - Ax| / |b| = %.1e. A is badly scaled: the largest magnitudes of %s "
           "differ by a factor of %.1e, and diagonal entries by %.1e. ",
           name_of(c), gsolve_outcome_text(c->f->outcome), c->f->residual, rows, c->f->t.scaling,
           c->f->t.spread);
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

static void say_restarted(gs_case *c)
{
    GS_SAY(c,
           "%s restarts every %d iterations, and |b - Ax| / |b| is %.1e after %d: at each "
           "restart it forgets the directions that it has found. ",
           name_of(c), restart_of(c), c->f->residual, c->f->iterations);
    gs_say_zero_diagonal(c);
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
        GS_SAY(c, "At the rate so far, %.0f to %.0f more are needed. ", floor(more[0]),
               ceil(more[1]));
    }
    gs_say_zero_diagonal(c);
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
    gs_say_zero_diagonal(c);
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
    gs_say_zero_diagonal(c);
}

static bool always(gs_case *c)
{
    return c->f->ran;
}

static void say_stagnated(gs_case *c)
{
    GS_SAY(c, "The residual stagnated: in %d iterations it did not become smaller than %.1e. ",
           c->k->run->last.stall, c->f->residual);
    gs_say_zero_diagonal(c);
}

/* --- the table -------------------------------------------------------------------------------- */

/* clang-format off */
const gs_cause gs_run_causes[] = {
    {"not solved", OF_RUN, is_not_solved, say_not_solved, {OTHERS, GS_USE_TOLERANCE, GS_USE_ACCEPT}},
    {"preconditioner not definite", OF_RUN, is_bad_precond, say_bad_precond, {OTHERS}},
    {"not positive definite", OF_RUN, is_indefinite, say_indefinite, {OTHERS, GS_USE_LSMR}},
    {"x in single precision", OF_RUN, is_x_rounded, say_x_rounded, {GS_USE_TOLERANCE}},
    {"single precision", OF_RUN, is_single, say_single, {GS_USE_DOUBLE, GS_USE_TOLERANCE}},
    {"rounding", OF_RUN, is_at_rounding, say_at_rounding, {GS_USE_TOLERANCE, OTHERS}},
    {"correction", OF_RUN, is_uncorrected, say_uncorrected, {OTHERS, GS_USE_TOLERANCE}},
    {"transformed system", OF_RUN, passes_stagnated, say_passes, {GS_USE_TOLERANCE, GS_USE_UNSCALED, OTHERS}},
    {"least squares not reached", OF_RUN, is_unfinished, say_unfinished, {GS_USE_QR, GS_USE_LSMR, GS_USE_MORE_ITERATIONS}},
    {"scaling", OF_A | OF_RUN, is_badly_scaled, say_scaling, {GS_USE_SCALE, OTHERS}},
    {"restart", OF_A | OF_RUN, is_restarted, say_restarted, {GS_USE_CHOICE, GS_USE_RESTART, GS_USE_DIRECT}},
    {"iteration limit", OF_RUN, is_limited, say_limited, {GS_USE_CHOICE, GS_USE_MORE_ITERATIONS, GS_USE_ORDER, GS_USE_DIRECT}},
    {"breakdown", OF_RUN, broke_down, say_breakdown, {OTHERS, GS_USE_LSMR}},
    {"divergence", OF_RUN, diverged, say_diverged, {OTHERS, GS_USE_LSMR}},
    {"stagnation", OF_RUN, always, say_stagnated, {OTHERS, GS_USE_ORDER, GS_USE_TOLERANCE}},
    {0},
};
/* clang-format on */
