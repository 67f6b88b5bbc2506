/* backend.h: what a comparison does differently in one process and over the ranks of gsolve-mpi.
 * Over ranks, all call the same functions in the same order, and what they return is the same on
 * all ranks. */
#ifndef GS_CLI_COMPARE_BACKEND_H
#define GS_CLI_COMPARE_BACKEND_H

#include <cjson/cJSON.h>

#include "cli/system.h"

typedef struct cmp cmp; /* one call of the command, in compare.h */

typedef struct cmp_backend {
    /* Makes an error that one rank has met one of all ranks. agree, open and read return 0 or
     * CLI_ERROR. */
    int (*agree)(cmp *m, int code);
    gsolve_status (*agree_status)(const cmp *m, gsolve_status status);

    /* c->ctx = a context on the device of the arguments. */
    int (*open)(cmp *m);

    /* Reads the matrix `name`, analyses it, makes b and x = 0, and prints lines about them. */
    int (*read)(cmp *m, const char *name, cli_system *s);
    void (*close)(cmp *m, cli_system *s);

    /* The rows of s that this process has. */
    cli_rows (*rows)(const cmp *m, const cli_system *s);

    /* *A = s's matrix in a format, in c->ctx. *begin, unless NULL: the time after a copy of the
     * rows, which is not part of the build. */
    gsolve_status (*build)(const cmp *m, const cli_system *s, const char *format, gsolve_matrix **A,
                           double *begin);

    /* *M = a preconditioner for s's matrix, in c->ctx. A: that matrix in c->ctx, or NULL. */
    gsolve_status (*precond)(const cmp *m, const cli_system *s, const char *spec,
                             const gsolve_matrix *A, gsolve_precond **M);

    /* r = b - A x in double precision. All have contiguous columns on the host. */
    gsolve_status (*residual)(const cmp *m, const cli_system *s, gsolve_dense x, gsolve_dense r);

    /* Waits for the other ranks. */
    void (*wait)(const cmp *m);

    /* Replaces each number by the largest one, or by the sum, of all ranks. */
    void (*largest)(const cmp *m, double *number, int count);
    void (*sum)(const cmp *m, long double *number, int count);

    /* Replaces the bytes by those of rank 0. */
    void (*share)(const cmp *m, char *bytes, int count);

    /* Adds what the page shows of each rank. */
    void (*add_parts)(const cmp *m, cJSON *page);
} cmp_backend;

extern const cmp_backend cmp_one_process;

#endif
