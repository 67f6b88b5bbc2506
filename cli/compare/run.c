/* run.c: one run of a combination: the matrix in its format, the preconditioner, the method, the
 * solve, and the true residual. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/bench.h"
#include "cli/compare/solvers.h"

typedef struct run {
    cmp *m;
    gsolve_context *ctx;
    gsolve_location location;
    const cms_matrix *a;
    cms_row *r;
    gsolve_dense b, x, here; /* here: x on the host */
    void *flag;              /* a double whose copy waits for the device */
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    double begin, limit; /* of the solve, in seconds */
    bool first, cut;     /* cut: the limit was reached */
} run;

/* --- memory ----------------------------------------------------------------------------------- */

static gsolve_status wait(run *t)
{
    double here;
    const gsolve_status status =
        gsolve_copy(t->ctx, &here, GSOLVE_HOST, t->flag, t->location, sizeof here);

    t->m->backend->wait(t->m);
    return status;
}

static gsolve_status prepare(run *t)
{
    const gsolve_dense b = t->a->system.b;
    const int32_t n = t->a->system.x.nrows;
    const double zero = 0;
    gsolve_status status;

    if (!cmp_new_vector(t->ctx, &t->b, b.nrows, b.ncols, GSOLVE_F64, t->location) ||
        !cmp_new_vector(t->ctx, &t->x, n, b.ncols, GSOLVE_F64, t->location) ||
        !cmp_new_vector(t->ctx, &t->here, n, b.ncols, GSOLVE_F64, GSOLVE_HOST) ||
        !(t->flag = gsolve_alloc(t->ctx, t->location, 1, sizeof zero))) {
        return GSOLVE_NO_MEMORY;
    }
    memset(t->here.value, 0, cmp_bytes_of(t->here));
    status = cmp_put_columns(t->ctx, t->b, b);
    if (status == GSOLVE_OK) {
        status = gsolve_copy(t->ctx, t->x.value, t->location, t->here.value, GSOLVE_HOST,
                             cmp_bytes_of(t->x));
    }
    if (status != GSOLVE_OK) return status;
    return gsolve_copy(t->ctx, t->flag, t->location, &zero, GSOLVE_HOST, sizeof zero);
}

static void release(run *t)
{
    gsolve_solver_destroy(&t->S);
    gsolve_precond_destroy(&t->M);
    gsolve_matrix_destroy(&t->A);
    gsolve_free(t->ctx, t->location, t->b.value);
    gsolve_free(t->ctx, t->location, t->x.value);
    gsolve_free(t->ctx, t->location, t->flag);
    gsolve_free(t->ctx, GSOLVE_HOST, t->here.value);
}

/* --- set-up and run --------------------------------------------------------------------------- */

/* In the first round the library stops the set-up after the limit; factorisations of direct only
 * when they end. */
static gsolve_status set_up(run *t, cms_times *times)
{
    const cmp_backend *of = t->m->backend;
    const cli_system *s = &t->a->system;
    double begin;

    if (t->first) gsolve_context_set_time_limit(t->ctx, t->limit);
    gsolve_status status = of->build(t->m, s, t->r->format, &t->A, &begin);
    if (status == GSOLVE_OK) status = of->precond(t->m, s, t->r->precond, t->A, &t->M);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_create(&t->S, t->ctx, t->r->solver, t->A, t->M);
    }
    if (status == GSOLVE_OK) status = wait(t);
    gsolve_context_set_time_limit(t->ctx, INFINITY);
    times->setup = cmp_elapsed(t->m, status, begin);
    return status;
}

static void keep_residual(cms_row *r, int iteration, double residual)
{
    if (iteration >= r->capacity) {
        const int capacity = 2 * iteration + 256;
        double *history = realloc(r->history, (size_t)capacity * sizeof *history);
        if (!history) return;
        r->history = history;
        r->capacity = capacity;
    }
    while (r->length <= iteration) r->history[r->length++] = NAN;
    r->history[iteration] = residual;
}

/* A gsolve_monitor. */
static bool follow(int iteration, double residual, void *user)
{
    run *t = user;

    if (t->first) keep_residual(t->r, iteration, residual);
    if (t->r->vendor && iteration == 0) t->begin = cli_now(); /* its libraries have started */
    t->cut = t->cut || cli_now() - t->begin > t->limit;
    return !t->cut && cli_not_interrupted(iteration, residual, NULL);
}

static gsolve_status solve(run *t, gsolve_result *result, cms_times *times)
{
    if (t->first || cmp_can_stop(t->m)) gsolve_solver_set_monitor(t->S, follow, t);
    t->begin = cli_now();
    gsolve_status status = gsolve_solver_run(t->S, t->b, t->x, result);
    times->solve = cmp_elapsed(t->m, status, t->begin);
    t->cut = cmp_largest(t->m, t->cut) > 0; /* one rank stops all */
    if (status != GSOLVE_OK) return status;
    return gsolve_copy(t->ctx, t->here.value, GSOLVE_HOST, t->x.value, t->location,
                       cmp_bytes_of(t->here));
}

