/* report.c: prints the attempts and the result of a solve, as text and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/diagnosis.h"
#include "cli/json.h"
#include "cli/page/page.h"
#include "cli/plot.h"
#include "cli/solve.h"

/* --- during the attempts ---------------------------------------------------------------------- */

void cli_report_choice(const cli *c, const cli_solution *s, int k)
{
    const cli_attempt *a = &s->attempt[k];
    char label[24] = "method", solver[sizeof a->solver];

    cli_effective_spec(a->solver, solver);
    if (k > 0) snprintf(label, sizeof label, "attempt %d", k + 1);
    if (a->why[0]) {
        cli_item(c, label, "%s + %s (%s)", solver, a->precond, a->why);
    } else {
        cli_item(c, label, "%s + %s", solver, a->precond);
    }
}

/* Prints an attempt that failed, in a line; cli_report prints the last one. */
void cli_report_attempt(const cli *c, const cli_solution *s, int k)
{
    const cli_attempt *a = &s->attempt[k];
    const double seconds = a->precond_seconds + a->setup_seconds + a->solve_seconds;
    const char *cause = a->diagnosis.cause;
    const bool repeated = k > 0 && cause[0] && !strcmp(cause, s->attempt[k - 1].diagnosis.cause);
    const char *why = repeated ? "The cause is that of the attempt before." : a->explanation;

    if (!a->ran) {
        cli_item(c, "", "attempt %d: the set-up failed: %s", k + 1, a->explanation);
    } else if (!gsolve_outcome_is_success(a->result.outcome)) {
        cli_item(c, "", "attempt %d: %s after %s, %s %.2e (%s). %s", k + 1,
                 gsolve_outcome_text(a->result.outcome),
                 cli_count(a->result.iterations, "iteration").text,
                 a->result.outcome == GSOLVE_DIVERGED ? "smallest residual" : "residual",
                 a->result.relative_residual, cli_seconds(seconds).text, why);
    }
}

/* --- at the end ------------------------------------------------------------------------------- */

static void say_format(const cli *c, const cli_solution *s)
{
    const bool adapts = strcmp(s->info.format, "auto") == 0; /* its note names formats */

    if (!s->info.note[0]) return;
    cli_item(c, "format", "%s%s%s", adapts ? "" : s->info.format, adapts ? "" : ": ", s->info.note);
}

/* What happened with the file of --setup. */
static void say_setup(const cli *c, const cli_attempt *a)
{
    static const char cannot_write[] = "cannot write ";
    const size_t length = sizeof cannot_write - 1;
    const char *file = c->args.setup, *note = a->setup_note;

    if (!file) return;
    if (a->setup_read) {
        cli_item(c, "set-up", "read from %s", file);
    } else if (a->setup_written) {
        cli_item(c, "set-up", "%s%s", note[0] ? note : "written to ",
                 note[0] ? "; computed again and rewritten" : file);
    } else if (strncmp(note, cannot_write, length) == 0) {
        cli_item(c, "set-up", "not written to %s", note + length);
    } else {
        cli_item(c, "set-up", "not written%s%s", note[0] ? ", because " : "", note);
    }
}

static void say_precond(const cli *c, const cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];

    if (a->note[0]) cli_item(c, a->kind, "%s", a->note);
    say_setup(c, a);
    cli_print_levels(c, &a->levels);
}

/* Whether the residuals of all attempts that ran agree to three digits. */
static bool residuals_agree(const cli_solution *s)
{
    const double best = s->attempt[s->best].result.relative_residual;

    for (int k = 0; k < s->attempts; k++) {
        const cli_attempt *a = &s->attempt[k];
        if (a->ran && !(fabs(a->result.relative_residual - best) <= 0.005 * best)) return false;
    }
    return true;
}

/* Which attempt the result is of. */
static void say_best(const cli *c, const cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];
    const bool converged = gsolve_outcome_is_success(a->result.outcome);

    if (s->attempts == 1) return;
    cli_item(c, "", "by attempt %d of %d, %s + %s%s", s->best + 1, s->attempts, a->method, a->kind,
             converged            ? ""
             : residuals_agree(s) ? "; all attempts that ran end at about the same residual"
                                  : ", which has the smallest residual");
}

/* |x - 1| / |1| where b is A*ones. */
static void say_error(const cli *c, const cli_solution *s)
{
    const gsolve_statistics *t = &s->system.statistics;
    const bool square = t->nrows == t->ncols;
    const bool singular = t->empty_cols > 0 || t->nrows < t->ncols ||
                          (square && (t->empty_rows > 0 || t->zero_sum_rows == t->nrows)) ||
                          s->info.null_space > 0;

    if (isnan(s->error) || s->system.zero_b) return;
    cli_item(c, "error", "%.3e = |x - 1| / |1|%s", s->error,
             singular ? "; x = 1 is not the only solution" : "");
}

