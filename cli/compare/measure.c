/* measure.c: the rounds of gsolve compare. In each round every format is built, solved with,
 * multiplied with and freed. So only one format is in memory at a time, and a period in which the
 * machine is slow affects all formats alike. */
#include <math.h>

#include "cli/compare/bench.h"

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 15, SAMPLES = 5, MOST_PRODUCTS = 400 };
#define SECONDS         10.0 /* of rounds, once there are LEAST_ROUNDS */
#define SAMPLE_SECONDS  4e-3 /* of products, between two readings of the clock */
#define PRODUCT_SECONDS 0.5  /* of all samples of a format in a round */

/* --- a format in a round: build --------------------------------------------------------------- */

/* Adds the time of the slowest rank. */
static void add(const cmp_bench *t, cmp_series *s, double seconds)
{
    const double longest = cmp_largest(t->m, seconds);

    if (s->count < CMP_MOST_ROUNDS) s->value[s->count++] = longest;
}

/* Waits until the device has finished, and for the other ranks; *seconds, unless NULL: the time of
 * the device. */
static gsolve_status wait(cmp_bench *t, double *seconds)
{
    const double begin = cli_now();
    double here;
    const gsolve_status status =
        gsolve_copy(t->ctx, &here, GSOLVE_HOST, t->flag, t->location, sizeof here);

    if (seconds) *seconds = cli_now() - begin;
    t->m->backend->wait(t->m);
    return status;
}

/* Of a distributed matrix the library knows the bytes and places of the rows in the format, and not
 * those of the boundary rows. */
static void describe(const cmp_bench *t, cmp_row *r, const gsolve_matrix *A)
{
    r->info.size = sizeof r->info;
    gsolve_matrix_describe(A, &r->info);
    r->partial = t->m->ranks > 0;
}

/* A format may return while its last kernels run. So the time of a wait after it, minus that of a
 * wait for an idle device, is part of the build. */
static gsolve_status build(cmp_bench *t, cmp_row *r, gsolve_matrix **A)
{
    double busy = 0, idle = 0;
    gsolve_status status = t->m->backend->build(t->m, &t->a->system, r->spec, A, NULL);

    if (status != GSOLVE_OK) return status;
    status = wait(t, &busy);
    if (status == GSOLVE_OK) status = wait(t, &idle);
    describe(t, r, *A);
    add(t, &r->build, r->info.build_seconds + fmax(0, busy - idle));
    return status;
}

/* --- a format in a round: products ------------------------------------------------------------ */

static gsolve_status products(cmp_bench *t, const gsolve_matrix *A, int count, double *one)
{
    const double begin = cli_now();
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < count && status == GSOLVE_OK; k++) {
        status = gsolve_matrix_apply(A, 1, t->x, 0, t->y);
    }
    if (status == GSOLVE_OK) status = wait(t, NULL);
    *one = cmp_elapsed(t->m, status, begin) / count;
    return status;
}

/* Compares A x with the reference. */
static gsolve_status check_product(cmp_bench *t, cmp_row *r, const gsolve_matrix *A)
{
    double one;
    gsolve_status status = products(t, A, 1, &one);

    if (status != GSOLVE_OK) return status;
    status = gsolve_copy(t->ctx, t->here.value, GSOLVE_HOST, t->y.value, t->location,
                         cmp_bytes_of(t->here));

    if (status != GSOLVE_OK) return status;
    for (int32_t j = 0; j < r->columns; j++) {
        const double error = cmp_error(&t->reference, cmp_column(t->here, j));
        r->error = fmax(r->error, isnan(error) ? INFINITY : error);
    }
    r->error = cmp_largest(t->m, r->error);
    r->wrong = !(r->error <= t->reference.allowed);
    if (r->wrong) {
        snprintf(
            r->problem, sizeof r->problem,
            "WRONG: an entry of A x has the error %.1e, relative to the sum of the magnitudes of "
            "its terms; rounding explains at most %.1e",
            r->error, t->reference.allowed);
    }
    return GSOLVE_OK;
}

static gsolve_status time_products(cmp_bench *t, cmp_row *r, const gsolve_matrix *A)
{
    cmp_series sample = {.count = 0};
    double one, spent = 0;
    gsolve_status status = products(t, A, 2, &one); /* warms the caches */

    if (status == GSOLVE_OK) status = products(t, A, 1, &one);
    const int count = (int)fmin(MOST_PRODUCTS, fmax(1, ceil(SAMPLE_SECONDS / one)));
    while (status == GSOLVE_OK && sample.count < SAMPLES && spent < PRODUCT_SECONDS) {
        status = products(t, A, count, &one);
        sample.value[sample.count++] = one;
        spent += count * one;
    }
    if (status == GSOLVE_OK) add(t, &r->product, cmp_median(&sample));
    return status;
}

