/* explain.c: gsolve_solver_explain: why a run ended as it did, and what to try next. The cause is
 * found in the statistics of the matrix and in the numbers of the run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "matrix/csr.h"
#include "matrix/operator.h"
#include "solver/choose/explain.h"

static bool method_is(const gs_krylov *k, const char *name)
{
    return strcmp(k->method->plugin.name, name) == 0;
}

/* --- causes in the matrix --------------------------------------------------------------------- */

/* Each of these adds sentences and returns true where it has found the cause. */

static bool find_empty_row(const gs_report *f)
{
    const gsolve_statistics *t = &f->t;
    const gs_krylov *k = f->k;

    if (t->empty_rows == 0) return false;
    for (int32_t i = t->first_empty_row; i < t->nrows; i++) {
        if (gs_start(&k->csr, i + 1) > gs_start(&k->csr, i)) continue;
        for (int32_t c = 0; c < k->ncols; c++) {
            const double bi = gs_report_element(gs_column_of(f->b, c), i);
            if (gsolve_outcome_is_success(k->run->column[c].outcome) || bi == 0) continue;
            gs_add_sentence(
                f->text,
                "The system is inconsistent: row %d of A (counted from 1) is empty, but b is %g "
                "there. Remove the equation or correct the matrix. ",
                i + 1, ldexp(bi, k->run->column[c].left));
            return true;
        }
    }
    gs_add_sentence(
        f->text,
        "A is singular: %d of its rows are empty, the first is row %d (counted from 1). "
        "--solver lsmr finds a least-squares solution. ",
        t->empty_rows, t->first_empty_row + 1);
    return true;
}

static bool find_asymmetry(const gs_report *f)
{
    const gs_krylov *k = f->k;

    if (f->t.symmetric || !k->method->symmetric) return false;
    gs_add_sentence(
        f->text,
        "A is not symmetric, which %s needs. Try --solver bicgstab or --solver gmres with "
        "--precond ilu. ",
        k->method->plugin.name);
    return true;
}

/* What else may hinder any method: a null space, the diagonal, or the scaling. */
static void explain_matrix(const gs_report *f)
{
    const gsolve_statistics *t = &f->t;

    if (t->nrows > 0 && t->zero_sum_rows == t->nrows && !gs_projects(f->k)) {
        gs_add_sentence(
            f->text,
            "A is singular: every row sums to 0, so the constant vector is in its null space. "
            "The system has solutions only if b is orthogonal to the null space of A^T. Use "
            "--null-space constants, or fix one unknown. ");
    } else if (t->zero_diagonals > 0) {
        gs_add_sentence(
            f->text,
            "A has %d zero or missing diagonal entries, the first in row %d (counted from 1). "
            "Preconditioners that use the diagonal are then weak or undefined. Try --solver "
            "direct, or reorder the equations. ",
            t->zero_diagonals, t->first_zero_diagonal + 1);
    } else if (t->scaling >= 1e8 || t->spread >= 1e8) {
        gs_add_sentence(
            f->text,
            "A is badly scaled: row maxima differ by a factor of %.1e and diagonal entries by "
            "%.1e. Try --scale auto%s. ",
            t->scaling, t->spread, method_is(f->k, "direct") ? "" : ", or --solver direct");
    }
}

/* --- causes in the run ------------------------------------------------------------------------ */

/* Adds `weak` if the run had no preconditioner or a diagonal one, `strong` if it had another one,
 * `direct` if the method was direct. */
static void add_stronger(const gs_report *f, const char *weak, const char *strong,
                         const char *direct)
{
    gsolve_precond_info M = {.size = sizeof M, .kind = "none", .spec = ""};

    if (f->k->M) gsolve_precond_describe(f->k->M, &M);
    const bool diagonal = strcmp(M.kind, "none") == 0 || strcmp(M.kind, "jacobi") == 0 ||
                          strcmp(M.kind, "block_jacobi") == 0;
    gs_add_sentence(f->text, "%s", method_is(f->k, "direct") ? direct : diagonal ? weak : strong);
    if ((strcmp(M.kind, "ic") && strcmp(M.kind, "ilu")) || strstr(M.spec, "order=")) return;
    gs_add_sentence(f->text,
                    "Another order may suit %s better: try --precond %s,order=rcm or order=amd. ",
                    M.kind, M.kind);
}

