/* system.h: the system to solve: matrix, statistics, b and the initial guess. */
#ifndef GS_CLI_SYSTEM_H
#define GS_CLI_SYSTEM_H

#include "cli/cli.h"

typedef struct cli_system {
    const char *name; /* of the matrix: a file, or gen:... */
    gsolve_csr csr;   /* owned by the library; cleared when a matrix has taken it */
    gsolve_source source;
    gsolve_statistics traits;
    int32_t nrows, ncols;
    int64_t entries;
    gsolve_dense b, x; /* owned; x holds the first guess */
    bool zero_b;       /* b is A*ones and that is 0 */
    double read_seconds, examine_seconds;
} cli_system;

/* c->ctx = a context as the arguments say. Returns 0 or CLI_ERROR, as do the others. */
int cli_open(cli *c);

/* The same for a solve, which leaves it to cli_decide_device where the arguments leave it open. */
int cli_open_undecided(cli *c);

/* The CPU for what it has done before a GPU has started, else what "auto" says. */
int cli_decide_device(cli *c, const cli_system *s);

/* The CPU, for what is done there whatever the device. */
int cli_open_host(cli *c);

/* Whether the user named a device, as an argument or in the environment. */
bool cli_names_device(const cli *c);

/* The device in words, and why it is that. */
const char *cli_device_words(const cli *c, char words[400]);

/* Reads the matrix called name, and says what it is. */
int cli_read_matrix(cli *c, const char *name, cli_system *s);

/* Reads b and the first guess where they are files. */
int cli_read_vectors(cli *c, cli_system *s);

/* s->traits, and s->csr in the type that the arguments ask for. */
int cli_examine(cli *c, cli_system *s);

/* Makes what was not read: b from A's rows, x = 0. */
int cli_make_vectors(cli *c, cli_system *s, const gsolve_csr *rows);

/* What -b stands for, in words. */
const char *cli_rhs_words(const cli *c, const cli_system *s);

/* Whether b was made so that x = 1 solves the system. */
bool cli_ones_solve(const cli *c);

void cli_close_system(cli *c, cli_system *s);

/* "symmetric", "skew-symmetric", "not symmetric", ... */
const char *cli_symmetry_words(const gsolve_statistics *t);

/* v = n rows and ncols columns of zeros, owned. */
int cli_new_dense(cli *c, gsolve_dense *v, int32_t nrows, int32_t ncols);

#endif
