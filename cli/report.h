/* report.h: what gsolve says of a solve, as text and as JSON. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/common.h"

#define REPORT_ATTEMPTS 8

typedef struct attempt {
    char solver[300], precond[300], why[256]; /* specs */
    char method[64], explanation[1300];
    gsolve_precond_info info;
    gsolve_result result;
    double setup_seconds, solve_seconds;
    bool ran; /* else the set-up failed, and the explanation says why */
} attempt;

typedef struct report {
    const char *name, *rhs, *written; /* of the matrix; of b; where x was written, or NULL */
    gsolve_source source;
    const gsolve_traits *traits;
    gsolve_matrix_info matrix;
    gsolve_context_info context;
    int columns, attempts;
    attempt attempt[REPORT_ATTEMPTS];
    const attempt *best; /* the one that x is of, or NULL */
    const double *history;
    int history_count;
    struct {
        double read, check, build, total;
    } seconds;
} report;

void report_matrix(const report *r);
void report_attempt(const attempt *t, int number);
void report_end_of_attempt(const attempt *t);
void report_print(const report *r);
cJSON *report_json(const report *r);

#endif