static void explain_indefinite(const gs_report *f)
{
    const gsolve_statistics *t = &f->t;

    if (method_is(f->k, "minres")) {
        gs_add_sentence(
            f->text, "minres met r^T M^-1 r < 0: the preconditioner is not positive definite. Try "
                     "--precond jacobi,abs=1 or --precond none. ");
    } else if (t->negative_diagonals || t->zero_diagonals) {
        gs_add_sentence(
            f->text,
            "A is not positive definite: CG met p^T A p <= 0. The diagonal has %d negative "
            "and %d zero or missing entries. Try --solver minres --precond jacobi,abs=1, or "
            "--solver direct. ",
            t->negative_diagonals, t->zero_diagonals);
    } else {
        gs_add_sentence(
            f->text,
            "A or the preconditioner is not positive definite: CG met p^T A p <= 0 or "
            "r^T M^-1 r < 0. Try --solver minres --precond jacobi,abs=1, or --solver direct. ");
    }
}

static void explain_stagnated(const gs_report *f)
{
    const gs_krylov *k = f->k;
    const gs_column *worst = f->worst;
    const bool single = k->csr.type == GSOLVE_F32;
    const int32_t c = (int32_t)(worst - k->run->column);
    const double least = k->run->fetched[c].least / gs_column_norm(k, c);

    if (worst->rounded) {
        gs_add_sentence(
            f->text,
            "x is in single precision, and its rounding alone gives |b - Ax| / |b| = %.1e. Pass x "
            "in double precision, or use a larger --rtol. ",
            worst->residual);
    } else if (single && worst->residual < 1e-4) {
        gs_add_sentence(
            f->text,
            "The residual stagnated at %.1e, the rounding level of single precision. Try --type "
            "f64, or a larger --rtol. ",
            worst->residual);
    } else if (method_is(k, "refine")) {
        gs_add_sentence(
            f->text,
            "A correction did not halve the residual, even when it was computed in the precision "
            "of A; |b - Ax| / |b| stays at %.1e. Use a larger --rtol, another inner method, a "
            "stronger --precond (ic, ilu), or --solver direct. ",
            worst->residual);
    } else if (worst->restarts > 0 || least <= k->run->last.rtol) {
        gs_add_sentence(
            f->text,
            "The residual stagnated at rounding level: the method's recurrence reached the "
            "tolerance, but the true residual |b - Ax| / |b| stays at %.1e, even after restarts. "
            "Use a larger --rtol%s. ",
            worst->residual, method_is(k, "direct") ? "" : ", or try --solver direct");
    } else {
        gs_add_sentence(
            f->text,
            "The residual stagnated: in %d iterations it did not become smaller than %.1e. ",
            k->run->last.stall, least);
        add_stronger(f, "Try a stronger --precond (ic, ilu), or --solver direct. ",
                     "Try --solver direct. ", "Use a larger --rtol. ");
    }
}

static void explain_limit(const gs_report *f)
{
    const gs_run_options *run = &f->k->run->last;
    const gs_column *worst = f->worst;
    const double begin = worst->norm > 0 ? worst->first / worst->norm : worst->first;
    const double rate = worst->residual > 0 && begin > 0 && worst->iterations > 0
                            ? log10(worst->residual / begin) / worst->iterations
                            : 0;

    gs_add_sentence(f->text, "The limit of %d iterations was reached at |b - Ax| / |b| = %.1e. ",
                    run->maxit, worst->residual);
    if (rate < 0 && worst->residual > 0) {
        const double more = log10(run->rtol / worst->residual) / rate;
        if (more > 0 && more < 1e7) {
            gs_add_sentence(
                f->text,
                "At this rate about %.0f more iterations are needed. Try --maxit %.0f (%.0f in "
                "all, plus 20 %%). ",
                more, 1.2 * (worst->iterations + more), worst->iterations + more);
        }
    }
    add_stronger(
        f, "A stronger preconditioner (--precond ic or ilu) or --solver direct may be faster. ",
        "--solver direct may be faster. ", "");
}

