/* solve.c: gsolve solve: reads, analyses, chooses, solves and reports. */
#include "cli/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/device_start.h"
#include "cli/diagnosis.h"
#include "cli/print_c.h"
#include "cli/signals.h"
#include "cli/stages.h"

/* --- preparation ------------------------------------------------------------------------------ */

static void say_system(const cli *c, const cli_solution *s)
{
    cli_item(c, "", "%s%s", cli_symmetry_words(&s->system.statistics),
             c->args.type == GSOLVE_F32
                 ? "; values rounded to single precision; all residuals refer to the rounded matrix"
                 : "");
    if (s->system.b.ncols == 1) {
        cli_item(c, "b", "%s", cli_rhs_words(c, &s->system));
    } else {
        cli_item(c, "b", "%s, %s", cli_rhs_words(c, &s->system),
                 cli_count(s->system.b.ncols, "column").text);
    }
    cli_say_device(c);
}

/* Makes the matrix handle from the inspected rows. In single precision the statistics are those of
 * the rows before they are rounded, and the handle checks the rounded rows. */
static int make_matrix(cli *c, cli_solution *s)
{
    const char *format = c->args.format ? c->args.format : "auto";
    const bool rounded = c->args.type == GSOLVE_F32;
    gsolve_inspection *known = rounded ? NULL : &s->system.inspection;
    double begin;

    if (rounded) {
        cli_end_cache(&s->cache, c, true);
        if (cli_analyse(c, &s->system)) return CLI_ERROR;
    }
    begin = cli_now();
    if (gsolve_matrix_create_inspected(&s->A, c->ctx, format, &s->system.csr, known) != GSOLVE_OK) {
        return cli_fail_library(c);
    }
    s->info.size = sizeof s->info;
    gsolve_matrix_describe(s->A, &s->info);
    s->system.analyse_seconds += cli_now() - begin - s->info.build_seconds;
    return 0;
}

static bool is_constants(const char *null_space)
{
    return null_space && strcmp(null_space, "constants") == 0;
}

static int set_null_space(cli *c, const cli_solution *s)
{
    const char *right = c->args.null_space, *left = c->args.left_null_space;
    const gsolve_null_space of_A = {is_constants(right), s->system.null};
    const gsolve_null_space of_transpose = {is_constants(left), s->system.left_null};

    if (!right) return 0;
    if (gsolve_matrix_set_null_space(s->A, &of_A, left ? &of_transpose : NULL) == GSOLVE_OK) {
        return 0;
    }
    return cli_fail(c, "--null-space %s%s%s: %s%s", right, left ? " --left-null-space " : "",
                    left ? left : "", gsolve_error(c->ctx),
                    strstr(gsolve_error(c->ctx), "left one") ? " by --left-null-space FILE" : "");
}

/* The options that transform the system, as the user named them, or NULL. */
static const char *transform_options(const cli *c)
{
    if (!c->args.order) return c->args.scale ? "--scale" : NULL;
    return c->args.scale ? "--scale and --order" : "--order";
}

/* --scale and --order need a square matrix, but for --scale auto alone. */
static int check_shape(cli *c, const cli_system *s)
{
    const bool both = c->args.scale && c->args.order;

    if (!transform_options(c) || s->nrows == s->ncols || cli_scales_if_square(c)) return 0;
    return cli_fail(c, "%s %s a square matrix and this one is %lld x %lld; leave %s out",
                    transform_options(c), both ? "need" : "needs", (long long)s->nrows,
                    (long long)s->ncols, both ? "them" : "it");
}

/* Whether the rows of the file are those of the matrix handle, bit for bit. Then b = A*ones is made
 * from them while a GPU starts. */
static bool makes_vectors_early(const cli *c, const cli_solution *s)
{
    return c->args.type == GSOLVE_F64 && s->system.inspection.clean;
}

