/* method.c: chooses the method that all formats solve with. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

/* Solves once with csr, from x = 0. */
static int try_choice(cmp *m, cmp_matrix *a, const gsolve_matrix *A, cli_attempt *attempt)
{
    const gsolve_dense x = a->system.x;

    memset(x.value, 0, (size_t)x.nrows * (size_t)x.ncols * sizeof(double));
    return cli_try(m->c, attempt, A, a->system.b, x);
}

/* On a GPU some methods keep a small matrix on the chip and then do not use the format. Here they
 * must. */
static void disable_resident(const cmp *m, cmp_matrix *a)
{
    const gsolve_plugin *method;
    const size_t length = strlen(a->solver);

    if (strcmp(m->device.device, "cpu") == 0 || strstr(a->solver, ",resident=")) return;
    for (int k = 0; (method = gsolve_method_at(k)); k++) {
        if (!cli_spec_is(a->solver, method->name)) continue;
        for (const gsolve_option *o = method->option; o && o->key; o++) {
            if (strcmp(o->key, "resident") != 0) continue;
            snprintf(a->solver + length, sizeof a->solver - length, ",resident=off");
        }
    }
}

/* The value of the last `key` in spec; `value` if there is none. */
static double tolerance_in(const char *spec, const char *key, double value)
{
    const size_t length = strlen(key);

    for (const char *at = strchr(spec, ','); at; at = strchr(at + 1, ',')) {
        if (strncmp(at + 1, key, length) == 0) value = strtod(at + 1 + length, NULL);
    }
    return value;
}

/* Stores the choice t. A method "auto" is replaced by the method that it chose, so that all formats
 * solve with the same one. */
static void store_choice(const cmp *m, cmp_matrix *a, const cli_attempt *t)
{
    const char *keys = t->solver + strcspn(t->solver, ",");

    if (cli_spec_is(t->solver, "auto")) {
        snprintf(a->solver, sizeof a->solver, "%s%.400s", t->method, keys);
    } else {
        snprintf(a->solver, sizeof a->solver, "%s", t->solver);
    }
    snprintf(a->precond, sizeof a->precond, "%s", t->precond);
    snprintf(a->why, sizeof a->why, "%s", t->why);
    snprintf(a->method, sizeof a->method, "%s", t->method);
    snprintf(a->kind, sizeof a->kind, "%s", t->kind);
    a->precond_seconds = t->precond_seconds;
    a->rtol = tolerance_in(a->solver, "rtol=", cli_rtol(m->c));
    a->atol = tolerance_in(a->solver, "atol=", 0);
    disable_resident(m, a);
}

static int choose(cmp *m, cmp_matrix *a, const gsolve_matrix *A)
{
    char explanation[sizeof((cli_attempt *)0)->explanation] = "";
    bool found = false, ended = false;
    int code = 0;

    for (int k = 0; !code && !ended && k < CLI_MOST_ATTEMPTS; k++) {
        cli_attempt t = {0};
        if (!cli_choose(m->c, &a->system.statistics, k, &t)) break;
        if (cli_spec_is(t.solver, "direct")) continue; /* makes no products */
        code = try_choice(m, a, A, &t);
        ended = cli_interrupted() || (t.ran && t.result.outcome == GSOLVE_CONVERGED);
        if (!code && t.ran && (!found || ended)) store_choice(m, a, &t);
        found |= t.ran;
        if (!t.ran) snprintf(explanation, sizeof explanation, "%s", t.explanation);
        cli_free_attempt(&t);
    }
    return code || found ? code : cli_fail(m->c, "%s", explanation);
}

int cmp_choose_method(cmp *m, cmp_matrix *a)
{
    gsolve_matrix *A = NULL;
    int code;

    if (gsolve_matrix_create(&A, m->c->ctx, m->spec[m->base], &a->system.csr) != GSOLVE_OK) {
        return cli_fail_library(m->c);
    }
    code = choose(m, a, A);
    gsolve_matrix_destroy(&A);
    return code;
}
