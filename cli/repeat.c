/* repeat.c: gsolve solve --repeat N. */
#include "cli/repeat.h"

#include <stdlib.h>
#include <string.h>

/* --- times --------------------------------------------------------------------------------------
 */

typedef struct samples {
    double *setup, *solve, *both; /* of each solve */
    int count;
} samples;

/* Adds the times of a trial, over all its attempts. */
static void add_times(samples *s, const cli_trial *t)
{
    double setup = 0, solve = 0;

    for (int k = 0; k < t->tried; k++) {
        setup += t->attempt[k].precond_seconds + t->attempt[k].setup_seconds;
        solve += t->attempt[k].solve_seconds;
    }
    s->setup[s->count] = setup;
    s->solve[s->count] = solve;
    s->both[s->count++] = setup + solve;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts the seconds. */
static cli_times times_of(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    return (cli_times){seconds[0], (seconds[(count - 1) / 2] + seconds[count / 2]) / 2,
                       seconds[count - 1]};
}

/* --- solves -------------------------------------------------------------------------------------
 */

static bool is_success(const cli_trial *t)
{
    return gsolve_outcome_is_success(t->attempt[t->best].result.outcome);
}

/* One more solve, from x0; x is work space. Prints nothing. A solve that Ctrl-C or the time limit
 * ended does not count, and is the last one: *s then has no more samples. */
static int solve_once(cli *c, cli_repeat *r, samples *s, const cli_trial *first, gsolve_dense x,
                      gsolve_dense x0, const gsolve_statistics *statistics)
{
    cli silent = *c;
    cli_trial t = {.A = first->A, .b = first->b, .x = x};
    int code = 0;

    silent.text = NULL;
    silent.silent = true;
    silent.args.monitor = silent.args.profile = false;
    silent.args.json = silent.args.history = NULL;
    memcpy(x.value, x0.value, (size_t)x.nrows * (size_t)x.ncols * sizeof(double));
    t.attempt = calloc(CLI_MOST_ATTEMPTS, sizeof *t.attempt);
    if (!t.attempt) return cli_fail(c, "out of memory");
    t.count = cli_list_choices(c, statistics, t.attempt);
    code = cli_try(&silent, &t);
    if (silent.stopped) {
        code = 0;
    } else if (code) {
        code = cli_fail(c, "%s", silent.error);
    } else if (!cli_interrupted() && !cli_is_stopped(&t.attempt[t.best])) {
        add_times(s, &t);
        r->successes += is_success(&t);
    }
    for (int k = 0; k < t.tried; k++) cli_free_attempt(&t.attempt[k]);
    free(t.attempt);
    return code;
}

int cli_solve_again(cli *c, cli_repeat *r, const cli_trial *t, gsolve_dense x0,
                    const gsolve_statistics *statistics)
{
    const int most = c->args.repeat;
    const double begin = cli_now();
    double *seconds = malloc(3 * (size_t)most * sizeof *seconds);
    samples s = {seconds, seconds + most, seconds + 2 * most, 0};
    gsolve_dense x = {0};
    int code = seconds ? 0 : cli_fail(c, "out of memory");

    if (!code) code = cli_new_dense(c, &x, x0.nrows, x0.ncols);
    if (!code) {
        add_times(&s, t);
        r->successes = is_success(t);
    }
    for (int k = 1; k < most && !code && s.count == k; k++) {
        code = solve_once(c, r, &s, t, x, x0, statistics);
    }
    if (!code) {
        r->solves = s.count;
        r->setup = times_of(s.setup, s.count);
        r->solve = times_of(s.solve, s.count);
        r->both = times_of(s.both, s.count);
        r->seconds = cli_now() - begin;
    }
    gsolve_dense_free(&x, c->ctx);
    free(seconds);
    return code;
}

/* --- reports ------------------------------------------------------------------------------------
 */

static void say_times(const cli *c, const char *what, const cli_times *t)
{
    cli_say(c, "  %-32s%12s%12s%12s\n", what, cli_seconds(t->least).text,
            cli_seconds(t->median).text, cli_seconds(t->largest).text);
}

void cli_say_repeat(const cli *c, const cli_repeat *r)
{
    if (r->solves == 0) return;
    cli_say(c, "\n  %-32s%12s%12s%12s\n", cli_count(r->solves, "solve").text, "least", "median",
            "largest");
    say_times(c, "set-up", &r->setup);
    say_times(c, "solve", &r->solve);
    say_times(c, "set-up and solve", &r->both);
    if (r->solves < c->args.repeat) {
        cli_say(c, "  %s before all %d solves were made\n",
                cli_interrupted() ? "interrupted" : "the time limit was reached", c->args.repeat);
    }
    if (r->successes < r->solves) {
        cli_say(c, "  %d of them did not converge\n", r->solves - r->successes);
    }
}

static void add(cJSON *object, const char *key, const cli_times *t)
{
    cJSON *part = cJSON_AddObjectToObject(object, key);

    cJSON_AddNumberToObject(part, "least", t->least);
    cJSON_AddNumberToObject(part, "median", t->median);
    cJSON_AddNumberToObject(part, "largest", t->largest);
}

void cli_repeat_json(cJSON *object, const cli_repeat *r)
{
    cJSON *part = r->solves > 0 ? cJSON_AddObjectToObject(object, "repeat") : NULL;

    if (!part) return;
    cJSON_AddNumberToObject(part, "solves", r->solves);
    cJSON_AddNumberToObject(part, "successes", r->successes);
    add(part, "setup_seconds", &r->setup);
    add(part, "solve_seconds", &r->solve);
    add(part, "both_seconds", &r->both);
}