static void say_null_space(const cli *c, const cli_solution *s)
{
    const gsolve_result *r = &s->attempt[s->best].result;

    if (s->info.null_space == 0) return;
    cli_item(c, "", "%.3e without its component in the left null space",
             r->projected_relative_residual);
    cli_item(c, "null space", "dimension %d; %.1e |b| is outside the range of A",
             s->info.null_space, r->removed);
}

/* What --scale and --order did; the note of a least-squares method says that it uses neither. */
static void say_transform(const cli *c, const cli_solution *s)
{
    const gsolve_statistics *t = &s->system.statistics;

    if (s->transform[0]) {
        cli_item(c, "transform", "%s", s->transform);
    } else if (c->args.scale && t->nrows != t->ncols) {
        cli_item(c, "transform", "none, because A is not square");
    }
}

static void say_outcome(const cli *c, const cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];
    const bool converged = gsolve_outcome_is_success(a->result.outcome);

    cli_say(c, "\n");
    cli_item(c, "outcome", "%s%s",
             converged ? "" : "NOT CONVERGED: ", gsolve_outcome_text(a->result.outcome));
    say_best(c, s);
    cli_item(c, "iterations", "%d%s", a->result.iterations,
             a->ncols > 1 ? " (largest of all columns)" : "");
    cli_item(c, "residual", "%.3e = |b - Ax| / |b|, recomputed from A, x and b%s",
             a->result.relative_residual, a->ncols > 1 ? "; worst column" : "");
    say_null_space(c, s);
    say_error(c, s);
    say_transform(c, s);
    if (!converged) {
        cli_item(c, "why", "%s", a->explanation);
        cli_say_remedy(c, &s->diagnosis);
    } else if (a->method_note[0]) {
        cli_item(c, a->method, "%s", a->method_note);
    }
    if (c->args.solution) {
        cli_item(c, "x", "written to %s%s", c->args.solution,
                 converged ? "" : " (the best iterate, which is not a solution)");
    }
}

/* The estimates of spectrum=on. */
static void say_spectrum(const cli *c, const cli_attempt *a)
{
    const gsolve_spectrum *e = &a->spectrum;
    const bool singular = strcmp(a->method, "gmres") == 0 || strcmp(a->method, "fgmres") == 0;

    if (e->steps == 0) return;
    cli_item(c, "spectrum", "%s from %.3g to %.3g, condition at least %.2g, estimated by %s",
             singular ? "singular values of A M^-1" : "eigenvalues of M^-1 A", e->smallest,
             e->largest, e->condition, cli_count(e->steps, "step").text);
}

/* A line for each column of b. */
static void say_columns(const cli *c, const cli_attempt *a)
{
    if (!c->args.columns || !a->column) return;
    cli_say(c, "\n  the columns of b, counted from 1\n%8s%12s%14s  outcome\n", "column",
            "iterations", "residual");
    for (int32_t j = 0; j < a->ncols; j++) {
        const gsolve_result *r = &a->column[j];
        cli_say(c, "%8d%12d%14.3e  %s\n", j + 1, r->iterations, r->relative_residual,
                gsolve_outcome_text(r->outcome));
    }
}

typedef struct row {
    char what[96];
    double seconds;
} row;

static void say_row(const cli *c, const char *what, double seconds, double total)
{
    const bool small = total < 1;

    cli_say(c, "  %-32s%10.*f %s %6.1f %%\n", what, small ? 2 : 3, small ? 1e3 * seconds : seconds,
            small ? "ms" : "s ", total > 0 ? 100 * seconds / total : 0);
}

static void say_seconds(const cli *c, const cli_solution *s, double total)
{
    const cli_attempt *a = &s->attempt[s->best];
    const bool one = s->attempts == 1;
    row rows[8] = {{"read", s->system.read_seconds},
                   {"check and statistics of A", s->system.analyse_seconds},
                   {"format", s->seconds.build},
                   {"preconditioner", s->seconds.precond},
                   {"set-up of the method", s->seconds.setup},
                   {"solve", s->seconds.solve},
                   {"write", s->seconds.write},
                   {"other (start-up, reports)", total}};

    if (strcmp(s->system.source.kind, "generator") == 0) {
        snprintf(rows[0].what, sizeof rows[0].what, "generate");
    }
    snprintf(rows[2].what, sizeof rows[2].what, "build of the format %.60s", s->info.format);
    if (one) {
        snprintf(rows[3].what, sizeof rows[3].what, "preconditioner %s", a->kind);
        snprintf(rows[5].what, sizeof rows[5].what, "solve by %s", a->method);
    }
    for (int k = 0; k < 7; k++) rows[7].seconds -= rows[k].seconds;
    cli_say(c, "\n");
    for (int k = 0; k < 8; k++) {
        const bool minor = k == 4 || k >= 6;
        if (k == 3 && one && strcmp(a->kind, "none") == 0) continue;
        if (!minor || rows[k].seconds > 0.005 * total)
            say_row(c, rows[k].what, rows[k].seconds, total);
    }
    say_row(c, "total", total, total);
    if (a->profile.made) {
        cli_say(c, "  %-32s%10.3f s\n", "profile (not in the total)", a->profile.seconds);
    }
}

