/* live.c: see live.h. */
#include "cli/live.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

bool live_interrupted(void)
{
    return interrupted != 0;
}

void live_begin(live *l)
{
    struct sigaction action = {.sa_handler = interrupt};

    action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program */
    sigaction(SIGINT, &action, NULL);
    l->begin = l->last = cli_now();
    l->count = 0;
    l->shown = false;
}

static void keep(live *l, double residual)
{
    if (l->count == l->room) {
        const int room = l->room ? 2 * l->room : 1024;
        double *larger = realloc(l->history, (size_t)room * sizeof *larger);
        if (!larger) return;
        l->history = larger;
        l->room = room;
    }
    l->history[l->count++] = residual;
}

/* Iterations still needed if the residual goes on as over the last half; negative: not in sight. */
static double expected_iterations(const live *l)
{
    const int half = l->count / 2;
    if (l->count < 10) return -1;

    const double now = log10(l->history[l->count - 1]), then = log10(l->history[half]);
    const double rate = (then - now) / (l->count - 1 - half);
    return rate > 0 ? (now - log10(l->target)) / rate : -1;
}

static void show(live *l, int iteration, double residual)
{
    const double now = cli_now(), more = expected_iterations(l);
    char left[32] = "", text[100];

    if (now - l->last < 0.1) return;
    l->last = now;
    if (more >= 0 && iteration > 0) cli_seconds(more * (now - l->begin) / iteration, left);
    snprintf(text, sizeof text, "iteration %d   residual %.2e%s%s%s", iteration, residual,
             left[0] ? "   about " : "", left, left[0] ? " left" : "");
    printf("\r%-78s", text);
    fflush(stdout);
    l->shown = true;
}

bool live_see(int iteration, double residual, void *user)
{
    live *l = user;

    keep(l, residual);
    if (l->each) {
        printf("%8d  %.6e\n", iteration, residual);
    } else if (l->line) {
        show(l, iteration, residual);
    }
    return !interrupted;
}

void live_end(live *l)
{
    if (l->shown) printf("\r%78s\r", "");
    l->shown = false;
}
