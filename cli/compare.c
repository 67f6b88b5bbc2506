/* compare.c: gsolve compare: one solve for each format, to the same true residual. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common.h"

static const cli_option options[] = {
    {'A', "matrix", "FILE", "the matrix: a file, or gen:NAME,key=value,..."},
    {0, "formats", "SPEC:SPEC", "formats to compare, separated by colons (default: all)"},
    {0, "solver", "SPEC", "method (default: what auto chooses)"},
    {0, "precond", "SPEC", "preconditioner (default: what auto chooses)"},
    {0, "products", "N", "products to time for each format (default: 20)"},
    {0, "threads", "N", "threads of the CPU (default: all)"},
    {0, "device", "SPEC", "device (default: auto)"},
    {0, "cache", NULL, "keep a binary copy of the matrix, and read it if there is one"},
    {0, "json", "FILE|-", "write the table as JSON"},
    {0, "quiet", NULL, "print errors only"},
    {'h', "help", NULL, "print this"},
    {0},
};

const cli_command cli_compare = {
    "compare", "-A FILE", "Solves once with each format and shows what the format costs and saves.",
    options, 0, 0, "The right-hand side is A*ones.\n"};

typedef struct row {
    char format[64];
    bool built;
    gsolve_matrix_info info;
    gsolve_result result;
    double build, product, solve; /* seconds; product: the median */
    char problem[200];
} row;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of count products y = A x. */
static double time_product(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y, int count)
{
    double *seconds = malloc((size_t)count * sizeof *seconds), median;

    if (!seconds) return NAN;
    gsolve_matrix_apply(A, 1, x, 0, y);
    for (int k = 0; k < count; k++) {
        const double begin = cli_now();
        gsolve_matrix_apply(A, 1, x, 0, y);
        seconds[k] = cli_now() - begin;
    }
    qsort(seconds, (size_t)count, sizeof *seconds, compare_doubles);
    median = seconds[count / 2];
    free(seconds);
    return median;
}

static void fill_row(row *r, gsolve_context *ctx, const gsolve_csr *csr, const char *solver,
                     const char *precond, int products)
{
    gsolve_dense x = {csr->ncols, 1, csr->ncols, NULL, csr->type, GSOLVE_HOST}, b = x;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    double begin = cli_now();
    gsolve_status status = gsolve_matrix_create(&A, ctx, r->format, csr);

    r->build = cli_now() - begin;
    b.nrows = b.stride = csr->nrows;
    x.value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)csr->ncols, sizeof(double));
    b.value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)csr->nrows, sizeof(double));
    if (status == GSOLVE_OK) status = x.value && b.value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status == GSOLVE_OK) {
        for (int32_t i = 0; i < csr->ncols; i++) ((double *)x.value)[i] = 1;
        r->product = time_product(A, x, b, products);
        gsolve_matrix_describe(A, &r->info);
        r->build = r->info.build_seconds;
        memset(x.value, 0, (size_t)csr->ncols * sizeof(double));
        begin = cli_now();
        status = gsolve_precond_create(&M, ctx, precond, csr);
    }
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, solver, A, M);
    if (status == GSOLVE_OK) status = gsolve_solver_run(S, b, x, &r->result);
    r->solve = cli_now() - begin;
    r->built = status == GSOLVE_OK;
    if (!r->built) snprintf(r->problem, sizeof r->problem, "%.199s", gsolve_error(ctx));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_free(ctx, GSOLVE_HOST, x.value);
    gsolve_free(ctx, GSOLVE_HOST, b.value);
}

static double gflops(const row *r)
{
    return 2e-9 * (double)r->info.entries / r->product;
}

static void print_row(const row *r)
{
    if (!r->built) {
        printf("%-12s %s\n", r->format, r->problem);
        return;
    }
    printf("%-12s %9.3f %9.3f %8.2f %8.2f %10.1f %10d %9.3f %9.3f  %s\n", r->format, 1e3 * r->build,
           1e3 * r->product, gflops(r), 1e-9 * (double)r->info.bytes / r->product,
           1e-6 * (double)r->info.bytes, r->result.iterations, r->solve, r->build + r->solve,
           gsolve_outcome_text(r->result.outcome));
}