/* --- the result ------------------------------------------------------------------------------- */

/* The first clause of an explanation: up to a full stop or a semicolon that ends a sentence. */
static void set_reason(cms_row *r, const char *text)
{
    size_t length = strcspn(text, ";\n");

    for (const char *at = text; (at = strstr(at, ". ")) && (size_t)(at - text) < length; at++) {
        if (at[2] >= 'A' && at[2] <= 'Z') length = (size_t)(at - text);
    }
    while (length > 0 && (text[length - 1] == '.' || text[length - 1] == ' ')) length--;
    snprintf(r->reason, sizeof r->reason, "%.*s", (int)(length < 390 ? length : 390), text);
}

/* Whether x solves the system. A least-squares solution has no small residual. */
static bool decide(run *t, const gsolve_result *result)
{
    const double slack = 1 + 1e-6; /* of another order of summation */
    const cms_matrix *a = t->a;
    cms_row *r = t->r;

    r->iterations = result->iterations;
    snprintf(r->outcome, sizeof r->outcome, "%s", gsolve_outcome_text(result->outcome));
    if (t->cut && result->outcome == GSOLVE_STOPPED) {
        snprintf(r->reason, sizeof r->reason,
                 "after %s of the solve, more than %d times the fastest",
                 cli_seconds(t->limit).text, CMS_FAR);
    } else if (result->outcome == GSOLVE_STOPPED) {
        snprintf(r->reason, sizeof r->reason, "interrupted");
    } else if (!gsolve_outcome_is_success(result->outcome)) {
        set_reason(r, gsolve_solver_explain(t->S));
    } else if (result->outcome == GSOLVE_CONVERGED && a->atol == 0 &&
               !(r->residual <= a->rtol * slack)) {
        snprintf(r->outcome, sizeof r->outcome, "wrong");
        snprintf(r->reason, sizeof r->reason, "the true residual is %.1e, not below %.1e",
                 r->residual, a->rtol);
    } else {
        return true;
    }
    return false;
}

static void note_failure(run *t, gsolve_status status)
{
    cms_row *r = t->r;

    if (status == GSOLVE_RANK_FAILED) t->m->lost = status;
    snprintf(r->outcome, sizeof r->outcome, "%s", t->S ? "failed" : "set-up failed");
    if (status != GSOLVE_INTERRUPTED) {
        set_reason(r, gsolve_error(t->ctx));
        return;
    }
    snprintf(r->outcome, sizeof r->outcome, "%s", gsolve_outcome_text(GSOLVE_STOPPED));
    if (cli_interrupted()) {
        snprintf(r->reason, sizeof r->reason, "interrupted");
    } else {
        snprintf(r->reason, sizeof r->reason,
                 "after %s of the set-up, more than %d times the fastest",
                 cli_seconds(t->limit).text, CMS_FAR);
    }
}

/* The factors of direct are in memory that the context does not count. */
static void keep_memory(run *t)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    long double peak;

    gsolve_context_describe(t->ctx, &info);
    peak = (long double)info.peak;
    t->m->backend->sum(t->m, &peak, 1);
    t->r->memory = cli_spec_is(t->r->method, "direct") ? NAN : (double)peak;
}

/* No form if ranks have different ones. */
static void note_form(const run *t, char form[64])
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    char first[64];

    if (!t->A || !t->first) return;
    gsolve_matrix_describe(t->A, &info);
    snprintf(form, 64, "%.63s", info.form);
    memcpy(first, form, sizeof first);
    t->m->backend->share(t->m, first, sizeof first);
    if (cmp_largest(t->m, strcmp(first, form) != 0) > 0) form[0] = 0;
}

bool cms_run(const cms *s, const cms_matrix *a, cms_row *r, bool first, double fastest,
             cms_times *times)
{
    gsolve_context *const ctx = s->m->c->ctx;
    run t = {.m = s->m, .ctx = ctx, .a = a, .r = r, .first = first};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;
    bool solved = false;

    *times = (cms_times){0, 0};
    t.begin = cli_now();
    t.limit = fmax(CMS_FAR * fastest, CMS_LEAST_LIMIT);
    if (r->vendor) {
        solved = cms_run_vendor(s, a, r, follow, &t, times);
        if (solved && first) keep_residual(r, r->iterations, r->residual); /* the loop does not */
        return solved;
    }
    t.location = cmp_location(s->m);
    status = s->m->backend->agree_status(s->m, prepare(&t));
    if (status == GSOLVE_OK) status = set_up(&t, times);
    note_form(&t, r->first_form);
    if (status == GSOLVE_OK) status = solve(&t, &result, times);
    note_form(&t, r->form);
    if (first) keep_memory(&t);
    if (status == GSOLVE_OK) {
        status = cms_true_residual(s->m, &a->system, t.here, &r->residual);
    }
    if (status == GSOLVE_OK) {
        solved = decide(&t, &result);
    } else {
        note_failure(&t, status);
    }
    release(&t);
    return solved;
}