/* --- a format in a round: the solve ----------------------------------------------------------- */

static gsolve_status run(cmp_bench *t, cmp_row *r, gsolve_solver *S)
{
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status =
        gsolve_copy(t->ctx, t->sol.value, t->location, t->zeros, GSOLVE_HOST, cmp_bytes_of(t->sol));

    if (cmp_can_stop(t->m)) gsolve_solver_set_monitor(S, cli_not_interrupted, NULL);
    if (status == GSOLVE_OK) status = wait(t, NULL);
    const double begin = cli_now();
    if (status == GSOLVE_OK) status = gsolve_solver_run(S, t->b, t->sol, &result);
    const double seconds = cmp_elapsed(t->m, status, begin);
    if (status != GSOLVE_OK || result.outcome == GSOLVE_STOPPED) return status;
    r->result = result;
    r->solved = true;
    add(t, &r->solve, seconds);
    gsolve_solver_get_profile(S, &profile);
    profile.iteration_seconds = cmp_largest(t->m, profile.iteration_seconds);
    if (profile.iteration_seconds > 0) add(t, &r->iteration, profile.iteration_seconds);
    return GSOLVE_OK;
}

static gsolve_status solve(cmp_bench *t, cmp_row *r, const gsolve_matrix *A)
{
    const double begin = cli_now();
    gsolve_solver *S = NULL;
    gsolve_status status = gsolve_solver_create(&S, t->ctx, t->a->solver, A, t->M);

    if (status == GSOLVE_OK) status = wait(t, NULL);
    if (status == GSOLVE_OK) add(t, &r->setup, cli_now() - begin);
    if (status == GSOLVE_OK) status = run(t, r, S);
    gsolve_solver_destroy(&S);
    return status;
}

/* --- the rounds ------------------------------------------------------------------------------- */

/* The solve comes before the timed products, so that a format that adapts (auto) converts during
 * the solve, as it would for a user. An error of a format is shown in its row; only the failure of
 * the device ends the command. */
static int measure_format(cmp_bench *t, cmp_row *r, int round)
{
    char note[200];
    gsolve_matrix *A = NULL;

    snprintf(note, sizeof note, "%.80s  round %d  %.80s", t->a->system.name, round + 1, r->spec);
    cli_live_note(&t->live, note);
    gsolve_status status = build(t, r, &A);
    if (status == GSOLVE_OK && round == 0) status = check_product(t, r, A);
    if (status == GSOLVE_OK && t->a->solves && !r->wrong) status = solve(t, r, A);
    if (status == GSOLVE_OK && !r->wrong) status = time_products(t, r, A);
    if (A) describe(t, r, A);
    if (status != GSOLVE_OK) snprintf(r->problem, sizeof r->problem, "%s", gsolve_error(t->ctx));
    gsolve_matrix_destroy(&A);
    if (!cmp_is_lost(t->m, status)) return 0;
    cli_live_erase(&t->live);
    return cli_fail(t->m->c, "%s: %s", r->spec, r->problem);
}

static bool needs_round(const cmp_bench *t, int round, double seconds)
{
    const int repeat = t->m->c->args.repeat;

    if (cli_interrupted()) return false;
    if (repeat > 0) return round < repeat;
    return round < LEAST_ROUNDS || (round < MOST_ROUNDS && seconds < SECONDS);
}

static int make_rounds(cmp_bench *t)
{
    const double begin = cli_now();
    int code = 0;

    for (int round = 0; !code && needs_round(t, round, cmp_largest(t->m, cli_now() - begin));
         round++) {
        for (int f = 0; f < t->m->formats && !code && !cli_interrupted(); f++) {
            cmp_row *r = &t->a->row[f];
            if (!r->problem[0]) code = measure_format(t, r, round);
        }
        t->a->rounds = round + 1;
    }
    return code;
}

int cmp_measure(cmp *m, cmp_matrix *a)
{
    cmp_bench t = {.m = m, .a = a, .ctx = m->c->ctx};
    int code;

    for (int f = 0; f < m->formats; f++) {
        a->row[f].spec = m->spec[f];
        a->row[f].columns = cmp_columns(m);
    }
    cli_live_begin(&t.live, m->c, a->system.name);
    code = cli_interrupted() ? 0 : cmp_prepare(&t); /* set-ups fail after an interrupt */
    if (!code) code = make_rounds(&t);
    cli_live_erase(&t.live);
    cmp_release(&t);
    if (!code && a->row[m->base].problem[0]) {
        return cli_fail(m->c, "csr, the reference of all formats, failed: %s",
                        a->row[m->base].problem);
    }
    return code;
}
