/* report.c: see report.h. */
#include "cli/report.h"

#include <stdio.h>
#include <string.h>

#define LABEL "%-10s "

void report_matrix(const report *r)
{
    char rows[32], cols[32], entries[32], seconds[32], speed[64] = "";
    const double megabytes = (double)r->source.bytes / 1e6;

    if (megabytes >= 1 && r->seconds.read > 0 && !r->source.cached) {
        snprintf(speed, sizeof speed, ", %.0f MB/s", megabytes / r->seconds.read);
    }
    printf(LABEL "%s: %s x %s, %s entries, %s\n", "matrix", r->name,
           cli_grouped(r->matrix.nrows, rows), cli_grouped(r->matrix.ncols, cols),
           cli_grouped(r->matrix.entries, entries),
           r->traits->symmetric ? "symmetric" : r->traits->skew ? "skew-symmetric" : "not symmetric");
    printf(LABEL "%s in %s%s\n", "", r->source.cached ? "read from the cache" : r->source.kind,
           cli_seconds(r->seconds.read, seconds), speed);
    printf(LABEL "%s", "rhs", r->rhs);
    if (r->columns > 1) printf(", %d columns", r->columns);
    putchar('\n');
}

void report_attempt(const attempt *t, int number)
{
    printf(LABEL "%s + %s: %s\n", number ? "then" : "solver", t->solver, t->precond, t->why);
    fflush(stdout);
}

void report_end_of_attempt(const attempt *t)
{
    if (t->info.note[0]) printf(LABEL "%s: %s\n", "", t->info.kind, t->info.note);
    if (!t->ran || t->result.outcome != GSOLVE_CONVERGED) printf(LABEL "%s\n", "", t->explanation);
}

static double sum_setup(const report *r)
{
    double sum = 0;
    for (int k = 0; k < r->attempts; k++) sum += r->attempt[k].setup_seconds;
    return sum;
}

static double sum_solve(const report *r)
{
    double sum = 0;
    for (int k = 0; k < r->attempts; k++) sum += r->attempt[k].solve_seconds;
    return sum;
}

static void print_time(const char *what, double seconds, double total)
{
    char text[32];
    printf("  %-16s %10s %5.1f %%\n", what, cli_seconds(seconds, text),
           total > 0 ? 100 * seconds / total : 0);
}

void report_print(const report *r)
{
    const double total = r->seconds.total;
    char text[32], number[32];

    if (!r->best) {
        printf(LABEL "nothing could be set up for this matrix\n", "outcome");
    } else {
        const gsolve_result *result = &r->best->result;
        printf(LABEL "%s in %s iterations, |b - Ax| / |b| = %.2e%s\n", "outcome",
               gsolve_outcome_text(result->outcome), cli_grouped(result->iterations, number),
               result->residual, r->columns > 1 ? " (worst column)" : "");
    }
    if (r->written) {
        printf(LABEL "%s%s\n", "solution", r->written,
               r->best->result.outcome == GSOLVE_CONVERGED ? "" : " (the last iterate: not converged)");
    }
    printf("\n");
    print_time("read", r->seconds.read, total);
    print_time("check", r->seconds.check, total);
    print_time("format", r->seconds.build, total);
    print_time("preconditioner", sum_setup(r), total);
    print_time("solve", sum_solve(r), total);
    print_time("total", total, total);
    printf("  %-16s %10s\n", "memory peak", cli_bytes((double)r->context.peak, text));
}

static void add_attempt(cJSON *list, const attempt *t)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "solver", t->solver);
    cJSON_AddStringToObject(o, "precond", t->precond);
    cJSON_AddStringToObject(o, "why", t->why);
    cJSON_AddStringToObject(o, "outcome",
                            t->ran ? gsolve_outcome_text(t->result.outcome) : "not set up");
    cJSON_AddStringToObject(o, "explanation", t->explanation);
    cli_add_number(o, "setup_seconds", t->setup_seconds);
    cli_add_number(o, "solve_seconds", t->solve_seconds);
    if (t->ran) {
        cli_add_number(o, "iterations", t->result.iterations);
        cli_add_number(o, "residual", t->result.residual);
    }
    cJSON_AddItemToArray(list, o);
}

