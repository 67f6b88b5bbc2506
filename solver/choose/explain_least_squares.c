/* explain_least_squares.c: the sentences of explain.c about least-squares solutions. */
#include <math.h>
#include <string.h>

#include "matrix/csr.h"
#include "matrix/operator.h"
#include "solver/choose/explain.h"

/* |A^T r| / (|A| |r|) of the worst column: small where x is a least-squares solution. */
static double least_squares_measure(const gs_report *f)
{
    gsolve_context *ctx = f->k->ctx;
    const gsolve_csr *A = &f->k->csr;
    const int32_t c = (int32_t)(f->worst - f->k->run->column);
    const gsolve_dense b = gs_column_of(f->b, c), x = gs_column_of(f->x, c);
    double *g = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->ncols, sizeof *g);
    double frobenius = 0, rr = 0, gg = 0;

    if (!g) return 1;
    for (int32_t j = 0; j < A->ncols; j++) g[j] = 0;
    for (int32_t i = 0; i < A->nrows; i++) {
        double r = gs_report_element(b, i);
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            r -= gs_value(A, e) * gs_report_element(x, A->col[e]);
        }
        rr += r * r;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            g[A->col[e]] += gs_value(A, e) * r;
            frobenius += gs_value(A, e) * gs_value(A, e);
        }
    }
    for (int32_t j = 0; j < A->ncols; j++) gg += g[j] * g[j];
    gsolve_free(ctx, GSOLVE_HOST, g);
    return rr > 0 && frobenius > 0 ? sqrt(gg / (rr * frobenius)) : 0;
}

bool gs_find_no_solution(const gs_report *f)
{
    const gsolve_statistics *t = &f->t;
    const gs_column *worst = f->worst;
    const double measure = least_squares_measure(f);

    if (t->nrows == t->ncols && measure > 1e-6) return false;
    if (!(worst->residual > 0.5 * f->k->run->last.rtol) || !isfinite(worst->residual)) return false;
    if (measure <= 1e-6) {
        gs_add_sentence(
            f->text,
            "No x solves A x = b: b is not in the range of A%s. x is a least-squares solution "
            "(|A^T r| / (|A| |r|) = %.1e), which leaves |b - Ax| / |b| = %.2e. ",
            t->nrows > t->ncols ? ", which has more equations than unknowns" : "", measure,
            worst->residual);
        if (worst->outcome == GSOLVE_INDEFINITE) {
            gs_add_sentence(
                f->text, "%s then met p^T A p <= 0 or r^T M^-1 r <= 0 and stopped as indefinite. ",
                f->k->method->plugin.name);
        }
        if (t->nrows > 0 && t->zero_sum_rows == t->nrows && !gs_projects(f->k)) {
            gs_add_sentence(
                f->text, "Every row of A sums to 0: with --null-space constants the least-squares "
                         "solution is a success. ");
        }
        return true;
    }
    gs_add_sentence(
        f->text,
        "A is %d x %d and x is not yet a least-squares solution (|A^T r| / (|A| |r|) = %.1e). Try "
        "--solver lsmr --precond jacobi,normal=1. ",
        t->nrows, t->ncols, measure);
    return false;
}

void gs_explain_not_solved(const gs_report *f)
{
    const char *name = f->k->method->plugin.name;
    const bool chosen = f->k->method->normal;

    gs_add_sentence(
        f->text,
        "x is a least-squares solution (|A^T r| / (|A| |r|) = %.1e), which leaves |b - Ax| / |b| = "
        "%.2e. Nothing shows that A is singular, so A x = b may have a solution. Try a smaller "
        "--rtol%s. If the least-squares solution is what you want, %s. ",
        f->worst->normal, f->worst->residual,
        strcmp(name, "direct") == 0 ? "" : ", or --solver direct",
        chosen ? "leave accept=singular out" : "use --solver lsmr");
}

/* Why lsqr or lsmr ended before rtol. */
static void explain_end(const gs_report *f)
{
    const gs_krylov *k = f->k;

    if (f->worst->outcome == GSOLVE_INDEFINITE) {
        gs_add_sentence(
            f->text, "The preconditioner is not positive definite: %s met r^T A M^-1 A^T r < 0. ",
            k->method->plugin.name);
    } else if (f->worst->outcome == GSOLVE_ITERATION_LIMIT) {
        gs_add_sentence(f->text, "The limit of %d iterations was reached. Use a larger --maxit. ",
                        k->run->last.maxit);
    } else if (f->worst->restarts > 0 || f->worst->iterations < k->run->last.stall) {
        gs_add_sentence(f->text, "%s stagnated at rounding level. Use a larger --rtol. ",
                        k->method->plugin.name);
    } else {
        gs_add_sentence(f->text,
                        "%s stagnated: in %d iterations neither |r| nor |A^T r| became smaller. ",
                        k->method->plugin.name, k->run->last.stall);
    }
}

void gs_explain_normal(const gs_report *f)
{
    const gs_krylov *k = f->k;

    gs_add_sentence(f->text,
                    "|b - Ax| / |b| = %.1e and |A^T r| / (|A| |r|) = %.1e are above rtol = %.1e. ",
                    f->worst->residual, f->worst->normal, k->run->last.rtol);
    explain_end(f);
    if (gs_matrix_is_operator(k->A)) return;
    gs_add_sentence(f->text, "Try %s--solver direct,factor=qr. ",
                    k->M ? "" : "--precond jacobi,normal=1, or ");
}
