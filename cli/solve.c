/* solve.c: gsolve -A FILE: reads, chooses, solves, reports. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/live.h"
#include "cli/report.h"

static const cli_option options[] = {
    {'A', "matrix", "FILE", "the matrix: a file, or gen:NAME,key=value,..."},
    {'b', "rhs", "FILE", "right-hand side(s): a file, ones, random, or A*ones (the default)"},
    {'x', "solution", "FILE", "write the solution, also of a solve that did not converge"},
    {0, "x0", "FILE", "first guess (default: zeros)"},
    {0, "solver", "SPEC", "method, such as cg or gmres,restart=50 (default: auto)"},
    {0, "precond", "SPEC", "preconditioner, such as ic or jacobi (default: auto)"},
    {0, "format", "SPEC", "format of the sparse product (default: auto)"},
    {0, "device", "SPEC", "device (default: auto)"},
    {0, "threads", "N", "threads of the CPU (default: all)"},
    {0, "type", "f64|f32", "precision of the matrix and of the iteration (default: f64)"},
    {0, "rtol", "R", "converged when |b - Ax| <= R |b| (default: 1e-8)"},
    {0, "atol", "R", "or when |b - Ax| <= R (default: 0)"},
    {0, "maxit", "N", "most iterations (default: the method's)"},
    {0, "seed", "N", "of -b random (default: 1)"},
    {0, "cache", NULL, "keep a binary copy of the matrix, and read it if there is one"},
    {0, "history", "FILE", "write the residual of each iteration as CSV"},
    {0, "json", "FILE|-", "write everything as JSON; - prints it in place of the text"},
    {0, "monitor", NULL, "print the residual of each iteration"},
    {0, "quiet", NULL, "print errors only"},
    {'h', "help", NULL, "print this"},
    {0},
};

const cli_command cli_solve = {
    "", "-A FILE [-b FILE] [-x FILE]",
    "Solves A x = b. Without --solver and --precond the matrix decides what is tried, and what is\n"
    "tried next if that fails.",
    options, 0, 0,
    "Files are Matrix Market, Harwell-Boeing or Rutherford-Boeing, plain or compressed by gzip.\n"
    "gsolve list shows all specs. Exit status: 0 converged, 1 an error, 2 not converged.\n"};

typedef struct solve {
    const cli_arguments *a;
    gsolve_context *ctx;
    gsolve_csr read; /* as read, until the matrix takes it */
    gsolve_matrix *A;
    gsolve_csr csr;  /* view of A */
    gsolve_dense b, x0, x;
    gsolve_traits traits;
    report report;
    live live;
    gsolve_type type;
} solve;

/* --- the right-hand side and the first guess ------------------------------------------------------ */

static gsolve_status new_dense(solve *s, int32_t nrows, int32_t ncols, gsolve_type type,
                               gsolve_dense *v)
{
    const size_t size = type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
    const gsolve_dense new = {nrows, ncols, nrows,
                              gsolve_alloc(s->ctx, GSOLVE_HOST, (size_t)nrows * (size_t)ncols, size),
                              type, GSOLVE_HOST};

    if (!new.value) return GSOLVE_NO_MEMORY;
    memset(new.value, 0, (size_t)nrows * (size_t)ncols * size);
    *v = new;
    return GSOLVE_OK;
}

/* b = A times ones, in A's type. */
static gsolve_status product_with_ones(solve *s)
{
    gsolve_dense ones;
    gsolve_status status = new_dense(s, s->csr.ncols, 1, s->type, &ones);

    if (status != GSOLVE_OK) return status;
    for (int32_t i = 0; i < s->csr.ncols; i++) {
        if (s->type == GSOLVE_F32) {
            ((float *)ones.value)[i] = 1;
        } else {
            ((double *)ones.value)[i] = 1;
        }
    }
    status = new_dense(s, s->csr.nrows, 1, s->type, &s->b);
    if (status == GSOLVE_OK) status = gsolve_matrix_apply(s->A, 1, ones, 0, s->b);
    gsolve_dense_free(&ones, s->ctx);
    return status;
}

