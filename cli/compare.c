/* compare.c: gsolve compare: the formats side by side on one matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attempt.h"
#include "cli/json.h"

enum { MOST_PRODUCTS = 201, LEAST_PRODUCTS = 9 };
#define PRODUCT_SECONDS 0.3 /* spent on the products of a format */

typedef struct row { /* a format */
    gsolve_matrix_info info;
    const char *format;
    double product_seconds; /* the median */
    cli_attempt attempt;
    char error[400]; /* why there is no row, or "" */
} row;

/* --- one format ---------------------------------------------------------------------------------
 */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static gsolve_status time_products(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                   double *median)
{
    const double end = cli_now() + PRODUCT_SECONDS;
    double seconds[MOST_PRODUCTS];
    int count = 0;
    gsolve_status status = gsolve_matrix_apply(A, 1, x, 0, y); /* warms the caches */

    while (status == GSOLVE_OK && count < MOST_PRODUCTS &&
           (count < LEAST_PRODUCTS || cli_now() < end)) {
        const double begin = cli_now();
        status = gsolve_matrix_apply(A, 1, x, 0, y);
        seconds[count++] = cli_now() - begin;
    }
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    *median = count ? seconds[count / 2] : NAN;
    return status;
}

/* x and y in the matrix's type: x = 1, y = 0. */
static gsolve_status product_of(cli *c, const gsolve_matrix *A, const cli_system *s, double *median)
{
    const gsolve_type type = (gsolve_type)c->is.type;
    const size_t size = type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
    void *x = gsolve_alloc(c->ctx, GSOLVE_HOST, (size_t)s->ncols, size);
    void *y = gsolve_alloc(c->ctx, GSOLVE_HOST, (size_t)s->nrows, size);
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (x && y) {
        for (int32_t j = 0; j < s->ncols; j++) {
            if (type == GSOLVE_F32) {
                ((float *)x)[j] = 1;
            } else {
                ((double *)x)[j] = 1;
            }
        }
        memset(y, 0, (size_t)s->nrows * size);
        status = time_products(A, (gsolve_dense){s->ncols, 1, s->ncols, x, type, GSOLVE_HOST},
                               (gsolve_dense){s->nrows, 1, s->nrows, y, type, GSOLVE_HOST}, median);
    }
    gsolve_free(c->ctx, GSOLVE_HOST, x);
    gsolve_free(c->ctx, GSOLVE_HOST, y);
    return status;
}

/* Builds, multiplies, solves. A format that cannot take the matrix gets its sentence for a row. */
static int measure(cli *c, const cli_system *s, row *r)
{
    gsolve_matrix *A = NULL;
    int code = 0;

    if (gsolve_matrix_create(&A, c->ctx, r->format, &s->csr) != GSOLVE_OK ||
        product_of(c, A, s, &r->product_seconds) != GSOLVE_OK) {
        snprintf(r->error, sizeof r->error, "%s", gsolve_error(c->ctx));
    } else {
        gsolve_matrix_describe(A, &r->info);
        memset(s->x.value, 0, (size_t)s->x.nrows * (size_t)s->x.ncols * sizeof(double));
        cli_choose(c, &s->traits, 0, &r->attempt);
        code = cli_try(c, &r->attempt, A, s->b, s->x);
    }
    gsolve_matrix_destroy(&A);
    return code;
}

/* --- the table ----------------------------------------------------------------------------------
 */

static double total_seconds(const row *r)
{
    return r->info.build_seconds + r->attempt.precond_seconds + r->attempt.setup_seconds +
           r->attempt.solve_seconds;
}

static double gflops(const row *r)
{
    return 2e-9 * (double)r->info.entries / r->product_seconds;
}

static double gbytes(const row *r)
{
    return 1e-9 * (double)r->info.bytes / r->product_seconds;
}

static const char *outcome_of(const row *r)
{
    return r->attempt.ran ? gsolve_outcome_text(r->attempt.result.outcome) : "set-up failed";
}

static void say_head(const cli *c, const cli_system *s)
{
    cli_attempt a = {0};

    cli_choose(c, &s->traits, 0, &a);
    cli_item(c, "b", "%s", cli_rhs_words(c));
    cli_item(c, "method", "%s + %s%s%s%s", a.solver, a.precond, a.why[0] ? " (" : "", a.why,
             a.why[0] ? ")" : "");
    cli_say(c, "\n%-14s%10s%12s%9s%8s%11s%11s%11s%11s  %s\n", "format", "build ms", "product ms",
            "GFLOP/s", "GB/s", "MB/product", "iterations", "solve s", "total s", "outcome");
}

