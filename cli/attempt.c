/* attempt.c: chooses a method and a preconditioner, sets them up and runs them. */
#include "cli/attempt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"

/* --- choosing ------------------------------------------------------------------------------ */

static bool is_auto(const char *spec)
{
    return !spec || cli_spec_is(spec, "auto");
}

double cli_rtol(const cli *c)
{
    if (!isnan(c->is.rtol)) return c->is.rtol;
    return c->is.type == GSOLVE_F32 ? 1e-5 : 1e-8;
}

/* a->solver = name with the keys of "auto,key=value" and the tolerances of the arguments, of which
 * those given last count: the tolerance that goes with f32 gives way to one in the spec. */
static void set_solver(const cli *c, cli_attempt *a, const char *name)
{
    const char *given = c->is.solver && is_auto(c->is.solver) ? c->is.solver : "";
    const int head = (int)strcspn(name, ",");
    char atol[64] = "", maxit[64] = "", rtol[64] = "", usual[64] = "";
    char *tolerance = isnan(c->is.rtol) ? usual : rtol;

    if (!isnan(c->is.rtol) || c->is.type == GSOLVE_F32) {
        snprintf(tolerance, sizeof rtol, ",rtol=%s", cli_number(cli_rtol(c)).text);
    }
    if (!isnan(c->is.atol)) snprintf(atol, sizeof atol, ",atol=%s", cli_number(c->is.atol).text);
    if (c->is.maxit >= 0) snprintf(maxit, sizeof maxit, ",maxit=%d", c->is.maxit);
    snprintf(a->solver, sizeof a->solver, "%.*s%s%s%s%s%s%s", head, name, usual, name + head,
             given + strcspn(given, ","), rtol, atol, maxit);
}

/* The method is to be chosen for a preconditioner that the user wants: the first that uses one. */
static void choose_solver(const cli *c, const gsolve_statistics *traits, cli_attempt *a)
{
    gsolve_choice choice;

    a->free_method = true;
    for (int k = 0; gsolve_auto_choose(c->ctx, traits, k, &choice); k++) {
        if (!cli_spec_is(choice.solver, "direct")) break;
    }
    set_solver(c, a, choice.solver);
    snprintf(a->precond, sizeof a->precond, "%s", c->is.precond);
    snprintf(a->why, sizeof a->why, "%s chosen: %s", choice.solver,
             cli_spec_is(choice.solver, "cg") ? "symmetric with a positive diagonal" : choice.why);
}

static bool is_kind_of_cg(const char *spec)
{
    static const char *const kind[] = {"cg", "pipecg", "block_cg", "refine"};
    bool is = false;

    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) is |= cli_spec_is(spec, kind[k]);
    return is;
}

/* The preconditioner is to be chosen for a method that the user wants. That many iterations with
 * jacobi are the fastest holds for cg, whose iterations are the cheapest. */
static void choose_precond(const cli *c, const gsolve_statistics *traits, cli_attempt *a)
{
    gsolve_choice choice;

    set_solver(c, a, c->is.solver);
    gsolve_auto_choose(c->ctx, traits, 0, &choice);
    if (strcmp(choice.precond, "jacobi") == 0 && !is_kind_of_cg(c->is.solver)) {
        gsolve_auto_choose(c->ctx, traits, 1, &choice);
    }
    if (cli_spec_is(c->is.solver, "direct")) {
        snprintf(a->precond, sizeof a->precond, "none");
    } else if (cli_spec_is(choice.precond, "none")) { /* choice.why is that of the method */
        snprintf(a->precond, sizeof a->precond, "none");
        snprintf(a->why, sizeof a->why, "no preconditioner chosen%s",
                 traits->nrows != traits->ncols ? ": A is not square"
                 : traits->zero_diagonals > 0   ? ": zeros on the diagonal"
                                                : "");
    } else {
        snprintf(a->precond, sizeof a->precond, "%s", choice.precond);
        snprintf(a->why, sizeof a->why, "%s chosen: %s", choice.precond, choice.why);
    }
}