static double process_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : NAN;
}

void cli_report(const cli *c, const cli_solution *s)
{
    const cli_profile *profile = &s->attempt[s->best].profile;
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(c->ctx, &info);
    say_outcome(c, s);
    say_spectrum(c, &s->attempt[s->best]);
    say_columns(c, &s->attempt[s->best]);
    say_format(c, s);
    say_precond(c, s);
    say_seconds(c, s, cli_now() - c->begin - profile->seconds - s->repeat.seconds);
    cli_say_repeat(c, &s->repeat);
    cli_profile_say(c, profile);
    cli_say(c, "\n");
    cli_item(c, "memory", "allocated by gsolve: at most %s; resident in the process: at most %s",
             cli_bytes((double)(profile->made ? profile->peak : info.peak)).text,
             cli_bytes(process_peak()).text);
    cli_plot(c, s);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_seconds(cJSON *object, const cli *c, const cli_solution *s)
{
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");

    cJSON_AddNumberToObject(seconds, "read", s->system.read_seconds);
    cJSON_AddNumberToObject(seconds, "check", s->system.analyse_seconds);
    cJSON_AddNumberToObject(seconds, "build", s->seconds.build);
    cJSON_AddNumberToObject(seconds, "setup", s->seconds.precond + s->seconds.setup);
    cJSON_AddNumberToObject(seconds, "solve", s->seconds.solve);
    cJSON_AddNumberToObject(seconds, "write", s->seconds.write);
    cJSON_AddNumberToObject(seconds, "total", cli_now() - c->begin - s->repeat.seconds);
}

static void add_attempts(cJSON *object, const cli_solution *s)
{
    cJSON *list = cJSON_AddArrayToObject(object, "attempts");

    for (int k = 0; k < s->attempts; k++) {
        const cli_attempt *a = &s->attempt[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "solver", a->solver);
        cJSON_AddStringToObject(item, "precond", a->precond);
        cJSON_AddStringToObject(item, "why", a->why);
        cJSON_AddStringToObject(item, "outcome",
                                a->ran ? gsolve_outcome_text(a->result.outcome) : "set-up failed");
        cJSON_AddStringToObject(item, "explanation", a->explanation);
        cJSON_AddNumberToObject(item, "iterations", a->result.iterations);
        cli_json_add(item, "residual", a->ran ? a->result.relative_residual : NAN);
        cJSON_AddNumberToObject(item, "setup_seconds", a->precond_seconds + a->setup_seconds);
        cJSON_AddNumberToObject(item, "solve_seconds", a->solve_seconds);
        cJSON_AddItemToArray(list, item);
    }
}

/* nulls: A has a null space. */
static void add_columns(cJSON *object, const cli_attempt *a, bool nulls)
{
    cJSON *list = a->column ? cJSON_AddArrayToObject(object, "columns") : NULL;

    for (int32_t j = 0; list && j < a->ncols; j++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "outcome", gsolve_outcome_text(a->column[j].outcome));
        cJSON_AddNumberToObject(item, "iterations", a->column[j].iterations);
        cli_json_add(item, "residual", a->column[j].relative_residual);
        if (nulls)
            cli_json_add(item, "projected_residual", a->column[j].projected_relative_residual);
        if (nulls) cli_json_add(item, "removed", a->column[j].removed);
        cJSON_AddItemToArray(list, item);
    }
}

/* Adds the null space, if there is one. */
static void add_null_space(cJSON *object, const cli *c, const cli_solution *s)
{
    const gsolve_result *result = &s->attempt[s->best].result;
    cJSON *part;

    if (s->info.null_space == 0) return;
    part = cJSON_AddObjectToObject(object, "null_space");
    cli_json_text(part, "source", c->args.null_space);
    if (c->args.left_null_space) cli_json_text(part, "left_source", c->args.left_null_space);
    cJSON_AddNumberToObject(part, "dimension", s->info.null_space);
    cli_json_add(part, "removed", result->removed);
    cli_json_add(part, "projected_residual", result->projected_relative_residual);
}

