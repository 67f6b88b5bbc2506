/* attempt.c: sets up and runs one choice after another, and follows the runs. */
#include "cli/attempt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diagnosis.h"
#include "cli/signals.h"
#include "cli/stages.h"

/* --- monitoring the run ------------------------------------------------------------------ */

typedef struct monitor { /* of all attempts */
    cli *c;
    gsolve_auto *S;
    cli_trial *trial;
    cli_attempt *a; /* the present one */
    cli_live live;
    cli_stages stages;
    FILE *lines;        /* of --monitor, or NULL */
    bool keep;          /* whether to keep the history */
    gsolve_dense guess; /* of the profile */
    int code;           /* CLI_ERROR: an error was reported */
} monitor;

void cli_keep_residual(cli_attempt *a, int iteration, double residual)
{
    if (iteration >= a->capacity) {
        const int capacity = 2 * iteration + 256;
        double *history = realloc(a->history, (size_t)capacity * sizeof *history);
        if (!history) return;
        a->history = history;
        a->capacity = capacity;
    }
    while (a->length <= iteration) a->history[a->length++] = NAN;
    a->history[iteration] = residual;
}

/* A gsolve_monitor. */
static bool show_iteration(int iteration, double residual, void *user)
{
    monitor *m = user;

    if (m->keep) cli_keep_residual(m->a, iteration, residual);
    if (m->lines) fprintf(m->lines, "%12d  %.6e\n", iteration, residual);
    cli_live_iteration(&m->live, iteration, residual);
    return !cli_interrupted();
}

/* --- set-up and run ------------------------------------------------------------------------- */

/* Reads the results of the columns. */
static void read_results(cli_attempt *a, gsolve_solver *S, int32_t ncols)
{
    a->ran = true;
    snprintf(a->method_note, sizeof a->method_note, "%s", gsolve_solver_note(S));
    a->spectrum = (gsolve_spectrum)GSOLVE_INIT(gsolve_spectrum);
    gsolve_solver_spectrum(S, &a->spectrum); /* fails without spectrum=on */
    if (ncols < 2) return;
    a->column = malloc((size_t)ncols * sizeof *a->column);
    for (; a->column && a->ncols < ncols; a->ncols++) {
        a->column[a->ncols].size = sizeof *a->column;
        gsolve_solver_column(S, a->ncols, &a->column[a->ncols]);
    }
}

static gsolve_status profile(monitor *m, gsolve_solver *S)
{
    cli *c = m->c;
    cli_live live;

    if (!c->args.profile || cli_is_stopped(m->a)) return GSOLVE_OK;
    cli_live_begin(&live, c, m->a->method);
    cli_live_note(&live, "solving again for the profile ...");
    gsolve_solver_set_monitor(S, cli_not_interrupted, NULL);
    const gsolve_status status =
        cli_profile_make(c, &m->a->profile, S, m->trial->b, m->guess, m->trial->x);
    cli_profile_sort(&m->a->profile);
    cli_live_erase(&live);
    return status;
}

/* m->guess = x, if there will be a profile, which solves again from the guess. */
static void keep_guess(monitor *m)
{
    const gsolve_dense x = m->trial->x;

    if (!m->c->args.profile || m->code) return;
    if (!m->guess.value) m->code = cli_new_dense(m->c, &m->guess, x.nrows, x.ncols);
    if (!m->code) {
        memcpy(m->guess.value, x.value, (size_t)x.nrows * (size_t)x.ncols * sizeof(double));
    }
}

static void begin_attempt(monitor *m, int k)
{
    m->a = &m->trial->attempt[k];
    m->trial->tried++;
    if (m->trial->report) m->trial->report(m->c, k, false, m->trial->user);
    keep_guess(m);
    cli_live_begin(&m->live, m->c, m->a->solver);
    cli_stages_begin(&m->stages, m->c, "setting up the method %.60s and the preconditioner %.60s",
                     m->a->solver, m->a->precond);
    cli_stops(CLI_STOPS_SOON);
}

/* The attempt's run begins. */
static void begin_run(monitor *m, const gsolve_attempt *t)
{
    cli *c = m->c;
    cli_attempt *a = m->a;

    cli_stops(CLI_STOPS_RUN);
    cli_stages_end(&m->stages);
    snprintf(a->solver, sizeof a->solver, "%s", t->method);
    snprintf(a->method, sizeof a->method, "%s", gsolve_solver_name(t->S));
    if (c->args.monitor) m->lines = cli_uses_stdout(c) ? stderr : c->text;
    if (m->lines) fprintf(m->lines, "%12s  residual\n", "iteration");
    cli_live_begin(&m->live, c, a->method);
    m->live.on = m->live.on && !m->lines;
    m->live.target = cli_rtol(c);
}

