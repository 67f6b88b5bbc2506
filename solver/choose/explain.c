/* explain.c: why a run ended as it did, and what to do: gsolve_solver_explain, and the functions
 * that fill a gsolve_diagnosis. */
#include "solver/choose/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/csr.h"
#include "matrix/operator.h"

#define SENTENCES 2400 /* bytes of an explanation */

/* --- evidence --------------------------------------------------------------------------------- */

/* spec = the method with the options that causes and remedies read. */
static void name_method(const gs_krylov *k, char *spec, size_t size)
{
    const gsolve_plugin *plugin = &k->method->plugin;

    snprintf(spec, size, "%s", plugin->name);
    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        const int value = *(const int *)(const void *)((const char *)k->options + o->offset);
        const char *word = o->choices;
        if (strcmp(o->key, "restart") == 0) gs_add_sentence(spec, size, ",restart=%d", value);
        if (strcmp(o->key, "inner") != 0 && strcmp(o->key, "factor") != 0) continue;
        for (int i = 0; i < value; i++) word += strcspn(word, "|") + 1;
        gs_add_sentence(spec, size, ",%s=%.*s", o->key, (int)strcspn(word, "|"), word);
    }
}

static void read_run(gs_krylov *k, const gs_column *worst, gs_facts *f)
{
    gsolve_precond_info M = {.size = sizeof M, .spec = "none"};
    const double norm = worst->norm > 0 ? worst->norm : 1;

    if (k->M) gsolve_precond_describe(k->M, &M);
    name_method(k, f->method, sizeof f->method);
    snprintf(f->precond, sizeof f->precond, "%s", k->method->ignores_precond ? "none" : M.spec);
    f->ran = true;
    f->outcome = worst->outcome;
    f->residual = worst->residual;
    f->rtol = k->run->last.rtol;
    f->maxit = k->run->last.maxit;
    f->begin = worst->first / norm;
    f->iterations = worst->iterations;
    f->projects = gs_projects(k);
    f->transformed = k->run->passes > 0;
    f->is_operator = gs_matrix_is_operator(k->A);
}

/* The statistics of A, and its rows, if this rank has all of them. Without memory for them, less
 * evidence remains. */
void gs_read_matrix(gs_case *c, const gsolve_matrix *A, bool rows)
{
    gs_facts *f = c->f;

    if (f->is_operator || gs_matrix_is_operator(A)) return;
    f->t.size = sizeof f->t;
    f->has_statistics = gsolve_matrix_statistics(A, &f->t) == GSOLVE_OK;
    f->over_ranks = gs_matrix_comm(A) != NULL;
    c->has_rows = rows && f->has_statistics && !f->transformed && !f->over_ranks &&
                  gsolve_matrix_csr(A, &c->rows) == GSOLVE_OK;
}

static void add_projected(gs_case *c)
{
    if (!c->f->projects || c->f->outcome == GSOLVE_STOPPED || c->f->outcome == GSOLVE_ACCEPTED ||
        c->f->outcome == GSOLVE_TIME_LIMIT) {
        return;
    }
    GS_SAY(c, "Without its component in the left null space of A the residual is %.1e |b|. ",
           c->worst->projected);
}

void gs_diagnose_run(gsolve_solver *k, gs_facts *f)
{
    gs_case c = {.f = f, .ctx = k->ctx, .k = k, .worst = gs_worst_column(k), .normal = -1};
    gs_stage r = {0};

    memset(f, 0, sizeof *f);
    read_run(k, c.worst, f);
    gs_read_matrix(&c, k->A, true);
    if (c.has_rows && gs_stage_in(&r, k->ctx, GSOLVE_HOST, k->b, true) == GSOLVE_OK) {
        c.r = r.used;
        c.normal = gs_least_squares_measure(k->ctx, &c.rows,
                                            gs_column_of(c.r, (int32_t)(c.worst - k->run->column)));
    }
    add_projected(&c);
    gs_find_cause(&c);
    gs_stage_drop(&r, k->ctx);
}

void gs_diagnose_setup(gsolve_context *ctx, const gsolve_matrix *A, gs_facts *f)
{
    gs_case c = {.f = f, .ctx = ctx, .normal = -1};

    gs_read_matrix(&c, A, true);
    gs_find_cause(&c);
}

/* --- the public struct ------------------------------------------------------------------------ */

