/* live_progress.h: the progress line on a terminal while a file is read or a solve runs. */
#ifndef GS_CLI_LIVE_PROGRESS_H
#define GS_CLI_LIVE_PROGRESS_H

#include "cli/cli.h"

typedef struct cli_mark { /* a moment of a solve */
    double at, residual;
    int iteration;
} cli_mark;

typedef struct cli_live {
    bool on;
    int width;           /* of the terminal */
    int shown;           /* characters on the line now */
    const char *what;    /* the file that is read, the method that runs */
    double begin, last;  /* the times of the begin and of the last write */
    double target;       /* the residual to reach */
    cli_mark base, next; /* the rate is measured from base on, about half of the time so far */
} cli_live;

/* Begins. Progress and iterations appear after 0.2 s; nothing appears if c is not live. */
void cli_live_begin(cli_live *live, const cli *c, const char *what);

/* A gsolve_progress: "reading A.mtx  [#####     ]  52 %  310 MB/s, about 2 s left". user: a
 * cli_live. */
void cli_live_read(int64_t done, int64_t total, void *user);

/* "cg  iteration 123  residual 1.20e-04  rate 0.931  end in 3.00 s  [12.0 s so far]". The rate is
 * the mean factor of the residual per iteration since base; the end is estimated from it. */
void cli_live_iteration(cli_live *live, int iteration, double residual);

/* Shows a text at once, for work that reports no progress. */
void cli_live_note(cli_live *live, const char *note);

void cli_live_erase(cli_live *live);

#endif
