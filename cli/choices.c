/* choices.c: the methods and preconditioners that a solve tries, from the arguments and the
 * statistics of the matrix. */
#include <math.h>
#include <string.h>

#include "cli/attempt.h"

/* --- choosing ------------------------------------------------------------------------------ */

static bool is_auto(const char *spec)
{
    return !spec || cli_spec_is(spec, "auto");
}

double cli_rtol(const cli *c)
{
    if (!isnan(c->args.rtol)) return c->args.rtol;
    return c->args.type == GSOLVE_F32 ? 1e-5 : 1e-8;
}

bool cli_choose(const cli *c, const gsolve_statistics *statistics, int k, gsolve_choice *choice)
{
    return c->ranks > 0 ? gsolve_dist_choose(c->ctx, statistics, k, choice)
                        : gsolve_auto_choose(c->ctx, statistics, k, choice);
}

const char *cli_least_squares_precond(const cli *c)
{
    return c->ranks > 0 ? "none" : "jacobi,normal=1";
}

/* a->solver = name with the keys of "auto,key=value" and the tolerances of the arguments. A later
 * key overrides an earlier one: the default tolerance of f32 comes first, that of --rtol after the
 * spec. */
static void set_solver(const cli *c, cli_attempt *a, const char *name)
{
    const char *given = c->args.solver && is_auto(c->args.solver) ? c->args.solver : "";
    const int head = (int)strcspn(name, ",");
    char atol[64] = "", maxit[64] = "", rtol[64] = "", default_rtol[64] = "";
    char *tolerance = isnan(c->args.rtol) ? default_rtol : rtol;

    if (!isnan(c->args.rtol) || c->args.type == GSOLVE_F32) {
        snprintf(tolerance, sizeof rtol, ",rtol=%s", cli_number(cli_rtol(c)).text);
    }
    if (!isnan(c->args.atol))
        snprintf(atol, sizeof atol, ",atol=%s", cli_number(c->args.atol).text);
    if (c->args.maxit >= 0) snprintf(maxit, sizeof maxit, ",maxit=%d", c->args.maxit);
    snprintf(a->solver, sizeof a->solver, "%.*s%s%s%s%s%s%s", head, name, default_rtol, name + head,
             given + strcspn(given, ","), rtol, atol, maxit);
}

/* Chooses the method for the preconditioner that the user named: the first choice that uses one. */
static void choose_solver(const cli *c, const gsolve_statistics *statistics, cli_attempt *a)
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    a->free_method = true;
    if (cli_spec_is(c->args.precond, "jacobi") && strstr(c->args.precond, "normal=1")) {
        set_solver(c, a, "lsmr,accept=singular");
        snprintf(a->why, sizeof a->why, "lsmr chosen: the preconditioner approximates A^T A");
        snprintf(a->precond, sizeof a->precond, "%s", c->args.precond);
        return;
    }
    for (int k = 0; cli_choose(c, statistics, k, &choice); k++) {
        if (!cli_spec_is(choice.method, "direct")) break;
    }
    set_solver(c, a, choice.method);
    snprintf(a->precond, sizeof a->precond, "%s", c->args.precond);
    snprintf(a->why, sizeof a->why, "%s chosen: %s", choice.method,
             cli_spec_is(choice.method, "cg") ? "symmetric with a positive diagonal" : choice.why);
}

static bool is_kind_of_cg(const char *spec)
{
    static const char *const kind[] = {"cg", "pipecg", "block_cg", "refine"};
    bool is = false;

    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) is |= cli_spec_is(spec, kind[k]);
    return is;
}

/* Chooses the preconditioner for the method that the user named. The cost model is that of cg: many
 * iterations with jacobi are the fastest only because an iteration of cg costs little. Other
 * methods get the next choice instead of jacobi. */
static void choose_precond(const cli *c, const gsolve_statistics *statistics, cli_attempt *a)
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    set_solver(c, a, c->args.solver);
    cli_choose(c, statistics, 0, &choice);
    if (strcmp(choice.precond, "jacobi") == 0 && !is_kind_of_cg(c->args.solver)) {
        cli_choose(c, statistics, 1, &choice);
    }
    if (cli_spec_is(c->args.solver, "direct")) {
        snprintf(a->precond, sizeof a->precond, "none");
    } else if (cli_spec_is(c->args.solver, "lsqr") || cli_spec_is(c->args.solver, "lsmr")) {
        snprintf(a->precond, sizeof a->precond, "%s", cli_least_squares_precond(c));
        if (c->ranks == 0) {
            snprintf(a->why, sizeof a->why, "jacobi,normal=1 chosen: it approximates A^T A");
        }
    } else if (cli_spec_is(choice.precond, "none")) { /* choice.why is that of the method */
        snprintf(a->precond, sizeof a->precond, "none");
        snprintf(a->why, sizeof a->why, "no preconditioner chosen%s",
                 statistics->nrows != statistics->ncols ? ": A is not square"
                 : statistics->zero_diagonals > 0       ? ": zeros on the diagonal"
                                                        : "");
    } else {
        snprintf(a->precond, sizeof a->precond, "%s", choice.precond);
        snprintf(a->why, sizeof a->why, "%s chosen: %s", choice.precond, choice.why);
    }
}