static void explain_outcome(const gs_report *f)
{
    const gs_krylov *k = f->k;
    const gs_column *worst = f->worst;

    switch (worst->outcome) {
    case GSOLVE_INDEFINITE: explain_indefinite(f); break;
    case GSOLVE_STAGNATED: explain_stagnated(f); break;
    case GSOLVE_ITERATION_LIMIT: explain_limit(f); break;
    case GSOLVE_BREAKDOWN:
        gs_add_sentence(
            f->text,
            "%s broke down at |b - Ax| / |b| = %.1e: an inner product in a denominator became "
            "zero. Try --solver gmres, or another --precond. ",
            k->method->plugin.name, worst->residual);
        break;
    case GSOLVE_DIVERGED:
        gs_add_sentence(
            f->text,
            "The residual grew to %.1e. x is the best iterate so far, with |b - Ax| / |b| = %.1e. "
            "Try another method (--solver gmres), or another preconditioner. ",
            worst->last, worst->residual);
        break;
    case GSOLVE_ACCEPTED:
        gs_add_sentence(
            f->text,
            "The caller's stopping test accepted x at |b - Ax| / |b| = %.1e, which does "
            "not meet rtol and atol. ",
            worst->residual);
        break;
    case GSOLVE_TIME_LIMIT:
        gs_add_sentence(f->text, "The time limit was reached at |b - Ax| / |b| = %.1e. ",
                        worst->residual);
        break;
    default:
        gs_add_sentence(f->text, "%s stopped the run at |b - Ax| / |b| = %.1e. ",
                        k->run->monitor.test   ? "The monitor or the stopping test"
                        : k->run->monitor.call ? "The monitor"
                                               : "An interrupt",
                        worst->residual);
    }
}

/* The outcomes of lsqr and lsmr that have sentences of their own. */
static bool ends_early(gsolve_outcome outcome)
{
    return outcome == GSOLVE_ITERATION_LIMIT || outcome == GSOLVE_STAGNATED ||
           outcome == GSOLVE_INDEFINITE;
}

/* After a run on a transformed system, whose rows have other numbers and values than the caller's.
 */
static void explain_transformed(gs_report *f)
{
    if (gsolve_matrix_statistics(f->k->A, &f->t) != GSOLVE_OK) {
        gs_add_sentence(f->text, "Out of memory during the search for the cause.");
    } else if (f->t.empty_rows > 0) {
        gs_add_sentence(f->text,
                        "A is singular: %d of its rows are empty. --solver lsmr finds a "
                        "least-squares solution. ",
                        f->t.empty_rows);
    } else if (!find_asymmetry(f) && !gs_explain_passes(f)) {
        explain_outcome(f);
    }
}

static void explain_failure(gs_report *f)
{
    gs_krylov *k = f->k;

    if (f->worst->outcome == GSOLVE_STOPPED || f->worst->outcome == GSOLVE_ACCEPTED ||
        f->worst->outcome == GSOLVE_TIME_LIMIT) {
        explain_outcome(f);
        return;
    }
    if (k->run->passes > 0) {
        explain_transformed(f);
        return;
    }
    if (gs_projects(k)) {
        gs_add_sentence(
            f->text, "Without its component in the left null space of A the residual is %.1e |b|. ",
            f->worst->projected);
    }
    if (f->worst->outcome == GSOLVE_NOT_SOLVED) {
        gs_explain_not_solved(f);
        return;
    }
    if (k->method->normal && ends_early(f->worst->outcome) && !f->worst->rounded) {
        gs_explain_normal(f);
        return;
    }
    if (gs_explain_function(k, f->worst, f->text + strlen(f->text), GS_SENTENCES - strlen(f->text)))
        return;
    if (gs_matrix_is_operator(k->A)) {
        explain_outcome(f);
        return;
    }
    if (gs_need_rows(k) != GSOLVE_OK || gsolve_matrix_statistics(k->A, &f->t) != GSOLVE_OK) {
        gs_add_sentence(f->text, "Out of memory during the search for the cause.");
        return;
    }
    if (find_empty_row(f) || gs_find_no_solution(f)) return;
    if (find_asymmetry(f)) return;
    explain_outcome(f);
    explain_matrix(f);
}

