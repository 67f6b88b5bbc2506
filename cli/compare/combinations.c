/* combinations.c: the combinations of methods, preconditioners and formats that gsolve compare
 * measures on a matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"

/* --- the lists of the arguments --------------------------------------------------------------- */

bool cms_is_asked(const cli_arguments *args)
{
    return args->solvers || args->preconds;
}

static bool is_auto(const char *spec)
{
    return cli_spec_is(spec, "auto");
}

/* Checks one spec by itself. */
static int check_spec(cli *c, const char *solver, const char *precond)
{
    const cli_arguments kept = c->args;

    if (solver && (strstr(solver, ",rtol=") || strstr(solver, ",atol="))) {
        return cli_fail(c,
                        "--solvers '%s': all combinations solve to the same residual; remove rtol= "
                        "and atol=, and give --rtol or --atol",
                        solver);
    }
    if (strncmp(solver ? solver : precond, "auto,", 5) == 0) {
        return cli_fail(c, "auto has no options in --%s; write auto",
                        solver ? "solvers" : "preconds");
    }
    c->args.solver = solver;
    c->args.precond = precond;
    const int code = cli_check_specs(c);
    c->args = kept;
    return code;
}

int cms_read_lists(cms *s)
{
    cli *c = s->m->c;
    const cli_arguments *args = &c->args;
    const char *solvers = args->solvers ? args->solvers : args->solver ? args->solver : "auto";
    const char *preconds = args->preconds ? args->preconds : args->precond ? args->precond : "auto";

    if ((args->solvers && args->solver) || (args->preconds && args->precond)) {
        return cli_fail(c, "give --solver or --solvers, and --precond or --preconds, not both");
    }
    if (cmp_split(c, "solvers", solvers, s->solver, CMS_MOST_SPECS, &s->solvers) ||
        cmp_split(c, "preconds", preconds, s->precond, CMS_MOST_SPECS, &s->preconds) ||
        cmp_add_formats(s->m, args->formats ? args->formats : "auto")) {
        return CLI_ERROR;
    }
    for (int k = 0; k < s->solvers; k++) {
        if (check_spec(c, s->solver[k], NULL)) return CLI_ERROR;
    }
    for (int k = 0; k < s->preconds; k++) {
        if (check_spec(c, NULL, s->precond[k])) return CLI_ERROR;
    }
    return 0;
}

/* --- the pairs of a matrix -------------------------------------------------------------------- */

typedef struct pair {
    char solver[64], precond[64];
} pair;

enum { MOST_PAIRS = CLI_MOST_ATTEMPTS + 8 };

/* Common choices for a kind of matrix; they end with a pair without a name. */
static const pair *common_for(const gsolve_statistics *t)
{
    static const pair definite[] = {
        {"cg", "jacobi"}, {"cg", "ic"}, {"cg", "amg"}, {"gmres", "ilu"}, {"", ""}};
    static const pair symmetric[] = {{"gmres", "ilu"}, {"gmres", "jacobi"}, {"", ""}};
    static const pair general[] = {
        {"bicgstab", "jacobi"}, {"gmres", "ilu"}, {"idr", "ilu"}, {"gmres", "amg"}, {"", ""}};
    static const pair zero_diagonal[] = {{"gmres", "none"}, {"bicgstab", "none"}, {"", ""}};
    static const pair rectangular[] = {
        {"lsqr", "jacobi,normal=1"}, {"lsmr", "jacobi,normal=1"}, {"", ""}};

    if (t->nrows != t->ncols) return rectangular;
    if (t->zero_diagonals > 0) return zero_diagonal;
    if (!t->symmetric) return general;
    return t->negative_diagonals > 0 ? symmetric : definite;
}

/* pairs = the choices of auto, and the common ones. Returns their number. */
static int list_pairs(const cms *s, const gsolve_statistics *t, pair pairs[MOST_PAIRS])
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    int count = 0;

    while (count < CLI_MOST_ATTEMPTS && cli_choose(s->m->c, t, count, &choice)) {
        snprintf(pairs[count].solver, sizeof pairs->solver, "%s", choice.method);
        snprintf(pairs[count++].precond, sizeof pairs->precond, "%s", choice.precond);
    }
    if (s->m->ranks > 0 && t->nrows != t->ncols) return count; /* normal=1 fails */
    for (const pair *p = common_for(t); p->solver[0] && count < MOST_PAIRS; p++)
        pairs[count++] = *p;
    return count;
}

static bool is_least_squares(const char *solver)
{
    return cli_spec_is(solver, "lsqr") || cli_spec_is(solver, "lsmr");
}

static bool needs_symmetry(const char *solver)
{
    return cli_spec_is(solver, "cg") || cli_spec_is(solver, "pipecg") ||
           cli_spec_is(solver, "block_cg") || cli_spec_is(solver, "minres");
}

/* --- adding ----------------------------------------------------------------------------------- */

static void name_row(const cms *s, cms_row *r)
{
    const bool direct = cli_spec_is(r->method, "direct"), several = s->m->formats > 1;

    snprintf(r->name, sizeof r->name, "%s%s%.100s%s%.40s", r->method, direct ? "" : " + ",
             direct ? "" : r->precond, several ? ", " : "", several ? r->format : "");
}