static int prepare(cli *c, cli_solution *s)
{
    double begin = cli_now(), deciding;
    cli_stages stages;
    gsolve_csr rows;
    cli_rows given;
    int code;

    s->system.cache_read_only = !getenv("GSOLVE_TRACE"); /* a process writes one trace */
    if (cli_read_matrix(c, c->args.matrix, &s->system)) return CLI_ERROR;
    if (check_shape(c, &s->system)) return CLI_ERROR;
    if (cli_read_vectors(c, &s->system)) return CLI_ERROR;
    cli_stages_begin(&stages, c, "checking the matrix");
    code = cli_inspect(c, &s->system);
    cli_stages_end(&stages);
    if (code) return CLI_ERROR;
    cli_begin_cache(&s->cache, c, &s->system);
    given = cli_rows_of(&s->system.csr);
    if (makes_vectors_early(c, s) && cli_make_vectors(c, &s->system, &given)) return CLI_ERROR;
    deciding = cli_now();
    cli_doing("starting the device");
    if (cli_decide_device(c, &s->system)) return CLI_ERROR;
    begin += cli_now() - deciding; /* the start of a GPU is not part of the format's time */
    cli_stages_begin(&stages, c, "converting the matrix");
    code = make_matrix(c, s);
    cli_stages_end(&stages);
    if (code || set_null_space(c, s) || cli_check_method(c, s->A)) return CLI_ERROR;
    if (gsolve_matrix_csr(s->A, &rows) != GSOLVE_OK) return cli_fail_library(c);
    given = cli_rows_of(&rows);
    if (cli_make_vectors(c, &s->system, &given)) return CLI_ERROR;
    s->seconds.build = cli_now() - begin - s->system.read_seconds - s->system.analyse_seconds;
    say_system(c, s);
    return 0;
}

/* --- the attempts ----------------------------------------------------------------------------- */

/* Prints a line before and after attempt k. */
static void report(const cli *c, int k, bool ended, void *user)
{
    cli_solution *s = user;

    s->attempts = k + 1;
    if (ended) {
        cli_report_attempt(c, s, k);
    } else {
        cli_report_choice(c, s, k);
    }
}

/* Makes the columns of x contiguous; those of a file may not be. */
static void close_gaps(gsolve_dense *x)
{
    double *value = x->value;

    for (int32_t j = 1; j < x->ncols && x->stride != x->nrows; j++) {
        memmove(value + (int64_t)j * x->nrows, value + (int64_t)j * x->stride,
                (size_t)x->nrows * sizeof *value);
    }
    x->stride = x->nrows;
}

/* *guess = x, which a solve replaces; with --repeat only. */
static int keep_guess(cli *c, gsolve_dense *guess, const gsolve_dense *x)
{
    if (c->args.repeat < 0) return 0;
    if (cli_new_dense(c, guess, x->nrows, x->ncols)) return CLI_ERROR;
    memcpy(guess->value, x->value, (size_t)x->nrows * (size_t)x->ncols * sizeof(double));
    return 0;
}

static int solve(cli *c, cli_solution *s)
{
    cli_trial t = {.attempt = s->attempt, .A = s->A, .report = report, .user = s};
    gsolve_statistics statistics = s->system.statistics;
    gsolve_dense guess = {0};
    int code;

    close_gaps(&s->system.x);
    t.b = s->system.b;
    t.x = s->system.x;
    statistics.symmetric &= !cli_scales_rows(c);
    t.count = cli_list_choices(c, &statistics, s->attempt);
    code = keep_guess(c, &guess, &s->system.x);
    if (!code) code = cli_try(c, &t);
    gsolve_matrix_describe(s->A, &s->info); /* its form may have changed */
    if (!code && guess.value) code = cli_solve_again(c, &s->repeat, &t, guess, &statistics);
    gsolve_dense_free(&guess, c->ctx);
    s->attempts = t.tried;
    s->best = t.best;
    s->diagnosis = t.diagnosis;
    memcpy(s->transform, t.transform, sizeof s->transform);
    for (int k = 0; k < s->attempts; k++) {
        s->seconds.precond += s->attempt[k].precond_seconds;
        s->seconds.setup += s->attempt[k].setup_seconds;
        s->seconds.solve += s->attempt[k].solve_seconds;
    }
    return code;
}

/* --- the results ------------------------------------------------------------------------------ */

static void measure_error(const cli *c, cli_solution *s)
{
    const double *x = s->system.x.value;
    double sum = 0;

    s->error = NAN;
    if (!cli_ones_solve(c) || s->system.ncols == 0) return;
    for (int64_t i = 0; i < s->system.ncols; i++) sum += (x[i] - 1) * (x[i] - 1);
    s->error = sqrt(sum / (double)s->system.ncols);
}