/* Returns whether another attempt may follow. */
static bool end_attempt(monitor *m, const gsolve_attempt *t)
{
    cli_attempt *a = m->a;
    bool ended;

    cli_stops(CLI_STOPS_RUN);
    cli_stages_end(&m->stages);
    cli_live_erase(&m->live);
    a->status = t->status;
    a->precond_seconds = t->precond_seconds;
    a->setup_seconds = t->method_seconds;
    a->solve_seconds = t->run_seconds;
    if (t->M) cli_describe_precond(a, t->M);
    a->setup_read = t->setup_read;
    a->setup_written = t->setup_written;
    snprintf(a->setup_note, sizeof a->setup_note, "%s", t->setup_note);
    if (t->result) {
        a->result = *t->result;
        read_results(a, t->S, m->trial->b.ncols);
        if (profile(m, t->S) != GSOLVE_OK) m->code = cli_fail_library(m->c);
    }
    cli_explain_attempt(m->c, m->S, t, a->method_note, &a->diagnosis, a->explanation,
                        sizeof a->explanation);
    ended = a->ran && (gsolve_outcome_is_success(a->result.outcome) || cli_is_stopped(a));
    if (m->code || ended || a->status == GSOLVE_INTERRUPTED) return false;
    if (m->trial->count > 1 && m->trial->report) {
        m->trial->report(m->c, t->choice, true, m->trial->user);
    }
    return true;
}

/* A gsolve_attempt_monitor. */
static bool follow(const gsolve_attempt *t, void *user)
{
    monitor *m = user;

    if (t->stage == GSOLVE_ATTEMPT_BEGINS) {
        begin_attempt(m, t->choice);
    } else if (t->stage == GSOLVE_ATTEMPT_IS_SET_UP) {
        begin_run(m, t);
    } else {
        return end_attempt(m, t);
    }
    return true;
}

/* S gets the choices, and those who follow its runs. */
static gsolve_status prepare(const cli *c, const cli_trial *t, monitor *m, gsolve_auto *S)
{
    static const char automatic[] = "auto";
    char flexible[sizeof((cli_attempt *)0)->solver];
    const char *method[CLI_MOST_ATTEMPTS], *precond[CLI_MOST_ATTEMPTS];

    for (int k = 0; k < t->count; k++) {
        const cli_attempt *a = &t->attempt[k];
        method[k] = a->solver;
        precond[k] = a->precond;
        if (!a->free_method || !c->variable) continue; /* auto chooses a flexible method */
        snprintf(flexible, sizeof flexible, "%s%.500s", automatic,
                 a->solver + strcspn(a->solver, ","));
        method[k] = flexible; /* the only choice */
    }
    gsolve_auto_set_attempt_monitor(S, follow, m);
    gsolve_auto_set_monitor(S, show_iteration, m);
    return gsolve_auto_set_choices(S, t->count, method, precond);
}

int cli_try(cli *c, cli_trial *t)
{
    char options[64];
    monitor m = {.c = c,
                 .trial = t,
                 .keep = c->args.json || c->args.history || c->args.html || c->args.plot};
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_auto *S = NULL;
    gsolve_status status;

    cli_name_transform(c, options, sizeof options);
    status = gsolve_auto_create_from(&S, c->ctx, options, t->A);
    m.S = S;
    t->tried = t->best = 0;
    t->diagnosis = (gsolve_diagnosis)GSOLVE_INIT(gsolve_diagnosis);
    if (status == GSOLVE_OK) status = prepare(c, t, &m, S);
    if (status == GSOLVE_OK) status = gsolve_auto_set_setup_file(S, c->args.setup);
    if (status == GSOLVE_OK) status = gsolve_auto_run(S, t->b, t->x, &result);
    if (status == GSOLVE_OK) {
        gsolve_auto_describe(S, &info);
        t->best = info.choice;
        snprintf(t->transform, sizeof t->transform, "%s", info.transform);
        cli_note_stop(t, &result);
        if (!cli_is_stopped(&t->attempt[t->best])) gsolve_auto_diagnose(S, &t->diagnosis);
    } else if (status == GSOLVE_INTERRUPTED && !m.code) {
        m.code = cli_fail_library(c);
    } else if (!m.code && t->tried == 0) {
        m.code = cli_fail_library(c);
    } else if (!m.code) { /* the first attempt's error, or the one that ended the run */
        const int k = t->tried < t->count ? t->tried - 1 : 0;
        const gsolve_diagnosis *d = &t->attempt[k].diagnosis;
        m.code =
            d->remedy[0] ? cli_fail_diagnosed(c, d) : cli_fail(c, "%s", t->attempt[k].explanation);
    }
    gsolve_auto_destroy(&S);
    gsolve_dense_free(&m.guess, c->ctx);
    return m.code;
}
