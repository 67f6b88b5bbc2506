/* profile.c: measures and prints the profile of gsolve solve --profile. */
#include "cli/profile.h"

#include <stdlib.h>
#include <string.h>

#include "cli/json.h"

/* --- measuring -------------------------------------------------------------------------------- */

/* The longest time first; equal times by name. */
static int compare_lines(const void *a, const void *b)
{
    const cli_profile_line *p = a, *q = b;

    if (p->of.seconds != q->of.seconds) return p->of.seconds < q->of.seconds ? 1 : -1;
    return strcmp(p->of.name, q->of.name);
}

void cli_profile_sort(cli_profile *p)
{
    qsort(p->line, (size_t)p->lines, sizeof *p->line, compare_lines);
}

gsolve_status cli_profile_make(cli *c, cli_profile *p, gsolve_solver *S, gsolve_dense b,
                               gsolve_dense guess, gsolve_dense x)
{
    const size_t bytes = (size_t)x.nrows * (size_t)x.ncols * sizeof(double);
    const double begin = cli_now();
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;

    gsolve_context_describe(c->ctx, &info);
    p->peak = info.peak;
    p->run.size = p->timed.size = sizeof p->run;
    gsolve_solver_get_profile(S, &p->run);
    gsolve_solver_profile(S, true);
    status = gsolve_solver_run(S, b, guess, &result);
    if (status == GSOLVE_OK) status = gsolve_context_copy_speed(c->ctx, &p->copy_speed);
    if (status != GSOLVE_OK) return status;
    gsolve_solver_get_profile(S, &p->timed);
    p->lines = 0;
    for (; p->lines < CLI_MOST_CLASSES; p->lines++) {
        gsolve_profile_class *of = &p->line[p->lines].of;
        of->size = sizeof *of;
        if (!gsolve_solver_profile_at(S, p->lines, of)) break;
    }
    p->same_bits = bytes == 0 || memcmp(guess.value, x.value, bytes) == 0;
    p->seconds = cli_now() - begin;
    p->made = true;
    return GSOLVE_OK;
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* --- text ------------------------------------------------------------------------------------- */

static void say_head(const cli *c, const cli_profile *p)
{
    const double speed = quotient(p->timed.iteration_bytes, p->run.iteration_seconds);

    cli_say(c, "\n");
    cli_item(c, "iteration",
             "%s in the solve, which has no timers; %.1f GB/s, %.2f of the bandwidth of a copy",
             cli_seconds(p->run.iteration_seconds).text, 1e-9 * speed,
             quotient(speed, p->copy_speed));
    if (p->ranks > 1) {
        cli_item(c, "bandwidth",
                 "%.1f GB/s of all ranks, each copying a large array at the same time (bytes read "
                 "and bytes written)",
                 1e-9 * p->copy_speed);
    } else {
        cli_item(c, "bandwidth", CLI_BANDWIDTH, 1e-9 * p->copy_speed);
    }
    cli_item(c, "copies", "%lld to the host in %s", (long long)p->run.copies,
             cli_count(p->run.iterations, "iteration").text);
    cli_item(c, "profile", "second solve, with each operation timed%s%s",
             p->ranks > 1 ? "; before each message the ranks wait for each other" : "",
             p->same_bits ? "; its solution has the same bits" : "; ITS SOLUTION DIFFERS");
}

/* A line of the table; calls and bytes may be of one iteration. */
static void say_line(const cli *c, const char *name, double calls, double bytes, double seconds,
                     const cli_spread *spread, const cli_profile *p)
{
    const double speed = quotient(calls * bytes, seconds);

    cli_say(c, "  %-26s%9.0f %11s %10.2f %6.1f %%", name, calls,
            bytes > 0 ? cli_bytes(bytes).text : "-", 1e3 * seconds,
            100 * quotient(seconds, p->timed.class_seconds));
    if (p->ranks > 1) cli_say(c, " %9.2f %9.2f", 1e3 * spread->least, 1e3 * spread->most);
    if (bytes > 0) {
        cli_say(c, " %9.1f %7.2f\n", 1e-9 * speed, quotient(speed, p->copy_speed));
    } else {
        cli_say(c, " %9s %7s\n", "-", "-");
    }
}

/* Over several ranks: which one the others wait for. */
static void say_waiting(const cli *c, const cli_profile *p)
{
    if (p->ranks > 1) {
        cli_say(c, "  ms: mean over the ranks; least, most: of one rank; bytes: of all ranks\n");
    }
    for (int i = 0; p->ranks > 1 && i < p->lines; i++) {
        const cli_spread *s = &p->line[i].spread;
        if (strcmp(p->line[i].of.name, "wait for other ranks") != 0) continue;
        cli_say(c, "  rank %d waits least, rank %d most\n", s->least_rank, s->most_rank);
    }
}

void cli_profile_say(const cli *c, const cli_profile *p)
{
    if (!p->made) return;
    say_head(c, p);
    cli_say(c, "\n  %-26s%9s %11s %10s %8s", "operation", "calls", "bytes/call", "ms", "share");
    if (p->ranks > 1) cli_say(c, " %9s %9s", "least ms", "most ms");
    cli_say(c, " %9s %7s\n", "GB/s", "/ copy");
    for (int i = 0; i < p->lines; i++) {
        const gsolve_profile_class *l = &p->line[i].of;
        say_line(c, l->name, (double)l->calls, quotient(l->bytes, (double)l->calls), l->seconds,
                 &p->line[i].spread, p);
    }
    say_line(c, "all iterations", p->timed.iterations, p->timed.iteration_bytes,
             p->timed.class_seconds, &p->all, p);
    cli_say(c, "  / copy above 1: faster than the copy, as with data in cache\n");
    say_waiting(c, p);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_speed(cJSON *object, double bytes, double seconds, const cli_profile *p)
{
    const double speed = quotient(bytes, seconds);

    cJSON_AddNumberToObject(object, "bytes_per_second", speed);
    cJSON_AddNumberToObject(object, "share_of_copy", quotient(speed, p->copy_speed));
}

static void add_spread(cJSON *object, const cli_spread *spread, const cli_profile *p)
{
    if (p->ranks < 2) return;
    cJSON_AddNumberToObject(object, "seconds_least", spread->least);
    cJSON_AddNumberToObject(object, "seconds_most", spread->most);
    cJSON_AddNumberToObject(object, "least_rank", spread->least_rank);
    cJSON_AddNumberToObject(object, "most_rank", spread->most_rank);
}

static void add_class(cJSON *list, const cli_profile_line *line, const cli_profile *p)
{
    const gsolve_profile_class *l = &line->of;
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "name", l->name);
    cJSON_AddNumberToObject(item, "calls", (double)l->calls);
    cJSON_AddNumberToObject(item, "bytes_per_call", quotient(l->bytes, (double)l->calls));
    cJSON_AddNumberToObject(item, "seconds", l->seconds);
    cJSON_AddNumberToObject(item, "share", quotient(l->seconds, p->timed.class_seconds));
    add_spread(item, &line->spread, p);
    add_speed(item, l->bytes, l->seconds, p);
    cJSON_AddItemToArray(list, item);
}

void cli_profile_json(cJSON *object, const cli_profile *p)
{
    cJSON *profile, *list, *total;

    if (!p->made) return;
    profile = cJSON_AddObjectToObject(object, "profile");
    cJSON_AddNumberToObject(profile, "iterations", p->run.iterations);
    cJSON_AddNumberToObject(profile, "iteration_seconds", p->run.iteration_seconds);
    cJSON_AddNumberToObject(profile, "iteration_bytes", p->timed.iteration_bytes);
    add_speed(profile, p->timed.iteration_bytes, p->run.iteration_seconds, p);
    cJSON_AddNumberToObject(profile, "copy_bytes_per_second", p->copy_speed);
    cJSON_AddNumberToObject(profile, "copies_to_host", (double)p->run.copies);
    cJSON_AddBoolToObject(profile, "same_bits", p->same_bits);
    list = cJSON_AddArrayToObject(profile, "classes");
    for (int i = 0; i < p->lines; i++) add_class(list, &p->line[i], p);
    total = cJSON_AddObjectToObject(profile, "total");
    cJSON_AddNumberToObject(total, "iterations", p->timed.iterations);
    cJSON_AddNumberToObject(total, "seconds", p->timed.class_seconds);
    add_spread(total, &p->all, p);
    add_speed(total, p->timed.iteration_bytes * p->timed.iterations, p->timed.class_seconds, p);
}