static void add_outcome(cJSON *o, const report *r)
{
    static const attempt nothing = {.explanation = "nothing could be set up for this matrix"};
    const attempt *t = r->best ? r->best : r->attempts ? &r->attempt[r->attempts - 1] : &nothing;
    cJSON *precond = cJSON_AddObjectToObject(o, "precond");
    cJSON *solver = cJSON_AddObjectToObject(o, "solver");

    cJSON_AddStringToObject(precond, "name", t->info.kind ? t->info.kind : t->precond);
    cJSON_AddStringToObject(precond, "spec", t->precond);
    cli_add_number(precond, "setup_seconds", t->setup_seconds);
    cli_add_number(precond, "bytes", (double)t->info.bytes);
    cJSON_AddStringToObject(precond, "note", t->info.note);
    cJSON_AddStringToObject(solver, "name", t->method);
    cJSON_AddStringToObject(solver, "spec", t->solver);
    cJSON_AddStringToObject(o, "outcome",
                            t->ran ? gsolve_outcome_text(t->result.outcome) : "not set up");
    cJSON_AddStringToObject(o, "explanation", t->explanation);
    cli_add_number(o, "iterations", t->result.iterations);
    cli_add_number(o, "products", t->result.products);
    cJSON_AddItemToObject(o, "residual",
                          t->ran ? cJSON_CreateNumber(t->result.residual) : cJSON_CreateNull());
    if (t->ran && !(t->result.residual - t->result.residual == 0)) {
        cJSON_ReplaceItemInObject(o, "residual", cJSON_CreateNull());
    }
}

cJSON *report_json(const report *r)
{
    cJSON *o = cJSON_CreateObject(), *matrix = cJSON_AddObjectToObject(o, "matrix");

    cJSON_AddStringToObject(matrix, "source", r->name);
    cli_add_number(matrix, "rows", r->matrix.nrows);
    cli_add_number(matrix, "cols", r->matrix.ncols);
    cli_add_number(matrix, "entries", (double)r->matrix.entries);
    cJSON_AddBoolToObject(matrix, "symmetric", r->traits->symmetric);
    cJSON_AddBoolToObject(matrix, "cached", r->source.cached);
    cJSON_AddStringToObject(matrix, "type", r->matrix.type == GSOLVE_F32 ? "f32" : "f64");
    cJSON_AddStringToObject(o, "rhs", r->rhs);
    cli_add_number(o, "columns", r->columns);
    cJSON_AddStringToObject(o, "device", r->context.device);
    cJSON_AddStringToObject(o, "device_description", r->context.description);
    cli_add_number(o, "threads", r->context.threads);
    cJSON *format = cJSON_AddObjectToObject(o, "format");
    cJSON_AddStringToObject(format, "name", r->matrix.format);
    cli_add_number(format, "bytes", (double)r->matrix.bytes);
    cli_add_number(format, "build_seconds", r->matrix.build_seconds);
    add_outcome(o, r);
    cJSON *history = cJSON_AddArrayToObject(o, "history");
    for (int k = 0; k < r->history_count; k++) {
        const double residual = r->history[k];
        cJSON_AddItemToArray(history, residual - residual == 0 ? cJSON_CreateNumber(residual)
                                                               : cJSON_CreateNull());
    }
    cJSON *attempts = cJSON_AddArrayToObject(o, "attempts");
    for (int k = 0; k < r->attempts; k++) add_attempt(attempts, &r->attempt[k]);
    cJSON *seconds = cJSON_AddObjectToObject(o, "seconds");
    cli_add_number(seconds, "read", r->seconds.read);
    cli_add_number(seconds, "check", r->seconds.check);
    cli_add_number(seconds, "build", r->seconds.build);
    cli_add_number(seconds, "setup", sum_setup(r));
    cli_add_number(seconds, "solve", sum_solve(r));
    cli_add_number(seconds, "total", r->seconds.total);
    cli_add_number(o, "memory_peak", (double)r->context.peak);
    if (r->written) cJSON_AddStringToObject(o, "solution", r->written);
    return o;
}