static int write_solution(cli *c, cli_solution *s)
{
    const double begin = cli_now();
    const cli_attempt *a = &s->attempt[s->best];
    char comment[2400];

    if (!c->args.solution) return 0;
    cli_doing("writing %s", c->args.solution);
    snprintf(comment, sizeof comment, "gsolve %s: %s + %s, %s, |b - Ax| / |b| = %.3e",
             gsolve_version(), a->method, a->kind, gsolve_outcome_text(a->result.outcome),
             a->result.relative_residual);
    if (gsolve_write_dense(c->ctx, c->args.solution, &s->system.x, comment) != GSOLVE_OK) {
        return cli_fail_library(c);
    }
    s->seconds.write = cli_now() - begin;
    return 0;
}

static int finish(cli *c, cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];

    measure_error(c, s);
    if (write_solution(c, s) || cli_report_history(c, s)) return CLI_ERROR;
    cli_report(c, s);
    if ((c->args.json || c->args.html) && cli_report_json(c, s)) return CLI_ERROR;
    if (gsolve_outcome_is_success(a->result.outcome)) return CLI_CONVERGED;
    if (c->args.quiet) {
        char command[CLI_COMMAND_LENGTH];
        cli_remedy_command(c, &s->diagnosis, command);
        fprintf(stderr, "gsolve: not converged (%s): %s%s%s%s%s\n",
                gsolve_outcome_text(a->result.outcome), a->explanation, command[0] ? " " : "",
                s->diagnosis.remedy, command[0] ? " Run: " : "", command);
    }
    return CLI_NOT_CONVERGED;
}

/* Refuses options that contradict --plot. Returns 0 or CLI_ERROR. */
static int check_plot(cli *c)
{
    if (c->args.ascii && !c->args.plot) {
        return cli_fail(c, "--ascii changes how --plot draws; add --plot, or leave --ascii out");
    }
    if (!c->args.plot || !c->args.quiet) return 0;
    return cli_fail(c, "--plot prints lines and --quiet suppresses them; give only one of them");
}

int cli_solve(cli *c)
{
    cli_solution s = {.error = NAN};
    int code;

    if (!c->args.matrix) {
        return cli_fail(c, "no matrix is given; write gsolve -A FILE (gsolve --help shows more)");
    }
    if (check_plot(c)) return CLI_ERROR;
    if (c->args.monitor && c->args.quiet) {
        return cli_fail(
            c, "--monitor prints lines and --quiet suppresses them; give only one of them");
    }
    if (c->args.profile && c->args.quiet && !c->args.json && !c->args.html) {
        return cli_fail(
            c, "--profile prints lines and --quiet suppresses them; give only one of them, or add "
               "--json or --html");
    }
    if (c->args.profile && (c->args.scale || c->args.order)) {
        return cli_fail(
            c, "--profile repeats one run of the method, and --scale and --order solve by several "
               "runs on another system; leave one of them out");
    }
    if (transform_options(c) && c->args.null_space) {
        return cli_fail(c, "%s cannot be combined with --null-space; leave one of them out",
                        transform_options(c));
    }
    if (cli_check_print_c(c) || cli_check_files(c)) return CLI_ERROR;
    if (cli_open_undecided(c) || cli_check_specs(c)) return CLI_ERROR;
    if (!isnan(c->args.time_limit) && cli_limit_time(c, c->args.time_limit)) return CLI_ERROR;
    cli_start_device(c);
    code = prepare(c, &s);
    if (!code && c->args.print_c) {
        code = cli_print_c(c, &s.system);
    } else {
        cli_stops(CLI_STOPS_SOON);
        if (!code) code = solve(c, &s);
        cli_stops(CLI_STOPS_AT_ONCE);
        if (!code && !isnan(c->args.time_limit)) code = cli_limit_time(c, INFINITY);
        if (!code) code = finish(c, &s);
    }
    if (code && !isnan(c->args.time_limit)) cli_limit_time(c, INFINITY); /* no alarm from here on */
    cli_end_cache(&s.cache, c, code != CLI_ERROR && !cli_is_stopped(&s.attempt[s.best]));
    cli_end_start(c->starting);
    c->starting = NULL;
    for (int k = 0; k < s.attempts; k++) cli_free_attempt(&s.attempt[k]);
    gsolve_matrix_destroy(&s.A);
    cli_close_system(c, &s.system);
    return code;
}
