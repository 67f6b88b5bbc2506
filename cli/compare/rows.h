/* rows.h: the rows of gsolve compare that are the same for solvers and for formats: one for each
 * matrix and combination. */
#ifndef GS_CLI_COMPARE_ROWS_H
#define GS_CLI_COMPARE_ROWS_H

#include <stdio.h>

#include <cjson/cJSON.h>

typedef struct cmp_flat { /* NAN and NULL: unknown */
    const char *name, *matrix, *solver, *precond, *format, *device, *outcome, *reason;
    double seconds, seconds_low, seconds_high, confidence, setup_seconds, solve_seconds;
    double iterations, memory, residual;
    const double *history; /* |r| / |b| of each iteration, from 0 on */
    int length, rounds;
} cmp_flat;

cJSON *cmp_json_flat(const cmp_flat *r);

/* The heads of the columns, and a row, of comma-separated values; both without a line feed. */
extern const char cmp_csv_flat_head[];
void cmp_csv_flat(FILE *file, const cmp_flat *r);

/* A field with text; ",value", or "," if it is not finite. */
void cmp_csv_text(FILE *file, const char *text);
void cmp_csv_number(FILE *file, double value);

#endif
