/* live.h: what a solve shows and keeps while it runs. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include <stdbool.h>

typedef struct live {
    bool line, each;    /* one line that changes, on a terminal; a line for each iteration */
    double target;      /* the relative residual to reach */
    double begin, last; /* seconds: of the solve's begin, of the line's last change */
    double *history;    /* relative residuals of all iterations; grown as needed */
    int count, room;
    bool shown;
} live;

/* From now on Ctrl-C stops the solve. */
void live_begin(live *l);

/* A gsolve_monitor, with a live as user. */
bool live_see(int iteration, double residual, void *user);

/* Takes the line away. */
void live_end(live *l);

/* Whether Ctrl-C was pressed. */
bool live_interrupted(void);

#endif