bool cli_choose(const cli *c, const gsolve_statistics *traits, int k, cli_attempt *a)
{
    const bool any_solver = is_auto(c->is.solver), any_precond = is_auto(c->is.precond);
    gsolve_choice choice;

    if (k > 0 && !(any_solver && any_precond)) return false;
    if (any_solver && any_precond) {
        if (!gsolve_auto_choose(c->ctx, traits, k, &choice)) return false;
        set_solver(c, a, choice.solver);
        snprintf(a->precond, sizeof a->precond, "%s", choice.precond);
        snprintf(a->why, sizeof a->why, "chosen: %s", choice.why);
    } else if (any_solver) {
        choose_solver(c, traits, a);
    } else if (any_precond) {
        choose_precond(c, traits, a);
    } else {
        set_solver(c, a, c->is.solver);
        snprintf(a->precond, sizeof a->precond, "%s", c->is.precond);
    }
    return true;
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

    if (check_length(c, "solver", c->is.solver) || check_length(c, "precond", c->is.precond)) {
        return CLI_ERROR;
    }
    if (!is_auto(c->is.solver) && cli_spec_is(c->is.solver, "direct") && !is_auto(c->is.precond) &&
        !cli_spec_is(c->is.precond, "none")) {
        return cli_fail(c, "direct uses no preconditioner; remove --precond %s", c->is.precond);
    }
    set_solver(c, &a, is_auto(c->is.solver) ? "auto" : c->is.solver);
    status = gsolve_matrix_create(&A, c->ctx, c->is.format ? c->is.format : "auto", &one);
    if (A && c->is.precond) status = gsolve_precond_create(&M, c->ctx, c->is.precond, &one);
    if (A && status != GSOLVE_BAD_SPEC) {
        status = gsolve_solver_create(&S, c->ctx, a.solver, A, NULL);
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    return status == GSOLVE_BAD_SPEC ? cli_fail_library(c) : 0;
}

/* --- monitoring the run ------------------------------------------------------------------ */

typedef struct watch {
    cli_attempt *a;
    cli_live live;
    FILE *lines; /* of --monitor, or NULL */
    bool keep;   /* the history */
} watch;

static void remember(cli_attempt *a, int iteration, double residual)
{
    if (iteration >= a->capacity) {
        const int capacity = 2 * iteration + 256;
        double *history = realloc(a->history, (size_t)capacity * sizeof *history);
        if (!history) return;
        a->history = history;
        a->capacity = capacity;
    }
    while (a->length <= iteration) a->history[a->length++] = NAN;
    a->history[iteration] = residual;
}

static bool see(int iteration, double residual, void *user)
{
    watch *w = user;

    if (w->keep) remember(w->a, iteration, residual);
    if (w->lines) fprintf(w->lines, "%12d  %.6e\n", iteration, residual);
    cli_live_iteration(&w->live, iteration, residual);
    return !cli_interrupted();
}

/* --- trying -------------------------------------------------------------------------------- */

void cli_describe_precond(cli_attempt *a, const gsolve_precond *M)
{
    gsolve_precond_info info;

    gsolve_precond_describe(M, &info);
    snprintf(a->kind, sizeof a->kind, "%s", info.kind);
    snprintf(a->note, sizeof a->note, "%s", info.note);
    cli_read_levels(&a->levels, M);
}

static gsolve_status set_up(cli *c, cli_attempt *a, const gsolve_matrix *A, gsolve_precond **M,
                            gsolve_solver **S)
{
    const double begin = cli_now();
    const char *keys = a->solver + strcspn(a->solver, ",");
    char flexible[sizeof a->solver];
    double setup;

    gsolve_status status = gsolve_precond_create_from(M, c->ctx, a->precond, A);
    a->precond_seconds = cli_now() - begin;
    if (status != GSOLVE_OK) return status;
    cli_describe_precond(a, *M);
    if (a->free_method && gsolve_precond_is_variable(*M)) { /* auto knows what suits */
        snprintf(flexible, sizeof flexible, "auto%.500s", keys);
        snprintf(a->solver, sizeof a->solver, "%s", flexible);
    }
    setup = cli_now();
    status = gsolve_solver_create(S, c->ctx, a->solver, A, *M);
    a->setup_seconds = cli_now() - setup;
    if (status != GSOLVE_OK) return status;
    snprintf(a->method, sizeof a->method, "%s", gsolve_solver_name(*S));
    return GSOLVE_OK;
}

static gsolve_status run(cli *c, cli_attempt *a, gsolve_solver *S, gsolve_dense b, gsolve_dense x)
{
    const double begin = cli_now();
    const bool json_out = c->is.json && strcmp(c->is.json, "-") == 0;
    watch w = {.a = a, .keep = c->is.json || c->is.history};
    gsolve_status status;

    if (c->is.monitor) w.lines = json_out ? stderr : c->text;
    if (w.lines) fprintf(w.lines, "%12s  residual\n", "iteration");
    cli_live_begin(&w.live, c, a->method);
    w.live.on = w.live.on && !w.lines;
    w.live.target = cli_rtol(c);
    gsolve_solver_set_monitor(S, see, &w);
    status = gsolve_solver_run(S, b, x, &a->result);
    cli_live_erase(&w.live);
    a->solve_seconds = cli_now() - begin;
    return status;
}

/* The results of the columns, and the explanation. */
static void read_back(cli_attempt *a, gsolve_solver *S, int32_t ncols)
{
    a->ran = true;
    snprintf(a->method_note, sizeof a->method_note, "%s", gsolve_solver_note(S));
    if (a->result.outcome == GSOLVE_STOPPED) {
        snprintf(a->explanation, sizeof a->explanation,
                 "Interrupted after %s at |b - Ax| / |b| = %.1e.",
                 cli_count(a->result.iterations, "iteration").text, a->result.residual);
    } else {
        snprintf(a->explanation, sizeof a->explanation, "%s", gsolve_solver_explain(S));
    }
    if (ncols < 2) return;
    a->column = malloc((size_t)ncols * sizeof *a->column);
    for (; a->column && a->ncols < ncols; a->ncols++) {
        gsolve_solver_column(S, a->ncols, &a->column[a->ncols]);
    }
}

static gsolve_status profile(cli *c, cli_attempt *a, gsolve_solver *S, gsolve_dense b,
                             gsolve_dense guess, gsolve_dense x)
{
    cli_live live;

    if (!c->is.profile || a->result.outcome == GSOLVE_STOPPED) return GSOLVE_OK;
    cli_live_begin(&live, c, a->method);
    cli_live_note(&live, "solving again for the profile ...");
    const gsolve_status status = cli_profile_make(c, &a->profile, S, b, guess, x);
    cli_live_erase(&live);
    return status;
}

/* guess = x where a profile asks for it. */
static int keep_guess(cli *c, gsolve_dense x, gsolve_dense *guess)
{
    if (!c->is.profile) return 0;
    if (cli_new_dense(c, guess, x.nrows, x.ncols)) return CLI_ERROR;
    memcpy(guess->value, x.value, (size_t)x.nrows * (size_t)x.ncols * sizeof(double));
    return 0;
}

int cli_try(cli *c, cli_attempt *a, const gsolve_matrix *A, gsolve_dense b, gsolve_dense x)
{
    const bool chosen = is_auto(c->is.solver) && is_auto(c->is.precond);
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_dense guess = {0};
    char note[1100];
    cli_live live;
    int code = 0;

    if (keep_guess(c, x, &guess)) return CLI_ERROR;
    cli_live_begin(&live, c, a->solver);
    snprintf(note, sizeof note, "setting up the method %s and the preconditioner %s ...", a->solver,
             a->precond);
    cli_live_note(&live, note);
    cli_begin_setup();
    a->status = set_up(c, a, A, &M, &S);
    cli_end_setup();
    cli_live_erase(&live);
    if (a->status == GSOLVE_OK) a->status = run(c, a, S, b, x);
    if (a->status == GSOLVE_OK) read_back(a, S, b.ncols);
    if (a->ran) a->status = profile(c, a, S, b, guess, x);
    if (a->status != GSOLVE_OK && chosen && gsolve_auto_may_fall_back(a->status)) {
        snprintf(a->explanation, sizeof a->explanation, "%s", gsolve_error(c->ctx));
    } else if (a->status != GSOLVE_OK) {
        code = cli_fail_library(c);
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_dense_free(&guess, c->ctx);
    return code;
}

void cli_free_attempt(cli_attempt *a)
{
    free(a->column);
    free(a->history);
}