static void say_row(const cli *c, const row *r)
{
    if (r->error[0]) {
        cli_say(c, "%-14s%s\n", r->format, r->error);
        return;
    }
    cli_say(c, "%-14s%10.3f%12.4f%9.3f%8.2f%11.3f%11d%11.4f%11.4f  %s\n", r->format,
            1e3 * r->info.build_seconds, 1e3 * r->product_seconds, gflops(r), gbytes(r),
            1e-6 * (double)r->info.bytes, r->attempt.result.iterations, r->attempt.solve_seconds,
            total_seconds(r), outcome_of(r));
    if (c->text) fflush(c->text);
}

static cJSON *json_row(const row *r)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "format", r->format);
    if (r->error[0]) {
        cli_json_text(item, "error", r->error);
        return item;
    }
    cli_json_add(item, "build_seconds", r->info.build_seconds);
    cli_json_add(item, "product_seconds", r->product_seconds);
    cli_json_add(item, "gflops", gflops(r));
    cli_json_add(item, "gbytes_per_second", gbytes(r));
    cli_json_add(item, "bytes", (double)r->info.bytes);
    cli_json_add(item, "stored", (double)r->info.stored);
    cli_json_add(item, "iterations", r->attempt.result.iterations);
    cli_json_add(item, "setup_seconds", r->attempt.precond_seconds + r->attempt.setup_seconds);
    cli_json_add(item, "solve_seconds", r->attempt.solve_seconds);
    cli_json_add(item, "total_seconds", total_seconds(r));
    cli_json_add(item, "residual", r->attempt.ran ? r->attempt.result.residual : NAN);
    cJSON_AddStringToObject(item, "solver", r->attempt.method);
    cJSON_AddStringToObject(item, "precond", r->attempt.kind);
    cJSON_AddStringToObject(item, "outcome", outcome_of(r));
    return item;
}

/* --- the command --------------------------------------------------------------------------------
 */

/* The k-th format to compare, of --formats or of all: a spec in space. NULL past the last. */
static const char *format_at(const cli *c, int k, char space[256])
{
    const char *list = c->is.formats;
    const gsolve_plugin *plugin = list ? NULL : gsolve_format_at(c->ctx, k);

    if (!list) return plugin ? plugin->name : NULL;
    for (; *list && k > 0; k--) list += strcspn(list, ",") + (strchr(list, ',') != NULL);
    snprintf(space, 256, "%.*s", (int)strcspn(list, ","), list);
    return *list ? space : NULL;
}

static int compare_formats(cli *c, const cli_system *s, cJSON *rows)
{
    int failed = 0, count = 0, code = 0;
    const char *format;
    char space[256];

    while (!code && (format = format_at(c, count, space)) && !cli_interrupted()) {
        row r = {.format = format};
        code = measure(c, s, &r);
        if (!code) say_row(c, &r);
        if (!code) cJSON_AddItemToArray(rows, json_row(&r));
        if (r.error[0] && c->is.formats) code = cli_fail(c, "%s", r.error);
        failed += !r.attempt.ran || r.attempt.result.outcome != GSOLVE_CONVERGED;
        cli_free_attempt(&r.attempt);
        count++;
    }
    return code ? code : failed || cli_interrupted() ? CLI_NOT_CONVERGED : CLI_CONVERGED;
}

int cli_compare(cli *c)
{
    cli_system s = {0};
    cJSON *object;
    int code;

    if (!c->is.matrix) return cli_fail(c, "which matrix? gsolve compare -A FILE");
    if (cli_check_outputs(c) || cli_open(c) || cli_check_specs(c)) return CLI_ERROR;
    code = cli_read_matrix(c, c->is.matrix, &s);
    if (!code) code = cli_read_vectors(c, &s);
    if (!code) code = cli_examine(c, &s);
    if (!code) code = cli_make_vectors(c, &s, &s.csr);
    if (!code) {
        cli_catch_interrupt();
        say_head(c, &s);
        object = cJSON_CreateObject();
        cli_json_matrix(object, &s);
        code = compare_formats(c, &s, cJSON_AddArrayToObject(object, "rows"));
        if (c->is.json && code != CLI_ERROR) {
            if (cli_json_write(c, object)) code = CLI_ERROR;
        } else {
            cJSON_Delete(object);
        }
    }
    cli_close_system(c, &s);
    return code;
}
