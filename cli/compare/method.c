/* method.c: chooses the method that all formats solve with. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

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
    a->precond_seconds = cmp_largest(m, t->precond_seconds);
    a->rtol = tolerance_in(a->solver, "rtol=", cli_rtol(m->c));
    a->atol = tolerance_in(a->solver, "atol=", 0);
    disable_resident(m, a);
}

/* Stores why t failed. */
static void store_cause(cmp_matrix *a, const cli_attempt *t)
{
    snprintf(a->cause, sizeof a->cause, "%.700s%s%.280s", t->explanation,
             t->diagnosis.remedy[0] ? " " : "", t->diagnosis.remedy);
}

/* Removes direct, which makes no products, from the list. Returns the number of the others. */
static int remove_direct(cli_attempt *a, int count)
{
    int left = 0;

    for (int k = 0; k < count; k++) {
        if (!cli_spec_is(a[k].solver, "direct")) a[left++] = a[k];
    }
    return left;
}

/* Solves with csr, from x = 0, and stores the choice that converged, or else the first that ran. */
static int choose(cmp *m, cmp_matrix *a, const gsolve_matrix *A)
{
    const gsolve_dense x = a->system.x;
    cli_attempt attempt[CLI_MOST_ATTEMPTS] = {[0] = {.ran = false}};
    cli_trial t = {.attempt = attempt, .A = A, .b = a->system.b, .x = x};
    int code, first = 0;

    t.count = remove_direct(attempt, cli_list_choices(m->c, &a->system.statistics, attempt));
    if (t.count == 0) return cli_fail(m->c, "auto chooses only direct, which makes no products");
    memset(x.value, 0, (size_t)x.nrows * (size_t)x.ncols * sizeof(double));
    code = cli_try(m->c, &t);
    if (!code) {
        while (!attempt[first].ran) first++;
        const bool converged = gsolve_outcome_is_success(attempt[t.best].result.outcome);
        store_choice(m, a, &attempt[converged ? t.best : first]);
        if (!converged && !cli_is_stopped(&attempt[first])) store_cause(a, &attempt[first]);
    }
    for (int k = 0; k < t.tried; k++) cli_free_attempt(&attempt[k]);
    return code;
}

int cmp_choose_method(cmp *m, cmp_matrix *a)
{
    gsolve_matrix *A = NULL;
    int code;

    if (m->backend->build(m, &a->system, m->spec[m->base], &A, NULL) != GSOLVE_OK) {
        return cli_fail_library(m->c);
    }
    code = choose(m, a, A);
    gsolve_matrix_destroy(&A);
    return code;
}