static int fill(solve *s, bool random)
{
    const char *seed = cli_value(s->a, "seed");
    char *end = NULL;
    const unsigned long long number = seed ? strtoull(seed, &end, 10) : 1;

    if (seed && (*end || end == seed)) {
        return cli_fail("--seed takes a whole number, not '%s'", seed);
    }
    if (new_dense(s, s->csr.nrows, 1, GSOLVE_F64, &s->b) != GSOLVE_OK) {
        return cli_fail_context(s->a, s->ctx);
    }
    for (int32_t i = 0; i < s->csr.nrows; i++) {
        ((double *)s->b.value)[i] = random ? gsolve_random(number, (uint64_t)i) : 1;
    }
    return 0;
}

static int read_vector(solve *s, const char *what, const char *path, int32_t nrows, gsolve_dense *v)
{
    if (gsolve_read_dense(v, s->ctx, path, NULL, NULL) != GSOLVE_OK) {
        return cli_fail_context(s->a, s->ctx);
    }
    if (v->nrows == nrows && v->ncols > 0) return 0;
    if (v->nrows == 1 && v->ncols == nrows) { /* a row that means a column */
        v->nrows = nrows;
        v->ncols = 1;
        v->stride = nrows;
        return 0;
    }
    return cli_fail("%s: %s is %d x %d, and the matrix is %d x %d, so that %d rows are needed", what,
                    path, v->nrows, v->ncols, s->csr.nrows, s->csr.ncols, nrows);
}

static int make_vectors(solve *s)
{
    const char *b = cli_value(s->a, "rhs"), *x0 = cli_value(s->a, "x0");
    int code = 0;

    s->report.rhs = b ? b : "A*ones";
    if (!b || strcmp(b, "A*ones") == 0) {
        if (product_with_ones(s) != GSOLVE_OK) code = cli_fail_context(s->a, s->ctx);
    } else if (strcmp(b, "ones") == 0 || strcmp(b, "random") == 0) {
        code = fill(s, strcmp(b, "random") == 0);
    } else {
        code = read_vector(s, "-b", b, s->csr.nrows, &s->b);
    }
    if (code == 0 && x0) code = read_vector(s, "--x0", x0, s->csr.ncols, &s->x0);
    if (code == 0 && x0 && s->x0.ncols != s->b.ncols) {
        code = cli_fail("--x0: %s has %d columns and the right-hand side %d", x0, s->x0.ncols,
                        s->b.ncols);
    }
    if (code == 0 &&
        new_dense(s, s->csr.ncols, s->b.ncols, GSOLVE_F64, &s->x) != GSOLVE_OK) {
        code = cli_fail_context(s->a, s->ctx);
    }
    s->report.columns = s->b.ncols;
    return code;
}

static void reset_guess(solve *s)
{
    const size_t size = (size_t)s->x.nrows * (size_t)s->x.ncols * sizeof(double);

    if (s->x0.value) {
        memcpy(s->x.value, s->x0.value, size);
    } else {
        memset(s->x.value, 0, size);
    }
}

/* --- reading and preparing ------------------------------------------------------------------------ */

static int check_arguments(solve *s)
{
    static const char *const files[] = {"solution", "history", "json"};
    const char *type = cli_value(s->a, "type");
    int code = 0;

    if (!cli_value(s->a, "matrix")) {
        return cli_fail("-A FILE, the matrix, is missing; see gsolve --help");
    }
    if (type && strcmp(type, "f64") != 0 && strcmp(type, "f32") != 0) {
        return cli_fail("--type takes f64 or f32, not '%s'", type);
    }
    s->type = type && strcmp(type, "f32") == 0 ? GSOLVE_F32 : GSOLVE_F64;
    for (int k = 0; k < 3 && code == 0; k++) {
        char option[32];
        snprintf(option, sizeof option, "--%s", files[k]);
        code = cli_check_output(option, cli_value(s->a, files[k]));
    }
    return code;
}

