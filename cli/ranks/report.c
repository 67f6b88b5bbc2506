/* report.c: what rank 0 of gsolve-mpi prints, and the result as JSON. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cli/ranks/ranks.h"
#include "cli/streams.h"

void ranks_report(const ranks_run *r, FILE *to)
{
    gsolve_context_info ctx = GSOLVE_INIT(gsolve_context_info);
    const ranks_seconds *s = &r->seconds;
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_context_describe(r->ctx, &ctx);
    gsolve_matrix_describe(r->A, &A);
    fprintf(to, "matrix      %s, %lld x %lld, %lld entries\n", cli_input_words(r->args.matrix),
            (long long)A.total_rows, (long long)r->csr.cols.total, (long long)A.total_entries);
    fprintf(to, "ranks       %d", r->ranks);
    if (r->ranks < r->started) fprintf(to, " of %d", r->started);
    fprintf(to, " by %s, %d thread%s each\n", ctx.transport, ctx.threads,
            ctx.threads == 1 ? "" : "s");
    if (r->fewer[0]) fprintf(to, "            %s; --ranks all takes all\n", r->fewer);
    if (strcmp(ctx.device, "cpu") != 0) {
        fprintf(to, "device      %s, of rank 0\n", ctx.description);
    }
    if (r->R) {
        fprintf(to, "partition   %s: %lld ghosts, %.1f %% of the rows\n",
                gsolve_redistribution_name(r->R), (long long)r->division.ghosts,
                100.0 * (double)r->division.ghosts / (double)(A.total_rows > 0 ? A.total_rows : 1));
    }
    fprintf(to, "b           %s\n",
            r->args.rhs ? cli_input_words(r->args.rhs) : "A*ones; x = 1 is a solution");
    fprintf(to, "method      %s + %s\n\n", r->method, r->precond);
    fprintf(to, "outcome     %s%s\n",
            gsolve_outcome_is_success(r->result.outcome) ? "" : "NOT CONVERGED: ",
            gsolve_outcome_text(r->result.outcome));
    fprintf(to, "iterations  %d\n", r->result.iterations);
    fprintf(to, "residual    %.3e = |b - Ax| / |b|, recomputed from A, x and b\n",
            r->result.relative_residual);
    if (A.null_space > 0) {
        fprintf(to, "            %.3e without its component in the left null space\n",
                r->result.projected_relative_residual);
        fprintf(to, "null space  dimension %d; %.1e |b| is outside the range of A\n", A.null_space,
                r->result.removed);
    }
    if (!isnan(r->error_of_x)) fprintf(to, "error       %.3e = |x - 1| / |1|\n", r->error_of_x);
    if (r->diagnosis.cause[0]) fprintf(to, "why         %s\n", r->diagnosis.cause);
    if (r->diagnosis.remedy[0]) fprintf(to, "try         %s\n", r->diagnosis.remedy);
    if (r->note[0]) fprintf(to, "note        %s\n", r->note);
    fprintf(to, "\n  read or generate    %9.3f s\n", s->read);
    if (r->fewer[0]) fprintf(to, "  move to fewer ranks %9.3f s\n", s->move);
    if (r->R) fprintf(to, "  partition           %9.3f s\n", s->partition);
    fprintf(to,
            "  build               %9.3f s\n  set-up              %9.3f s\n"
            "  solve               %9.3f s\n  total               %9.3f s\n",
            s->build, s->setup, s->solve, s->total);
    if (r->profile.made) {
        fprintf(to, "  profile (not in the total) %.3f s\n", r->profile.seconds);
        cli_profile_say(&(cli){.text = to}, &r->profile);
    }
}

static void add_number(cJSON *object, const char *key, double value)
{
    cJSON_AddItemToObject(object, key,
                          isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

/* The name of a spec, up to its first comma. */
static void add_name(cJSON *object, const char *spec)
{
    char name[512];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ","), spec);
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "spec", spec);
}

static void add_seconds(cJSON *object, const ranks_seconds *s)
{
    cJSON *part = cJSON_AddObjectToObject(object, "seconds");

    add_number(part, "read", s->read);
    add_number(part, "move", s->move);
    add_number(part, "partition", s->partition);
    add_number(part, "build", s->build);
    add_number(part, "setup", s->setup);
    add_number(part, "solve", s->solve);
    add_number(part, "write", s->write);
    add_number(part, "total", s->total);
}

/* How the rows are divided, with --partition and for info. */
static void add_division(cJSON *object, const ranks_run *r)
{
    const gsolve_division_info *d = &r->division;
    cJSON *part;

    if (!r->R && !r->args.info) return;
    part = cJSON_AddObjectToObject(object, "division");
    if (r->R) cJSON_AddStringToObject(part, "partition", gsolve_redistribution_name(r->R));
    add_number(part, "most_rows", (double)d->most_rows);
    add_number(part, "most_entries", (double)d->most_entries);
    add_number(part, "ghosts", (double)d->ghosts);
    add_number(part, "most_ghosts", (double)d->most_ghosts);
    add_number(part, "cut", (double)d->cut);
    add_number(part, "most_neighbours", d->most_neighbours);
}