/* With k->b and k->x on the host. */
static void explain_on_host(gs_report *f)
{
    gs_krylov *k = f->k;
    gs_stage b = {0}, x = {0};

    if (gs_stage_in(&b, k->ctx, GSOLVE_HOST, k->b, true) == GSOLVE_OK &&
        gs_stage_in(&x, k->ctx, GSOLVE_HOST, k->x, true) == GSOLVE_OK) {
        f->b = b.used;
        f->x = x.used;
        explain_failure(f);
    } else {
        gs_add_sentence(f->text, "Out of memory during the search for the cause.");
    }
    gs_stage_drop(&b, k->ctx);
    gs_stage_drop(&x, k->ctx);
}

/* The result describes the column with the largest residual. */
static void explain_success(const gs_report *f)
{
    const gs_column *worst = f->worst;
    const int iterations = f->k->run->counts.iteration;
    const char *plural = iterations == 1 ? "" : "s";

    if (worst->outcome == GSOLVE_CONVERGED) {
        gs_add_sentence(f->text, "Converged: |b - Ax| / |b| = %.2e after %d iteration%s.",
                        worst->residual, iterations, plural);
    } else if (!gs_projects(f->k)) { /* the note says how small |A'r| is */
        gs_add_sentence(f->text, "Least squares: |b - Ax| / |b| = %.2e after %d iteration%s.",
                        worst->residual, iterations, plural);
    } else {
        gs_add_sentence(
            f->text,
            "No x solves A x = b: the residual |b - Ax| / |b| = %.2e cannot be smaller. "
            "Without its component in the left null space it is %.2e after %d iteration%s.",
            worst->residual, worst->projected, iterations, plural);
    }
}

/* With spectrum=on: the condition, which bounds the iterations and the error of x. */
static void add_spectrum(const gs_report *f)
{
    const char *space = gsolve_outcome_is_success(f->worst->outcome) ? " " : "";
    const char *after = gsolve_outcome_is_success(f->worst->outcome) ? "" : " ";
    gsolve_spectrum e;

    if (!f->k->run->spectrum.record || gs_spectrum_estimate(f->k, &e) != GSOLVE_OK) return;
    if (e.steps == 0 || !isfinite(e.condition)) return;
    gs_add_sentence(f->text,
                    "%sThe condition of %s%s is at least about %.0e, by %d step%s of %s.%s", space,
                    f->k->run->spectrum.kind == GS_OF_GMRES ? "A M^-1" : "M^-1 A",
                    f->k->run->passes > 0 ? " of the transformed system" : "", e.condition, e.steps,
                    e.steps == 1 ? "" : "s", f->k->method->plugin.name, after);
}

const char *gsolve_solver_explain(gsolve_solver *k)
{
    gs_report f = {.k = k, .t = GSOLVE_INIT(gsolve_statistics)};
    GS_ENTER(k->ctx);

    if (k->run->explanation) return k->run->explanation;
    if (k->ncols == 0) return "There has been no run yet.";
    f.text = gsolve_alloc(k->ctx, GSOLVE_HOST, GS_SENTENCES, 1);
    if (!f.text) return "Out of memory during the search for the cause.";

    f.worst = gs_worst_column(k);
    f.text[0] = 0;
    if (gsolve_outcome_is_success(f.worst->outcome)) {
        explain_success(&f);
    } else {
        explain_on_host(&f);
    }
    add_spectrum(&f);
    if (k->note[0]) {
        gs_add_sentence(f.text, "%s%s", gsolve_outcome_is_success(f.worst->outcome) ? " " : "",
                        k->note);
    }
    k->run->explanation = f.text;
    return f.text;
}