/* Reads, converts, looks, and makes the matrix. */
static int prepare(solve *s)
{
    const char *name = cli_value(s->a, "matrix"), *format = cli_value(s->a, "format");
    report *r = &s->report;
    double begin;
    int code = cli_read(s->a, s->ctx, name, &s->read, &r->source, &r->seconds.read);

    if (code) return code;
    r->name = name;
    if (s->type == GSOLVE_F32) {
        gsolve_csr single;
        if (gsolve_csr_convert(&single, s->ctx, GSOLVE_F32, &s->read) != GSOLVE_OK) {
            return cli_fail_context(s->a, s->ctx);
        }
        gsolve_csr_free(&s->read, s->ctx);
        s->read = single;
    }
    begin = cli_now();
    if (gsolve_csr_examine(s->ctx, &s->read, &s->traits) != GSOLVE_OK) {
        return cli_fail_context(s->a, s->ctx);
    }
    r->seconds.check = cli_now() - begin;
    begin = cli_now();
    if (gsolve_matrix_take(&s->A, s->ctx, format ? format : "auto", &s->read) != GSOLVE_OK) {
        return cli_fail_context(s->a, s->ctx);
    }
    r->seconds.build = cli_now() - begin;
    gsolve_matrix_csr(s->A, &s->csr);
    gsolve_matrix_describe(s->A, &r->matrix);
    r->traits = &s->traits;
    return 0;
}

/* --- attempts --------------------------------------------------------------------------------------- */

static void append_options(const solve *s, char *spec, size_t size)
{
    static const char *const keys[] = {"rtol", "atol", "maxit"};

    for (int k = 0; k < 3; k++) {
        const char *value = cli_value(s->a, keys[k]);
        const size_t used = strlen(spec);
        if (value) snprintf(spec + used, size - used, ",%s=%s", keys[k], value);
    }
}

/* What is tried in the given attempt; false: nothing more. */
static bool choose(const solve *s, int number, attempt *t)
{
    const char *solver = cli_value(s->a, "solver"), *precond = cli_value(s->a, "precond");
    gsolve_choice choice = {.solver = "auto", .precond = "auto"};

    if (solver || precond) {
        if (number > 0) return false;
        gsolve_choose(&s->traits, 0, &choice);
        if (solver && !precond && strncmp(choice.solver, "direct", 6) == 0) {
            snprintf(choice.precond, sizeof choice.precond, "none");
        }
        snprintf(t->solver, sizeof t->solver, "%.200s", solver ? solver : choice.solver);
        snprintf(t->precond, sizeof t->precond, "%.200s", precond ? precond : choice.precond);
        if (solver && !precond && strncmp(solver, "direct", 6) == 0) strcpy(t->precond, "none");
        snprintf(t->why, sizeof t->why, "as asked for");
    } else {
        if (!gsolve_choose(&s->traits, number, &choice)) return false;
        snprintf(t->solver, sizeof t->solver, "%s", choice.solver);
        snprintf(t->precond, sizeof t->precond, "%s", choice.precond);
        snprintf(t->why, sizeof t->why, "%s", choice.why);
    }
    append_options(s, t->solver, sizeof t->solver);
    return true;
}

/* Sets up and runs one attempt. The status is that of what failed, if anything. */
static gsolve_status run_attempt(solve *s, attempt *t)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    double begin = cli_now();
    gsolve_status status = gsolve_precond_create(&M, s->ctx, t->precond, &s->csr);

    if (status == GSOLVE_OK) gsolve_precond_describe(M, &t->info);
    t->setup_seconds = cli_now() - begin;
    begin = cli_now();
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, s->ctx, t->solver, s->A, M);
    if (status == GSOLVE_OK) {
        gsolve_solver_watch(S, live_see, &s->live);
        live_begin(&s->live);
        reset_guess(s);
        status = gsolve_solver_run(S, s->b, s->x, &t->result);
        live_end(&s->live);
    }
    t->solve_seconds = cli_now() - begin;
    if (status == GSOLVE_OK) {
        t->ran = true;
        snprintf(t->method, sizeof t->method, "%s", gsolve_solver_name(S));
        snprintf(t->explanation, sizeof t->explanation, "%s", gsolve_solver_explain(S));
    } else {
        snprintf(t->explanation, sizeof t->explanation, "%s", gsolve_error(s->ctx));
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    return status;
}

/* A set-up that fails is an error if the user named it, and a failed attempt if the library did. */
static bool is_final(const solve *s, gsolve_status status)
{
    const bool asked = cli_value(s->a, "solver") || cli_value(s->a, "precond");
    return status != GSOLVE_OK &&
           (asked || (status != GSOLVE_ZERO_PIVOT && status != GSOLVE_UNSUPPORTED));
}