/* How many ranks have solved, and why not all of them. */
static void add_ranks(cJSON *object, const ranks_run *r)
{
    cJSON_AddNumberToObject(object, "ranks", r->ranks);
    cJSON_AddNumberToObject(object, "ranks_started", r->started);
    if (r->fewer[0]) cJSON_AddStringToObject(object, "ranks_reason", r->fewer);
}

/* The result of info. */
static cJSON *info_of(const ranks_run *r)
{
    gsolve_context_info ctx = GSOLVE_INIT(gsolve_context_info);
    cJSON *object = cJSON_CreateObject(), *part;

    gsolve_context_describe(r->ctx, &ctx);
    cJSON_AddStringToObject(object, "gsolve", gsolve_version());
    part = cJSON_AddObjectToObject(object, "matrix");
    add_number(part, "rows", (double)r->division.rows);
    add_number(part, "cols", (double)r->csr.cols.total);
    add_number(part, "entries", (double)r->division.entries);
    cJSON_AddStringToObject(part, "source", cli_input_words(r->args.matrix));
    add_ranks(object, r);
    cJSON_AddStringToObject(object, "transport", ctx.transport);
    add_division(object, r);
    return object;
}

static void add_null_space(cJSON *object, const ranks_run *r, int dimension)
{
    cJSON *part = cJSON_AddObjectToObject(object, "null_space");

    cJSON_AddStringToObject(part, "source", r->args.null_space);
    if (r->args.left_null_space) {
        cJSON_AddStringToObject(part, "left_source", r->args.left_null_space);
    }
    cJSON_AddNumberToObject(part, "dimension", dimension);
    add_number(part, "removed", r->result.removed);
    add_number(part, "projected_residual", r->result.projected_relative_residual);
}

static cJSON *result_of(const ranks_run *r)
{
    gsolve_context_info ctx = GSOLVE_INIT(gsolve_context_info);
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
    cJSON *object = cJSON_CreateObject(), *part;

    gsolve_context_describe(r->ctx, &ctx);
    gsolve_matrix_describe(r->A, &A);
    cJSON_AddStringToObject(object, "gsolve", gsolve_version());
    cJSON_AddNumberToObject(object, "index_base", 0);
    part = cJSON_AddObjectToObject(object, "matrix");
    add_number(part, "rows", (double)A.total_rows);
    add_number(part, "cols", (double)r->csr.cols.total);
    add_number(part, "entries", (double)A.total_entries);
    cJSON_AddBoolToObject(part, "symmetric", r->statistics.symmetric);
    cJSON_AddStringToObject(part, "source", cli_input_words(r->args.matrix));
    cJSON_AddStringToObject(object, "rhs", r->args.rhs ? cli_input_words(r->args.rhs) : "A*ones");
    cJSON_AddNumberToObject(object, "rhs_columns", r->b.ncols);
    cJSON_AddStringToObject(object, "device", ctx.device);
    cJSON_AddNumberToObject(object, "threads", ctx.threads);
    add_ranks(object, r);
    cJSON_AddStringToObject(object, "transport", ctx.transport);
    add_division(object, r);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(object, "format"), "name", A.format);
    add_name(cJSON_AddObjectToObject(object, "precond"), r->precond);
    add_name(cJSON_AddObjectToObject(object, "solver"), r->method);
    cJSON_AddStringToObject(object, "outcome", gsolve_outcome_text(r->result.outcome));
    if (r->diagnosis.name[0]) {
        cJSON_AddStringToObject(object, "cause_name", r->diagnosis.name);
        cJSON_AddStringToObject(object, "cause", r->diagnosis.cause);
        cJSON_AddStringToObject(object, "remedy", r->diagnosis.remedy);
    }
    cJSON_AddNumberToObject(object, "iterations", r->result.iterations);
    cJSON_AddNumberToObject(object, "products", r->result.products);
    add_number(object, "residual", r->result.relative_residual);
    if (r->result.relative_normal_residual >= 0) {
        add_number(object, "normal_residual", r->result.relative_normal_residual);
    }
    if (A.null_space > 0) add_null_space(object, r, A.null_space);
    add_number(object, "x_error", r->error_of_x);
    add_seconds(object, &r->seconds);
    cli_profile_json(object, &r->profile);
    return object;
}

int ranks_write_json(ranks_run *r)
{
    const bool to_stdout = strcmp(r->args.json, "-") == 0;
    cJSON *object;
    char *text;
    FILE *file;
    bool written;
    int error;

    if (r->error[0]) {
        object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "error", r->error);
    } else {
        object = r->args.info ? info_of(r) : result_of(r);
    }
    text = cJSON_Print(object);
    file = to_stdout ? stdout : fopen(r->args.json, "w");
    written = text && file && fprintf(file, "%s\n", text) > 0;
    if (file && !to_stdout) written = fclose(file) == 0 && written;
    error = errno;
    free(text);
    cJSON_Delete(object);
    return written ? 0 : ranks_fail(r, "cannot write %s: %s", r->args.json, strerror(error));
}
