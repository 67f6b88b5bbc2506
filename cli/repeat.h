/* repeat.h: gsolve solve --repeat N: solves again, and statistics of the times. */
#ifndef GS_CLI_REPEAT_H
#define GS_CLI_REPEAT_H

#include <cjson/cJSON.h>

#include "cli/attempt.h"

typedef struct cli_times { /* seconds of a part of the solves */
    double least, median, largest;
} cli_times;

typedef struct cli_repeat {
    int solves;                   /* all solves, the first one included; 0: without --repeat */
    int successes;                /* those that converged or reached a least-squares solution */
    cli_times setup, solve, both; /* set-up of preconditioner and method; iterations; their sum */
    double seconds;               /* of all solves but the first one, which is reported as usual */
} cli_repeat;

/* Solves t's system --repeat times less one, each time from the guess x0 and with all set-ups, and
 * sets *r, also from the first solve, which is that of t. t->x stays. Ctrl-C ends it early. Returns
 * 0 or CLI_ERROR. */
int cli_solve_again(cli *c, cli_repeat *r, const cli_trial *t, gsolve_dense x0,
                    const gsolve_statistics *statistics);

void cli_say_repeat(const cli *c, const cli_repeat *r);
void cli_repeat_json(cJSON *object, const cli_repeat *r); /* adds "repeat", or nothing */

#endif
