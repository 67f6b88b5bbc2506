/* solve_page.c: the page of gsolve solve: the JSON of the result, with the curve of each attempt
 * and the pattern of the matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/page.h"
#include "cli/plot.h"

enum { MOST_POINTS = 2000 };

static void add_point(cJSON *list, int iteration, double residual)
{
    cJSON *point = cJSON_CreateArray();

    cJSON_AddItemToArray(point, cJSON_CreateNumber(iteration));
    cJSON_AddItemToArray(point, cli_json_number(residual));
    cJSON_AddItemToArray(list, point);
}

/* Adds the smallest and the largest of the residuals from begin to end - 1, in their order. */
static void add_extremes(cJSON *list, const double *residual, int begin, int end)
{
    int low = begin, high = begin;

    for (int k = begin; k < end; k++) {
        if (!(residual[k] >= residual[low])) low = k;
        if (!(residual[k] <= residual[high])) high = k;
    }
    add_point(list, low < high ? low : high, residual[low < high ? low : high]);
    if (low != high) add_point(list, low < high ? high : low, residual[low < high ? high : low]);
}

/* Adds points[]: at most about MOST_POINTS pairs of an iteration and its residual. */
static void add_points(cJSON *curve, const cli_attempt *a)
{
    cJSON *list = cJSON_AddArrayToObject(curve, "points");
    const int step = a->length <= MOST_POINTS ? 1 : 1 + 2 * a->length / MOST_POINTS;

    for (int k = 0; k < a->length; k += step) {
        add_extremes(list, a->history, k, k + step < a->length ? k + step : a->length);
    }
}

void cli_page_curve(cJSON *list, int number, const cli_attempt *a)
{
    cJSON *curve = cJSON_CreateObject();

    cJSON_AddNumberToObject(curve, "attempt", number);
    cJSON_AddStringToObject(curve, "solver", a->solver);
    cJSON_AddStringToObject(curve, "precond", a->precond);
    cJSON_AddStringToObject(curve, "outcome", gsolve_outcome_text(a->result.outcome));
    cJSON_AddBoolToObject(curve, "success", gsolve_outcome_is_success(a->result.outcome));
    cli_json_add(curve, "residual", a->result.relative_residual);
    add_points(curve, a);
    cJSON_AddItemToArray(list, curve);
}

static void add_curves(cJSON *extra, const cli_solution *s)
{
    cJSON *list = cJSON_AddArrayToObject(extra, "curves");

    for (int k = 0; k < s->attempts; k++) {
        if (s->attempt[k].ran) cli_page_curve(list, k + 1, &s->attempt[k]);
    }
}

static void add_pattern(cJSON *extra, const cli_solution *s)
{
    gsolve_csr A;
    cli_rows rows;
    cli_spy spy;

    if (gsolve_matrix_csr(s->A, &A) != GSOLVE_OK || A.location != GSOLVE_HOST) return;
    rows = cli_rows_of(&A);
    cli_page_count(&spy, &rows, gsolve_csr_entries(&A));
    cli_page_spy(extra, &spy);
}

static int write_page(cli *c, const cli_solution *s, const cJSON *json)
{
    cJSON *object = cJSON_Duplicate(json, true), *extra = cli_page_extra(c, object);
    const bool success = gsolve_outcome_is_success(s->attempt[s->best].result.outcome);

    cJSON_AddBoolToObject(extra, "success", success);
    cJSON_AddNumberToObject(extra, "attempt", s->best + 1);
    cli_json_add(extra, "rtol", cli_spec_rtol(c, s->attempt[s->best].solver));
    if (s->attempt[s->best].profile.made) {
        cJSON_AddNumberToObject(extra, "profile_seconds", s->attempt[s->best].profile.seconds);
    }
    add_curves(extra, s);
    cli_page_statistics(extra, &s->system.statistics);
    add_pattern(extra, s);
    const int code = cli_page_write(c, c->args.html, object);
    cJSON_Delete(object);
    return code;
}

int cli_page_of_solve(cli *c, const cli_solution *s, cJSON *object)
{
    const int code = c->args.html ? write_page(c, s, object) : 0;

    if (code || !c->args.json) {
        cJSON_Delete(object);
        return code;
    }
    return cli_json_write(c, object);
}
