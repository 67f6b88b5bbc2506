/* files.c: the files that rank 0 of gsolve-mpi checks and writes: those of --json and --html. */
#include "cli/plot.h"
#include "cli/ranks/ranks.h"

void ranks_set_arguments(ranks_run *r, int argc, char **argv)
{
    const ranks_arguments *from = &r->args;

    r->c.command = cli_find_command(from->info ? "info" : "solve");
    r->c.args = cli_no_arguments;
    r->c.args.matrix = from->matrix;
    r->c.args.rhs = from->rhs;
    r->c.args.guess = from->guess;
    r->c.args.null_space = from->null_space;
    r->c.args.left_null_space = from->left_null_space;
    r->c.args.solution = from->solution;
    r->c.args.json = from->json;
    r->c.args.html = from->html;
    r->c.word = argv;
    r->c.count = argc;
    r->c.ranks = r->started;
    r->c.silent = true; /* main.c prints the sentence */
}

/* The sentence of r->c, unless code is 0. */
static int take_error(ranks_run *r, int code)
{
    return code ? ranks_fail(r, "%s", r->c.error) : 0;
}

int ranks_check_files(ranks_run *r)
{
    return ranks_agree(r, r->rank == 0 ? take_error(r, cli_check_files(&r->c)) : 0);
}

int ranks_write_json(ranks_run *r)
{
    if (!r->error[0]) return take_error(r, cli_json_write(&r->c, ranks_json(r)));
    cli_fail(&r->c, "%s", r->error);
    cli_json_error(&r->c);
    return 1;
}

/* --- the page --------------------------------------------------------------------------------- */

void ranks_add_curve(ranks_run *r, const cli_attempt *a)
{
    if (!r->curves) r->curves = cJSON_CreateArray();
    cli_page_curve(r->curves, r->attempts, a);
}

int ranks_prepare_page(ranks_run *r)
{
    const cli_rows rows = cli_rows_of_rank(&r->csr);
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    if (!r->args.html) return 0;
    gsolve_matrix_describe(r->A, &A);
    cli_page_count(&r->spy, &rows, A.total_entries);
    ranks_sum_pattern(r, &r->spy);
    r->parts = ranks_list_parts(r);
    return r->parts ? 0 : ranks_fail(r, "out of memory");
}

int ranks_write_page(ranks_run *r)
{
    cJSON *object = ranks_json(r), *extra = cli_page_extra(&r->c, object);

    cJSON_AddBoolToObject(extra, "success", gsolve_outcome_is_success(r->result.outcome));
    cJSON_AddNumberToObject(extra, "attempt", r->attempts);
    cli_json_add(extra, "rtol", cli_spec_rtol(&r->c, r->method));
    cJSON_AddItemToObject(extra, "curves", r->curves);
    cJSON_AddItemToObject(extra, "ranks", r->parts);
    r->curves = r->parts = NULL;
    cli_page_statistics(extra, &r->statistics);
    cli_page_spy(extra, &r->spy);
    const int code = cli_page_write(&r->c, r->args.html, object);
    cJSON_Delete(object);
    return take_error(r, code);
}