/* Attempt after attempt until one converges; keeps the x of the best. */
static int try_all(solve *s)
{
    report *r = &s->report;
    const size_t size = (size_t)s->x.nrows * (size_t)s->x.ncols * sizeof(double);
    gsolve_dense best = {0};
    gsolve_status status = new_dense(s, s->x.nrows, s->x.ncols, GSOLVE_F64, &best);

    for (int k = 0; status == GSOLVE_OK && k < REPORT_ATTEMPTS; k++) {
        attempt *t = &r->attempt[k];
        if (!choose(s, k, t)) break;
        if (cli_talks(s->a)) report_attempt(t, k);
        status = run_attempt(s, t);
        if (is_final(s, status)) break;
        status = GSOLVE_OK;
        r->attempts = k + 1;
        if (cli_talks(s->a)) report_end_of_attempt(t);
        if (!t->ran) continue;
        if (!r->best || t->result.outcome == GSOLVE_CONVERGED ||
            t->result.residual < r->best->result.residual) {
            r->best = t;
            memcpy(best.value, s->x.value, size);
        }
        if (t->result.outcome == GSOLVE_CONVERGED || live_interrupted()) break;
    }
    if (status != GSOLVE_OK) {
        gsolve_dense_free(&best, s->ctx);
        return cli_fail_context(s->a, s->ctx);
    }
    if (r->best) memcpy(s->x.value, best.value, size);
    gsolve_dense_free(&best, s->ctx);
    return 0;
}

/* --- results ------------------------------------------------------------------------------------------ */

static int write_history(const solve *s, const char *path)
{
    const size_t room = 64 + 48 * (size_t)s->live.count;
    char *text = malloc(room);
    size_t used;
    int code;

    if (!text) return cli_fail("out of memory");
    used = (size_t)snprintf(text, room, "iteration,residual\n");
    for (int k = 0; k < s->live.count; k++) {
        used += (size_t)snprintf(text + used, room - used, "%d,%.17g\n", k, s->live.history[k]);
    }
    code = cli_write_text(path, text);
    free(text);
    return code;
}

static int write_results(solve *s)
{
    const char *x = cli_value(s->a, "solution"), *history = cli_value(s->a, "history");
    const char *json = cli_value(s->a, "json");
    report *r = &s->report;
    char comment[256];
    int code = 0;

    if (x && r->best) {
        snprintf(comment, sizeof comment, " gsolve %s: %s, |b - Ax| / |b| = %.3e", gsolve_version(),
                 gsolve_outcome_text(r->best->result.outcome), r->best->result.residual);
        if (gsolve_write_dense(s->ctx, x, &s->x, comment) != GSOLVE_OK) {
            code = cli_fail_context(s->a, s->ctx);
        }
        r->written = code == 0 ? x : NULL;
    }
    if (code == 0 && history) code = write_history(s, history);
    gsolve_context_describe(s->ctx, &r->context);
    r->history = s->live.history;
    r->history_count = s->live.count;
    if (code == 0 && cli_talks(s->a)) report_print(r);
    if (code == 0 && json) code = cli_write_json(json, report_json(r));
    return code;
}

static void release(solve *s)
{
    if (s->ctx) {
        gsolve_dense_free(&s->b, s->ctx);
        gsolve_dense_free(&s->x0, s->ctx);
        gsolve_dense_free(&s->x, s->ctx);
        gsolve_csr_free(&s->read, s->ctx);
        gsolve_matrix_destroy(&s->A);
    }
    gsolve_context_destroy(&s->ctx);
    free(s->live.history);
}

int cli_run_solve(const cli_arguments *a)
{
    const double begin = cli_now();
    const char *rtol = cli_value(a, "rtol");
    solve *s = calloc(1, sizeof *s);
    int code;

    if (!s) return cli_fail("out of memory");
    s->a = a;
    s->live.each = cli_talks(a) && cli_value(a, "monitor");
    s->live.line = cli_talks(a) && isatty(STDOUT_FILENO);
    s->live.target = rtol && atof(rtol) > 0 ? atof(rtol) : 1e-8;
    code = check_arguments(s);
    if (code == 0) code = cli_open(a, &s->ctx);
    if (code == 0) code = prepare(s);
    if (code == 0) code = make_vectors(s);
    if (code == 0 && cli_talks(a)) report_matrix(&s->report);
    if (code == 0) code = try_all(s);
    s->report.seconds.total = cli_now() - begin;
    if (code == 0) code = write_results(s);
    if (code == 0 && (!s->report.best || s->report.best->result.outcome != GSOLVE_CONVERGED)) code = 2;
    release(s);
    free(s);
    return code;
}
