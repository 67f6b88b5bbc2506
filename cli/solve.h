/* solve.h: the result of a solve, for the reports. */
#ifndef GS_CLI_SOLVE_H
#define GS_CLI_SOLVE_H

#include "cli/cache_writer.h"
#include "cli/repeat.h"

typedef struct cli_seconds_of { /* where the time went; setup and solve are of all attempts */
    double build, precond, setup, solve, write;
} cli_seconds_of;

typedef struct cli_solution {
    cli_system system;
    gsolve_matrix *A;
    gsolve_matrix_info info;
    cli_attempt attempt[CLI_MOST_ATTEMPTS];
    int attempts, best; /* best: the attempt that computed x */
    char transform[64]; /* what --scale and --order did to the system; "" if nothing */
    double error;       /* |x - 1| / |1| where 1 is a solution, else NAN */
    cli_seconds_of seconds;
    gsolve_diagnosis diagnosis; /* of a solve that failed */
    cli_repeat repeat;
    cli_cache_writer cache;
} cli_solution;

/* Print a line before and after attempt k. */
void cli_report_choice(const cli *c, const cli_solution *s, int k);
void cli_report_attempt(const cli *c, const cli_solution *s, int k);

/* Prints the outcome, the times and the memory; with --plot also the curves. */
void cli_report(const cli *c, const cli_solution *s);

/* Write the result as JSON and as a page, and the history as comma-separated values. Return 0 or
 * CLI_ERROR. */
int cli_report_json(cli *c, const cli_solution *s);
int cli_report_history(cli *c, const cli_solution *s);

#endif
