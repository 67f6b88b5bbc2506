/* print_c.c: gsolve solve --print-c. */
#include "cli/print_c.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attempt.h"
#include "cli/print_c_parts.h"

int cli_check_print_c(cli *c)
{
    const cli_arguments *a = &c->args;
    const char *other = a->json                 ? "--json"
                        : a->history            ? "--history"
                        : a->monitor            ? "--monitor"
                        : a->profile            ? "--profile"
                        : a->columns            ? "--columns"
                        : a->html               ? "--html"
                        : a->plot               ? "--plot"
                        : a->repeat >= 0        ? "--repeat"
                        : !isnan(a->time_limit) ? "--time-limit"
                                                : NULL;

    if (!a->print_c || !other) return 0;
    return cli_fail(c, "--print-c prints a program and solves nothing; leave %s out", other);
}

/* --- parts of the program -----------------------------------------------------------------------
 */

/* text as a string of C. */
static void put_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        const unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\' || letter == '?') putchar('\\');
        if (isprint(letter)) {
            putchar(letter);
        } else {
            printf("\\%03o", letter);
        }
    }
    putchar('"');
}

/* "    check(FUNCTION"TEXT"REST, ctx);" */
static void put_call(const char *function, const char *text, const char *rest)
{
    printf("    check(%s", function);
    put_string(text);
    printf("%s, ctx);\n", rest);
}

/* --- what the arguments mean --------------------------------------------------------------------
 */

static bool is_auto(const char *spec)
{
    return !spec || cli_spec_is(spec, "auto");
}

/* The spec of the device on which the command solves. */
static void name_device(const cli *c, char device[300])
{
    const char *variable = getenv("GSOLVE_DEVICE");
    const char *name = c->args.device ? c->args.device : variable ? variable : "auto";

    if (cli_spec_is(name, "auto") && (c->small || c->args.threads >= 0)) name = "cpu";
    if (c->args.threads >= 0) {
        snprintf(device, 300, "%.200s,threads=%d", name, c->args.threads);
    } else {
        snprintf(device, 300, "%.200s", name);
    }
}

static bool rhs_is_file(const cli *c)
{
    const char *rhs = c->args.rhs;
    return !cli_ones_solve(c) && !cli_spec_is(rhs, "random") && strcmp(rhs, "ones") != 0;
}

/* The options that all methods have, of "auto,key=value" and of --rtol, --atol and --maxit. */
static void common_options(const cli *c, char *options, size_t size)
{
    static const char *const scale[] = {"none", "rows", "symmetric", "auto"};
    static const char *const order[] = {"none", "rcm", "amd", "nd"};
    const char *given = c->args.solver ? c->args.solver : "";
    const bool single = c->args.type == GSOLVE_F32;
    size_t at = 0;

    options[0] = 0;
    if (c->args.scale) at += (size_t)snprintf(options, size, ",scale=%s", scale[c->args.scale]);
    if (c->args.order) {
        at += (size_t)snprintf(options + at, size - at, ",order=%s", order[c->args.order]);
    }
    if (!is_auto(c->args.solver) || !is_auto(c->args.precond)) return; /* they are in the choice */
    if (single && isnan(c->args.rtol))
        at += (size_t)snprintf(options + at, size - at, ",rtol=1e-5");
    at += (size_t)snprintf(options + at, size - at, "%.240s", given + strcspn(given, ","));
    if (!isnan(c->args.rtol)) {
        at += (size_t)snprintf(options + at, size - at, ",rtol=%s", cli_number(c->args.rtol).text);
    }
    if (!isnan(c->args.atol)) {
        at += (size_t)snprintf(options + at, size - at, ",atol=%s", cli_number(c->args.atol).text);
    }
    if (c->args.maxit >= 0) snprintf(options + at, size - at, ",maxit=%d", c->args.maxit);
}

/* --- the steps of main --------------------------------------------------------------------------
 */

static void put_matrix(const cli *c)
{
    const char *format = c->args.format ? c->args.format : "auto";

    if (c->args.cache) {
        printf("    const gsolve_read_options options = {.cache = true};\n\n");
    }
    put_call("gsolve_read_matrix(&csr, ctx, ", c->args.matrix,
             c->args.cache ? ", &options, NULL)" : ", NULL, NULL)");
    if (!rhs_is_file(c)) printf("    const int32_t nrows = csr.nrows;\n");
    if (!c->args.guess) printf("    const int32_t ncols = csr.ncols;\n");
    if (c->args.type == GSOLVE_F32) {
        printf("    gsolve_csr single = {0};\n"
               "    check(gsolve_csr_convert(&single, ctx, GSOLVE_F32, &csr), ctx);\n"
               "    gsolve_csr_free(&csr, ctx);\n"
               "    csr = single;\n");
    }
    put_call("gsolve_matrix_create_owned(&A, ctx, ", format, ", &csr)");
}

/* Declares the null space `name`. */
static void put_null_space(const char *name, const char *given)
{
    printf("    gsolve_null_space %s = {0};\n", name);
    if (strcmp(given, "constants") == 0) {
        printf("    %s.constants = true;\n", name);
    } else {
        printf("    check(gsolve_read_dense(&%s.vectors, ctx, ", name);
        put_string(given);
        printf(", NULL, NULL), ctx);\n");
    }
}