static bool is_known(const cms_matrix *a, const cms_row *r)
{
    bool known = false;

    for (int k = 0; k < a->rows; k++) {
        const cms_row *other = &a->row[k];
        known |= strcmp(other->solver, r->solver) == 0 && strcmp(other->precond, r->precond) == 0 &&
                 strcmp(other->format, r->format) == 0;
    }
    return known;
}

/* Adds the combination with each format, unless it is known. direct has no preconditioner. */
static int add(cms *s, cms_matrix *a, const char *solver, const char *precond)
{
    cli_attempt attempt[CLI_MOST_ATTEMPTS];
    cli c = *s->m->c;

    c.args.solver = solver;
    c.args.precond = cli_spec_is(solver, "direct") ? "none" : precond;
    c.args.rtol = a->rtol;
    cli_list_choices(&c, &a->system.statistics, attempt);
    for (int f = 0; f < s->m->formats; f++) {
        cms_row *r = &a->row[a->rows];
        if (a->rows == CMS_MOST_ROWS) {
            return cli_fail(s->m->c, "more than %d combinations are given", CMS_MOST_ROWS);
        }
        memset(r, 0, sizeof *r);
        snprintf(r->method, sizeof r->method, "%s", solver);
        cli_effective_spec(attempt[0].solver, r->solver);
        snprintf(r->precond, sizeof r->precond, "%s", attempt[0].precond);
        snprintf(r->format, sizeof r->format, "%s", s->m->spec[f]);
        r->residual = r->memory = NAN;
        name_row(s, r);
        if (!is_known(a, r)) a->rows++;
    }
    return 0;
}

/* The preconditioners of a named solver: those of the pairs that suit it. */
static int add_solver(cms *s, cms_matrix *a, const char *solver, const pair *pairs, int count)
{
    const gsolve_statistics *t = &a->system.statistics;
    const bool definite = t->symmetric && t->zero_diagonals == 0 && t->negative_diagonals == 0;
    const bool symmetric = needs_symmetry(solver);

    if (cli_spec_is(solver, "direct")) return add(s, a, solver, "none");
    if (is_least_squares(solver)) return add(s, a, solver, cli_least_squares_precond(s->m->c));
    for (int k = 0; k < count; k++) {
        const pair *p = &pairs[k];
        const bool own = cli_spec_is(p->solver, solver);
        if (cli_spec_is(p->solver, "direct") || is_least_squares(p->solver)) continue;
        if (!own && (strcmp(p->precond, "none") == 0 || strstr(p->precond, "abs=1"))) {
            if (definite || !symmetric) continue;
        }
        if (symmetric && t->symmetric && cli_spec_is(p->precond, "ilu")) continue;
        if (add(s, a, solver, p->precond)) return CLI_ERROR;
    }
    return a->rows > 0 ? 0 : add(s, a, solver, "none");
}

/* Whether an earlier pair has the same method, perhaps with other options. */
static bool is_repeated(const pair *pairs, int k)
{
    char name[sizeof pairs->solver];
    bool repeated = false;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(pairs[k].solver, ","), pairs[k].solver);
    for (int i = 0; i < k; i++) repeated |= cli_spec_is(pairs[i].solver, name);
    return repeated;
}

/* One entry of --solvers with one of --preconds. */
static int add_entry(cms *s, cms_matrix *a, const char *solver, const char *precond,
                     const pair *pairs, int count)
{
    if (!is_auto(solver) && !is_auto(precond)) return add(s, a, solver, precond);
    if (!is_auto(solver)) return add_solver(s, a, solver, pairs, count);
    for (int k = 0; k < count; k++) {
        const pair *p = &pairs[k];
        const bool other = cli_spec_is(p->solver, "direct") || is_least_squares(p->solver) ||
                           is_repeated(pairs, k);
        if (is_auto(precond)) {
            if (add(s, a, p->solver, p->precond)) return CLI_ERROR;
        } else if (!other && add(s, a, p->solver, precond)) {
            return CLI_ERROR;
        }
    }
    return 0;
}

/* Marks the first choice of auto. */
static void mark_automatic(cms_matrix *a, const pair *first)
{
    for (int k = 0; k < a->rows; k++) {
        cms_row *r = &a->row[k];
        r->automatic = strcmp(r->method, first->solver) == 0 &&
                       strcmp(r->precond, first->precond) == 0 && strcmp(r->format, "auto") == 0;
    }
}

int cms_combine(cms *s, cms_matrix *a)
{
    pair pairs[MOST_PAIRS];
    const int count = list_pairs(s, &a->system.statistics, pairs);

    a->row = calloc(CMS_MOST_ROWS, sizeof *a->row);
    if (!a->row) return cli_fail(s->m->c, "out of memory");
    for (int k = 0; k < s->solvers; k++) {
        for (int i = 0; i < s->preconds; i++) {
            if (add_entry(s, a, s->solver[k], s->precond[i], pairs, count)) return CLI_ERROR;
        }
    }
    mark_automatic(a, &pairs[0]);
    if (cms_vendor_runs(s, a) && a->rows < CMS_MOST_ROWS) cms_set_vendor(a, &a->row[a->rows++]);
    return 0;
}
