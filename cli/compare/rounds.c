/* rounds.c: the rounds of gsolve compare --solvers.
 *
 * The first round runs every combination in a context of its own. Its times count only for
 * combinations that no later round repeats: those that did not solve the system, and those that
 * took more than CMS_FAR times as long as the fastest and more than CMS_LEAST_LIMIT. Every second
 * round has the opposite order, so that a slow change of the machine's speed affects all
 * combinations alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 40 }; /* that count */
#define SECONDS 10.0                         /* of rounds that count, once there are LEAST_ROUNDS */

static void add(cmp_series *s, double seconds)
{
    if (s->count < CMP_MOST_ROUNDS) s->value[s->count++] = seconds;
}

static void add_times(cms_row *r, cms_times times)
{
    if (times.setup > 0) add(&r->setup, times.setup);
    if (times.solve > 0) add(&r->solve, times.solve); /* else the set-up failed */
    add(&r->total, times.setup + times.solve);
}

static void say_progress(cli_live *live, const cms_matrix *a, const cms_row *r, int round, int k)
{
    char note[300];

    snprintf(note, sizeof note, "%.80s  round %d  %d of %d: %.100s", a->system.name, round, k + 1,
             a->rows, r->name);
    cli_live_note(live, note);
}

/* --- the first round -------------------------------------------------------------------------- */

static int run_here(cms *s, cms_matrix *a, cms_row *r, double *fastest)
{
    cms_times times;

    if (cmp_register_cxsparse(s->m->c->ctx, &s->m->device) != GSOLVE_OK) {
        return cli_fail_library(s->m->c);
    }
    r->solved = cms_run(s, a, r, true, *fastest, &times);
    if (s->m->lost) return cli_fail(s->m->c, "%s: %s", r->name, r->reason);
    r->ran = true;
    add_times(r, times);
    if (r->solved) *fastest = fmin(*fastest, times.setup + times.solve);
    return 0;
}

/* Runs r in a context of its own, which Ctrl-C finds in c->ctx. */
static int run_first(cms *s, cms_matrix *a, cms_row *r, double *fastest)
{
    cli *c = s->m->c;
    gsolve_context *const shared = c->ctx;
    int code;

    c->ctx = NULL;
    code = s->m->backend->open(s->m);
    if (!code) code = run_here(s, a, r, fastest);
    gsolve_context_destroy(&c->ctx);
    c->ctx = shared;
    return code;
}

static int make_first_round(cms *s, cms_matrix *a, cli_live *live, double *fastest)
{
    int code = 0;

    for (int k = 0; k < a->rows && !code && !cli_interrupted(); k++) {
        say_progress(live, a, &a->row[k], 1, k);
        code = run_first(s, a, &a->row[k], fastest);
    }
    for (int k = 0; k < a->rows; k++) {
        cms_row *r = &a->row[k];
        if (r->ran) continue;
        snprintf(r->outcome, sizeof r->outcome, "not run");
        snprintf(r->reason, sizeof r->reason, "interrupted");
    }
    return code;
}

/* --- the rounds that count -------------------------------------------------------------------- */

static bool is_repeated(const cms_row *r, double fastest)
{
    return r->solved && r->total.value[0] <= fmax(CMS_FAR * fastest, CMS_LEAST_LIMIT);
}

/* The first round of repeated combinations was a warm-up. An interrupted run leaves r as it was. */
static int repeat(cms *s, cms_matrix *a, cms_row *r, bool forget)
{
    cms_row now = *r;
    cms_times times;

    now.solved = cms_run(s, a, &now, false, INFINITY, &times);
    if (s->m->lost) return cli_fail(s->m->c, "%s: %s", now.name, now.reason);
    if (!now.solved && cli_interrupted()) return 0;
    *r = now;
    if (forget) r->total.count = r->setup.count = r->solve.count = 0;
    add_times(r, times);
    return 0;
}

static bool needs_round(const cms *s, int counted, double seconds)
{
    const int asked = s->m->c->args.repeat;

    if (cli_interrupted()) return false;
    if (asked > 0) return counted < asked - 1;
    return counted < LEAST_ROUNDS || (counted < MOST_ROUNDS && seconds < SECONDS);
}

static int make_rounds(cms *s, cms_matrix *a, cli_live *live, double fastest)
{
    const double begin = cli_now();
    bool repeated[CMS_MOST_ROWS];
    int code = 0;

    for (int k = 0; k < a->rows; k++) repeated[k] = is_repeated(&a->row[k], fastest);
    for (int n = 0; !code && needs_round(s, n, cmp_largest(s->m, cli_now() - begin)); n++) {
        for (int i = 0; i < a->rows && !code && !cli_interrupted(); i++) {
            const int k = n % 2 ? i : a->rows - 1 - i;
            cms_row *r = &a->row[k];
            if (!repeated[k] || !r->solved) continue;
            say_progress(live, a, r, n + 2, k);
            code = repeat(s, a, r, n == 0);
        }
        a->rounds = n + 2;
    }
    return code;
}

int cms_measure(cms *s, cms_matrix *a)
{
    double fastest = INFINITY;
    cli_live live;
    int code;

    cli_live_begin(&live, s->m->c, a->system.name);
    code = make_first_round(s, a, &live, &fastest);
    a->rounds = 1;
    if (!code) {
        cms_merge_aliases(a);
        code = make_rounds(s, a, &live, fastest);
    }
    cli_live_erase(&live);
    return code;
}

/* --- aliases ---------------------------------------------------------------------------------- */

/* Whether both are one method on one stored form, from the first product to the last. */
static bool are_alike(const cms_row *p, const cms_row *q)
{
    return !p->vendor && !q->vendor && p->form[0] && strcmp(p->solver, q->solver) == 0 &&
           strcmp(p->precond, q->precond) == 0 && strcmp(p->form, q->form) == 0 &&
           strcmp(p->first_form, p->form) == 0 && strcmp(q->first_form, q->form) == 0;
}

static void add_alias(cms_row *r, const cms_row *other)
{
    const size_t length = strlen(r->aliases);

    snprintf(r->aliases + length, sizeof r->aliases - length, "%s%.100s", length ? ", " : "",
             other->name);
    r->automatic |= other->automatic;
}

void cms_merge_aliases(cms_matrix *a)
{
    int left = 0;

    for (int k = 0; k < a->rows; k++) {
        int same = 0;
        while (same < left && !are_alike(&a->row[same], &a->row[k])) same++;
        if (same < left) {
            add_alias(&a->row[same], &a->row[k]);
            free(a->row[k].history);
        } else {
            a->row[left++] = a->row[k];
        }
    }
    a->rows = left;
}