static void add_spectrum(cJSON *object, const gsolve_spectrum *e)
{
    cJSON *item = e->steps > 0 ? cJSON_AddObjectToObject(object, "spectrum") : NULL;

    if (!item) return;
    cJSON_AddNumberToObject(item, "steps", e->steps);
    cli_json_add(item, "smallest", e->smallest);
    cli_json_add(item, "largest", e->largest);
    cli_json_add(item, "condition", e->condition);
}

/* Adds what happened with the file of --setup. */
static void add_setup(cJSON *object, const cli *c, const cli_attempt *a)
{
    cJSON *part = c->args.setup ? cJSON_AddObjectToObject(object, "setup_file") : NULL;

    if (!part) return;
    cJSON_AddStringToObject(part, "name", c->args.setup);
    cJSON_AddBoolToObject(part, "read", a->setup_read);
    cJSON_AddBoolToObject(part, "written", a->setup_written);
    cJSON_AddStringToObject(part, "note", a->setup_note);
}

/* Adds device, format, preconditioner and method. */
static void add_components(cJSON *object, const cli *c, const cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    char words[400];
    cJSON *part;

    gsolve_context_describe(c->ctx, &info);
    cJSON_AddStringToObject(object, "device", info.device);
    cJSON_AddStringToObject(object, "device_description", cli_device_words(c, words));
    cJSON_AddStringToObject(object, "cpu_level", info.cpu_level);
    cJSON_AddNumberToObject(object, "threads", info.threads);
    cJSON_AddStringToObject(object, "type", c->args.type == GSOLVE_F32 ? "f32" : "f64");
    part = cJSON_AddObjectToObject(object, "format");
    cJSON_AddStringToObject(part, "name", s->info.format);
    cJSON_AddStringToObject(part, "form", s->info.form);
    cJSON_AddStringToObject(part, "note", s->info.note);
    cJSON_AddNumberToObject(part, "bytes", (double)s->info.bytes);
    cJSON_AddNumberToObject(part, "stored", (double)s->info.stored);
    cJSON_AddNumberToObject(part, "build_seconds", s->info.build_seconds);
    cJSON_AddNumberToObject(part, "convert_seconds", s->info.convert_seconds);
    part = cJSON_AddObjectToObject(object, "precond");
    cJSON_AddStringToObject(part, "name", a->kind);
    cJSON_AddStringToObject(part, "spec", a->precond);
    cJSON_AddStringToObject(part, "note", a->note);
    cJSON_AddNumberToObject(part, "setup_seconds", a->precond_seconds);
    cli_levels_json(part, &a->levels);
    add_setup(part, c, a);
    part = cJSON_AddObjectToObject(object, "solver");
    cJSON_AddStringToObject(part, "name", a->method);
    cJSON_AddStringToObject(part, "spec", a->solver);
    cJSON_AddStringToObject(part, "note", a->method_note);
    cJSON_AddStringToObject(part, "transform", s->transform);
    cJSON_AddNumberToObject(part, "product_seconds", a->result.product_seconds);
    cJSON_AddNumberToObject(part, "precond_seconds", a->result.precond_seconds);
    cJSON_AddNumberToObject(object, "memory_peak",
                            (double)(a->profile.made ? a->profile.peak : info.peak));
    cli_json_add(object, "process_peak", process_peak());
}

int cli_report_json(cli *c, const cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];
    cJSON *object = cJSON_CreateObject(), *history;

    cli_json_matrix(object, &s->system);
    cli_json_text(object, "rhs", c->args.rhs ? c->args.rhs : "A*ones");
    cJSON_AddNumberToObject(object, "rhs_columns", s->system.b.ncols);
    add_components(object, c, s);
    cJSON_AddStringToObject(object, "outcome", gsolve_outcome_text(a->result.outcome));
    cli_diagnosis_json(object, c, &s->diagnosis, a->explanation);
    cJSON_AddNumberToObject(object, "iterations", a->result.iterations);
    cJSON_AddNumberToObject(object, "products", a->result.products);
    cli_json_add(object, "residual", a->result.relative_residual);
    if (a->result.relative_normal_residual >= 0) {
        cli_json_add(object, "normal_residual", a->result.relative_normal_residual);
    }
    add_null_space(object, c, s);
    cli_json_add(object, "x_error", s->error);
    history = cJSON_AddArrayToObject(object, "history");
    for (int k = 0; k < a->length; k++) {
        cJSON_AddItemToArray(history, cli_json_number(a->history[k]));
    }
    add_columns(object, a, s->info.null_space > 0);
    add_spectrum(object, &a->spectrum);
    cli_profile_json(object, &a->profile);
    cli_repeat_json(object, &s->repeat);
    if (s->attempts > 1) add_attempts(object, s);
    add_seconds(object, c, s);
    return cli_page_of_solve(c, s, object);
}