static cJSON *row_to_json(const row *r)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "format", r->format);
    if (!r->built) {
        cJSON_AddStringToObject(o, "problem", r->problem);
        return o;
    }
    cli_add_number(o, "build_ms", 1e3 * r->build);
    cli_add_number(o, "product_ms", 1e3 * r->product);
    cli_add_number(o, "gflops", gflops(r));
    cli_add_number(o, "gbytes_per_second", 1e-9 * (double)r->info.bytes / r->product);
    cli_add_number(o, "bytes", (double)r->info.bytes);
    cli_add_number(o, "stored", (double)r->info.stored);
    cli_add_number(o, "iterations", r->result.iterations);
    cli_add_number(o, "solve_seconds", r->solve);
    cli_add_number(o, "total_seconds", r->build + r->solve);
    cli_add_number(o, "residual", r->result.residual);
    cJSON_AddStringToObject(o, "outcome", gsolve_outcome_text(r->result.outcome));
    return o;
}

/* The formats named, or all; returns how many. */
static int name_formats(const gsolve_context *ctx, const char *names, row *rows)
{
    const gsolve_plugin *plugin;
    int count = 0;

    for (; names && *names && count < CLI_MOST_REPEATS; count++) {
        const size_t length = strcspn(names, ":");
        snprintf(rows[count].format, sizeof rows[count].format, "%.*s", (int)length, names);
        names += length + (names[length] == ':');
    }
    for (int k = 0; count == k && k < CLI_MOST_REPEATS && (plugin = gsolve_format_at(ctx, k)); k++) {
        snprintf(rows[count++].format, sizeof rows->format, "%s", plugin->name);
    }
    return count;
}

static int compare(const cli_arguments *a, gsolve_context *ctx, const gsolve_csr *csr, row *rows)
{
    const char *json = cli_value(a, "json"), *solver = cli_value(a, "solver");
    const char *precond = cli_value(a, "precond"), *products = cli_value(a, "products");
    const int count = name_formats(ctx, cli_value(a, "formats"), rows);
    const int repeats = products ? atoi(products) : 20;
    gsolve_traits traits;
    gsolve_choice choice;

    if (repeats < 1) return cli_fail("--products takes a whole number from 1 on, not '%s'", products);
    if (csr->nrows != csr->ncols && !solver) solver = "direct", precond = "none";
    if (gsolve_csr_examine(ctx, csr, &traits) != GSOLVE_OK) return cli_fail_context(a, ctx);
    gsolve_choose(&traits, 0, &choice);
    if (!solver) solver = choice.solver;
    if (!precond) precond = choice.precond;
    if (cli_talks(a)) {
        printf("%s + %s, right-hand side A*ones\n", solver, precond);
        printf("%-12s %9s %9s %8s %8s %10s %10s %9s %9s\n", "format", "build ms", "product ms",
               "GFLOP/s", "GB/s", "MB", "iterations", "solve s", "total s");
    }
    cJSON *list = cJSON_CreateArray();
    bool all = true;
    for (int k = 0; k < count; k++) {
        fill_row(&rows[k], ctx, csr, solver, precond, repeats);
        if (cli_talks(a)) print_row(&rows[k]);
        cJSON_AddItemToArray(list, row_to_json(&rows[k]));
        all = all && rows[k].built && rows[k].result.outcome == GSOLVE_CONVERGED;
        if (!rows[k].built && cli_value(a, "formats")) {
            cJSON_Delete(list);
            return cli_fail("%s", rows[k].problem);
        }
    }
    int code = json ? cli_write_json(json, list) : (cJSON_Delete(list), 0);
    return code ? code : all ? 0 : 2;
}

int cli_run_compare(const cli_arguments *a)
{
    const char *name = cli_value(a, "matrix");
    row *rows = calloc(CLI_MOST_REPEATS, sizeof *rows);
    gsolve_context *ctx = NULL;
    gsolve_source source;
    gsolve_csr csr;
    double seconds;
    int code = 0;

    if (!rows) return cli_fail("out of memory");
    if (!name) code = cli_fail("-A FILE, the matrix, is missing; see gsolve compare --help");
    if (code == 0) code = cli_check_output("--json", cli_value(a, "json"));
    if (code == 0) code = cli_open(a, &ctx);
    if (code == 0) code = cli_read(a, ctx, name, &csr, &source, &seconds);
    if (code == 0) {
        code = compare(a, ctx, &csr, rows);
        gsolve_csr_free(&csr, ctx);
    }
    gsolve_context_destroy(&ctx);
    free(rows);
    return code;
}
