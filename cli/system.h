/* system.h: the system to solve: matrix, statistics, b and the initial guess. */
#ifndef GS_CLI_SYSTEM_H
#define GS_CLI_SYSTEM_H

#include "cli/cli.h"
#include "cli/rows.h"

typedef struct cli_system {
    const char *name; /* of the matrix: a file, or gen:... */
    gsolve_csr csr;   /* owned by the library; empty once a matrix handle owns it */
    gsolve_source source;
    gsolve_inspection inspection; /* of csr as it was read; not clean: unknown */
    gsolve_statistics statistics;
    int64_t nrows, ncols, entries;
    gsolve_dense b, x;            /* owned; x holds the first guess */
    gsolve_dense null, left_null; /* vectors of the null spaces, owned, or none */
    bool cache_read_only;         /* a thread writes the cache, see cache_writer.h */
    bool zero_b;                  /* b is A*ones and that is 0 */
    double read_seconds, analyse_seconds;
} cli_system;

/* c->ctx = a context on the device of the arguments. Returns 0 or CLI_ERROR, as do the others. */
int cli_open(cli *c);

/* Refuses more threads in the arguments, or in the spec of the device, than there are processors,
 * unless --force is given. In threads.c. */
int cli_check_threads(cli *c, const char *device);

/* c->ctx for a solve: on the device of the arguments; if they leave it open, or name just
 * "cuda", on the CPU until cli_decide_device chooses. */
int cli_open_undecided(cli *c);

/* Starts the GPU in the background if the device is open and the system will need it. */
void cli_start_device(cli *c);

/* Keeps the CPU for a system that it solves before a GPU would have started; otherwise uses the
 * device "auto". */
int cli_decide_device(cli *c, const cli_system *s);

/* c->ctx = a context on the CPU. */
int cli_open_host(cli *c);

/* Whether the user named a device, as an argument or in the environment. */
bool cli_names_device(const cli *c);

/* The device in words, and the reason if the CPU was chosen for a small system. */
const char *cli_device_words(const cli *c, char words[400]);

/* Prints the line of the device: its name, and cli_device_words. */
void cli_say_device(const cli *c);

/* Whether name is that of a generator, without gen: and with or without options. */
bool cli_is_generator(const char *name);

/* Reads the matrix `name`, and prints a line about it. */
int cli_read_matrix(cli *c, const char *name, cli_system *s);

/* Prints the line about the matrix and how it was read. */
void cli_say_read(const cli *c, const cli_system *s);

/* Refuses a -b that begins with random and is neither random nor random,k=N. */
int cli_check_rhs(cli *c);

/* Whether -b is the name of a file. */
bool cli_rhs_is_file(const cli *c);

/* Reads b, the first guess and the null spaces if they are files. */
int cli_read_vectors(cli *c, cli_system *s);

/* Sets s->statistics and s->inspection, which the cache may know. */
int cli_inspect(cli *c, cli_system *s);

/* cli_inspect, and converts s->csr to the type of the arguments. */
int cli_analyse(cli *c, cli_system *s);

/* Generates b and sets x = 0, unless they were read. rows: of A, or those of this rank; b and x
 * then are their elements. */
int cli_make_vectors(cli *c, cli_system *s, const cli_rows *rows);

/* The meaning of -b in words. s: with b. */
const char *cli_rhs_words(const cli *c, const cli_system *s);

/* Whether b = A*ones, so that x = 1 solves the system. */
bool cli_ones_solve(const cli *c);

void cli_close_system(cli *c, cli_system *s);

/* "symmetric", "skew-symmetric", "not symmetric", ... */
const char *cli_symmetry_words(const gsolve_statistics *t);

/* v = n rows and ncols columns of zeros, owned. */
int cli_new_dense(cli *c, gsolve_dense *v, int32_t nrows, int32_t ncols);

#endif