static void put_null_spaces(const cli *c)
{
    const char *left = c->args.left_null_space;

    if (!c->args.null_space) return;
    put_null_space("right", c->args.null_space);
    if (left) put_null_space("left", left);
    printf("    check(gsolve_matrix_set_null_space(A, &right, %s), ctx);\n",
           left ? "&left" : "NULL");
    printf("    gsolve_dense_free(&right.vectors, ctx);\n");
    if (left) printf("    gsolve_dense_free(&left.vectors, ctx);\n");
}

/* b and x. */
static void put_vectors(const cli *c, const cli_system *s)
{
    const char *rhs = c->args.rhs;
    const int seed = c->args.seed >= 0 ? c->args.seed : 1;

    printf("\n");
    if (rhs && cli_spec_is(rhs, "random")) {
        printf("    b = zeros(ctx, nrows, %d);\n"
               "    for (int64_t i = 0; i < (int64_t)nrows * b.ncols; i++) {\n"
               "        ((double *)b.value)[i] = gsolve_random(%d, (uint64_t)i);\n"
               "    }\n",
               s->b.ncols, seed);
    } else if (rhs && strcmp(rhs, "ones") == 0) {
        printf("    b = zeros(ctx, nrows, 1);\n"
               "    for (int64_t i = 0; i < nrows; i++) ((double *)b.value)[i] = 1;\n");
    } else if (cli_ones_solve(c)) {
        printf("    b = zeros(ctx, nrows, 1);\n"
               "    sum_rows(A, b.value, ctx);\n");
    } else {
        put_call("gsolve_read_dense(&b, ctx, ", rhs, ", NULL, NULL)");
    }
    if (c->args.guess) {
        put_call("gsolve_read_dense(&x, ctx, ", c->args.guess, ", NULL, NULL)");
    } else {
        printf("    x = zeros(ctx, ncols, b.ncols);\n");
    }
}

/* The method and the preconditioner that the user named, with what the command chose for the other
 * one. */
static int put_choice(cli *c, const cli_system *s)
{
    gsolve_statistics statistics = s->statistics;
    cli_attempt *a = calloc(CLI_MOST_ATTEMPTS, sizeof *a);
    char method[sizeof a->solver], flexible[sizeof a->solver];

    if (!a) return cli_fail(c, "out of memory");
    statistics.symmetric &= !cli_scales_rows(c);
    cli_list_choices(c, &statistics, a);
    if (a->free_method && c->variable) { /* the library chooses a flexible method */
        snprintf(flexible, sizeof flexible, "auto%.500s", a->solver + strcspn(a->solver, ","));
        memcpy(a->solver, flexible, sizeof flexible);
    }
    cli_effective_spec(a->solver, method);
    printf("    const char *const method = ");
    put_string(method);
    printf(";\n    const char *const precond = ");
    put_string(a->precond);
    printf(";\n    check(gsolve_auto_set_choices(S, 1, &method, &precond), ctx);\n");
    free(a);
    return 0;
}

static int put_solver(cli *c, const cli_system *s)
{
    char options[1024];

    common_options(c, options, sizeof options);
    printf("\n");
    put_call("gsolve_auto_create_from(&S, ctx, ", options[0] ? options + 1 : "", ", A)");
    if (!is_auto(c->args.solver) || !is_auto(c->args.precond)) {
        if (put_choice(c, s)) return CLI_ERROR;
    }
    if (c->args.setup) put_call("gsolve_auto_set_setup_file(S, ", c->args.setup, ")");
    printf("%s", tail);
    if (c->args.solution) {
        put_call("gsolve_write_dense(ctx, ", c->args.solution, ", &x, NULL)");
    }
    return 0;
}

int cli_print_c(cli *c, const cli_system *s)
{
    const bool sums = cli_ones_solve(c);
    char device[300];

    name_device(c, device);
    printf("/* Made by gsolve %s --print-c. To compile it:\n"
           " *     cc -std=c11 solve.c $(pkg-config --cflags --libs gsolve) -o solve */\n%s",
           gsolve_version(), head);
    if (!rhs_is_file(c) || !c->args.guess) printf("%s", zeros);
    if (sums) printf(row_sums, c->args.type == GSOLVE_F32 ? "float" : "double");
    printf("\nint main(void)\n{\n"
           "    gsolve_context *ctx = NULL;\n"
           "    gsolve_csr csr = {0};\n"
           "    gsolve_matrix *A = NULL;\n"
           "    gsolve_dense b, x;\n"
           "    gsolve_auto *S = NULL;\n"
           "    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);\n"
           "    gsolve_result result = GSOLVE_INIT(gsolve_result);\n");
    printf("\n");
    put_call("gsolve_context_create(&ctx, ", device, ")");
    put_matrix(c);
    put_null_spaces(c);
    put_vectors(c, s);
    if (put_solver(c, s)) return CLI_ERROR;
    printf("\n"
           "    gsolve_auto_destroy(&S);\n"
           "    gsolve_matrix_destroy(&A);\n"
           "    gsolve_dense_free(&b, ctx);\n"
           "    gsolve_dense_free(&x, ctx);\n"
           "    gsolve_context_destroy(&ctx);\n"
           "    return gsolve_outcome_is_success(result.outcome) ? 0 : 2;\n"
           "}\n");
    return 0;
}