void gs_describe_facts(const gs_facts *f, gsolve_diagnosis *d)
{
    const size_t length = strlen(f->text);

    if (f->cause) snprintf(d->name, sizeof d->name, "%s", gs_cause_name(f->cause));
    snprintf(d->cause, sizeof d->cause, "%.*s", (int)(length > 0 ? length - 1 : 0), f->text);
}

gsolve_status gs_check_diagnosis(gsolve_context *ctx, const gsolve_diagnosis *d)
{
    if (d) return GS_CHECK_INFO(ctx, gsolve_diagnosis, d);
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "the diagnosis is NULL");
}

gsolve_status gsolve_solver_diagnose(gsolve_solver *k, gsolve_diagnosis *diagnosis)
{
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gs_facts f;
    gsolve_status status;

    if (!k) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(k->ctx);
    TRY(gs_comm_check(k->comm, gs_check_diagnosis(k->ctx, diagnosis)));
    if (k->ncols > 0 && !gsolve_outcome_is_success(gs_worst_column(k)->outcome)) {
        gs_diagnose_run(k, &f);
        gs_describe_facts(&f, &d);
        if (f.cause) gs_find_remedy(k->ctx, &f, 0, NULL, &d);
    }
    GS_FILL_INFO(gsolve_diagnosis, diagnosis, &d);
done:
    return status;
}

/* --- sentences -------------------------------------------------------------------------------- */

/* The result describes the column with the largest residual. */
static void explain_success(const gs_krylov *k, const gs_column *worst, char *text)
{
    const int iterations = k->run->counts.iteration;
    const char *plural = iterations == 1 ? "" : "s";

    if (worst->outcome == GSOLVE_CONVERGED || !gs_projects(k)) {
        gs_add_sentence(text, SENTENCES, "%s: |b - Ax| / |b| = %.2e after %d iteration%s. ",
                        worst->outcome == GSOLVE_CONVERGED ? "Converged" : "Least squares",
                        worst->residual, iterations, plural);
    } else {
        gs_add_sentence(
            text, SENTENCES,
            "No x solves A x = b: the residual |b - Ax| / |b| = %.2e cannot be smaller. "
            "Without its component in the left null space it is %.2e after %d iteration%s. ",
            worst->residual, worst->projected, iterations, plural);
    }
}

/* With spectrum=on: the condition, which bounds the iterations and the error of x. */
static void add_spectrum(gs_krylov *k, char *text)
{
    gsolve_spectrum e;

    if (!k->run->spectrum.record || gs_spectrum_estimate(k, &e) != GSOLVE_OK) return;
    if (e.steps == 0 || !isfinite(e.condition)) return;
    gs_add_sentence(text, SENTENCES,
                    "The condition of %s%s is at least about %.0e, by %d step%s of %s. ",
                    k->run->spectrum.kind == GS_OF_GMRES ? "A M^-1" : "M^-1 A",
                    k->run->passes > 0 ? " of the transformed system" : "", e.condition, e.steps,
                    e.steps == 1 ? "" : "s", k->method->plugin.name);
}

const char *gsolve_solver_explain(gsolve_solver *k)
{
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    const gs_column *worst;
    char *text;
    GS_ENTER(k->ctx);

    if (k->run->explanation) return k->run->explanation;
    if (k->ncols == 0) return "There has been no run yet.";
    text = gsolve_alloc(k->ctx, GSOLVE_HOST, SENTENCES, 1);
    if (gs_comm_check(k->comm, text ? GSOLVE_OK : GSOLVE_NO_MEMORY) != GSOLVE_OK) {
        gsolve_free(k->ctx, GSOLVE_HOST, text);
        return "Out of memory during the search for the cause.";
    }

    text[0] = 0;
    worst = gs_worst_column(k);
    if (gsolve_outcome_is_success(worst->outcome)) {
        explain_success(k, worst, text);
    } else {
        gsolve_solver_diagnose(k, &d);
        gs_add_sentence(text, SENTENCES, "%s %s%s", d.cause, d.remedy, d.remedy[0] ? " " : "");
    }
    add_spectrum(k, text);
    gs_add_sentence(text, SENTENCES, "%s", k->note);
    if (text[strlen(text) - 1] == ' ') text[strlen(text) - 1] = 0;
    k->run->explanation = text;
    return text;
}