static bool choose(const cli *c, const gsolve_statistics *statistics, int k, cli_attempt *a)
{
    const bool any_solver = is_auto(c->args.solver), any_precond = is_auto(c->args.precond);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    if (k > 0 && !(any_solver && any_precond)) return false;
    if (any_solver && any_precond) {
        if (!cli_choose(c, statistics, k, &choice)) return false;
        set_solver(c, a, choice.method);
        snprintf(a->precond, sizeof a->precond, "%s", choice.precond);
        snprintf(a->why, sizeof a->why, "chosen: %s", choice.why);
    } else if (any_solver) {
        choose_solver(c, statistics, a);
    } else if (any_precond) {
        choose_precond(c, statistics, a);
    } else {
        set_solver(c, a, c->args.solver);
        snprintf(a->precond, sizeof a->precond, "%s", c->args.precond);
    }
    return true;
}

int cli_list_choices(const cli *c, const gsolve_statistics *statistics,
                     cli_attempt a[CLI_MOST_ATTEMPTS])
{
    int count = 0;

    while (count < CLI_MOST_ATTEMPTS && choose(c, statistics, count, &a[count])) count++;
    return count;
}

void cli_effective_spec(const char spec[512], char to[512])
{
    size_t length = strcspn(spec, ",");
    char key[64];

    memcpy(to, spec, length);
    for (const char *at = spec + length; *at;) {
        const size_t part = 1 + strcspn(at + 1, ",");
        snprintf(key, sizeof key, "%.*s=", (int)(1 + strcspn(at + 1, "=,")), at);
        if (!strstr(at + part, key)) {
            memcpy(to + length, at, part);
            length += part;
        }
        at += part;
    }
    to[length] = 0;
}

enum { LONGEST_SPEC = 240 };

static int check_length(cli *c, const char *option, const char *spec)
{
    if (!spec || strlen(spec) <= LONGEST_SPEC) return 0;
    return cli_fail(
        c, "--%s '%.40s...' is too long: it has %zu characters, and at most %d are allowed", option,
        spec, strlen(spec), LONGEST_SPEC);
}

static const char *const scale[] = {"none", "rows", "symmetric", "auto"};
static const char *const order[] = {"none", "rcm", "amd", "nd"};

bool cli_scales_if_square(const cli *c)
{
    return strcmp(scale[c->args.scale], "auto") == 0 && !c->args.order;
}

bool cli_scales_rows(const cli *c)
{
    return strcmp(scale[c->args.scale], "rows") == 0;
}

/* Refuses a method or a preconditioner for symmetric matrices if --scale rows is given. */
static int check_scaled_rows(cli *c, const gsolve_matrix *any)
{
    const char *const method = is_auto(c->args.solver) ? "auto" : c->args.solver;
    const char *const precond = is_auto(c->args.precond) ? "none" : c->args.precond;
    gsolve_auto *S = NULL;
    gsolve_status status;

    if (!cli_scales_rows(c)) return 0;
    status = gsolve_auto_create_from(&S, c->ctx, "scale=rows", any);
    if (status == GSOLVE_OK) status = gsolve_auto_set_choices(S, 1, &method, &precond);
    gsolve_auto_destroy(&S);
    return status == GSOLVE_OK ? 0 : cli_fail_library(c);
}

int cli_check_specs(cli *c)
{
    const int32_t start[] = {0, 1}, col[] = {0};
    const double value[] = {1};
    const gsolve_csr one = gsolve_csr_view(1, start, col, value);
    cli_attempt a;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;
    int code = 0;

    if (check_length(c, "solver", c->args.solver) || check_length(c, "precond", c->args.precond)) {
        return CLI_ERROR;
    }
    if (!is_auto(c->args.solver) && cli_spec_is(c->args.solver, "direct") &&
        !is_auto(c->args.precond) && !cli_spec_is(c->args.precond, "none")) {
        return cli_fail(c, "direct uses no preconditioner; remove --precond %s", c->args.precond);
    }
    set_solver(c, &a, is_auto(c->args.solver) ? "auto" : c->args.solver);
    status = gsolve_matrix_create(&A, c->ctx, c->args.format ? c->args.format : "auto", &one);
    if (A && c->args.precond) status = gsolve_precond_create(&M, c->ctx, c->args.precond, &one);
    c->variable = M && gsolve_precond_is_variable(M);
    if (A && status != GSOLVE_BAD_SPEC) {
        status = gsolve_solver_create(&S, c->ctx, a.solver, A, NULL);
    }
    if (status == GSOLVE_BAD_SPEC) {
        code = cli_fail_library(c);
    } else if (A) {
        code = check_scaled_rows(c, A);
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    return code;
}

void cli_name_transform(const cli *c, char *options, size_t size)
{
    snprintf(options, size, "scale=%s,order=%s", scale[c->args.scale], order[c->args.order]);
}
