/* cli.h: the parts that all commands share: arguments, session and output. */
#ifndef GS_CLI_CLI_H
#define GS_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "gsolve_io.h"

enum { CLI_CONVERGED = 0, CLI_ERROR = 1, CLI_NOT_CONVERGED = 2 }; /* exit codes */

enum { CLI_MOST_MATRICES = 64 };

typedef struct cli_many { /* the values of an option that may be given several times */
    const char *item[CLI_MOST_MATRICES];
    int count;
} cli_many;

/* The command line. NULL: not given; so is NAN for a tolerance and -1 for an int. */
typedef struct cli_arguments {
    const char *matrix, *rhs, *guess, *solution; /* -A, -b, --x0, -x */
    const char *null_space, *left_null_space, *setup;
    const char *device, *format, *formats, *solver, *precond;
    const char *solvers, *preconds; /* lists of specs */
    const char *json, *history, *output, *csv, *html;
    const char *partition, *ranks; /* of several ranks */
    const char *config;            /* --config */
    cli_many matrices;             /* of a command that takes several */
    double rtol, atol;
    double time_limit; /* seconds */
    int type;          /* a gsolve_type */
    int scale, order;  /* indices of their words; 0: none */
    int maxit, threads, seed, repeat, columns_count;
    bool plot, ascii;
    bool monitor, profile, columns, quiet, cache, symmetric, general, dense, help, version, force,
        print_c;
    int operands;
    char **operand;
} cli_arguments;

extern const cli_arguments cli_no_arguments; /* nothing is given */

typedef struct cli { /* one call of the command */
    const struct cli_command *command;
    cli_arguments args;
    char **word; /* of the command line; getopt may have moved operands to its end */
    int count;   /* of them */
    gsolve_context *ctx;
    bool undecided; /* the device will be chosen when the size of the system is known */
    struct cli_starting *starting; /* the start of a GPU while the matrix is read, or NULL */
    bool small;                    /* the CPU was chosen because the system is small */
    int ranks;                     /* processes that mpirun has started for one system; 0: none */
    bool variable;                 /* the preconditioner of the arguments needs a flexible method */
    FILE *text;                    /* the file for human text, or NULL */
    bool live;                     /* text goes to a terminal, so that a line may be rewritten */
    int width;                     /* the column at which text is wrapped; 0: it is not wrapped */
    double begin;                  /* seconds, as by cli_now */
    bool stopped;                  /* Ctrl-C or the time limit ended the work */
    bool silent;                   /* errors are recorded and not printed */
    char *config;     /* the text of --config, which the arguments point into, or NULL; owned */
    char error[1200]; /* the first error's sentence, or "" */
} cli;

/* --- text and errors ------------------------------------------------------------------------ */

/* printf to c->text, if there is one. */
__attribute__((format(printf, 2, 3))) void cli_say(const cli *c, const char *format, ...);

/* "label     text", the text wrapped behind the label. */
__attribute__((format(printf, 3, 4))) void cli_item(const cli *c, const char *label,
                                                    const char *format, ...);

/* Writes text from column indent on in lines of at most width characters (0: one line), and a
 * newline. */
void cli_wrap(FILE *file, int indent, int width, const char *text);

/* "gsolve: sentence" on stderr; recorded if it is the first. Returns CLI_ERROR. */
__attribute__((format(printf, 2, 3))) int cli_fail(cli *c, const char *format, ...);

/* cli_fail with the last error message of the library. If the library was interrupted, the sentence
 * says what the command did then, and c->stopped is set. */
int cli_fail_library(cli *c);

/* "3.2 MB", "12 ms", "1e-08", "1 row" or "2 rows"; used as cli_bytes(...).text. */
typedef struct cli_words {
    char text[48];
} cli_words;
cli_words cli_bytes(double bytes);
cli_words cli_seconds(double seconds);
cli_words cli_number(double number); /* the shortest text that reads back as number: 1e+08 */
cli_words cli_count(int64_t count, const char *noun);

double cli_now(void); /* seconds of a clock that only goes forward */

/* Whether spec names name, with or without options. */
bool cli_spec_is(const char *spec, const char *name);

/* --- output files ---------------------------------------------------------------------------- */

/* Checks, before the work begins, that every output file can be written and is not an input file,
 * and that standard input is one input and standard output one output at most. Returns 0 or
 * CLI_ERROR. */
int cli_check_files(cli *c);

/* Whether an output goes to standard output, so that text cannot. */
bool cli_uses_stdout(const cli *c);

/* Whether the file of --json passes these checks; prints no error. */
bool cli_json_fits(const cli *c);

/* Writes text to the file path, which appears complete or not at all; to a pipe or a device, in
 * place. "-": standard output. Returns 0 or CLI_ERROR. */
int cli_write_text(cli *c, const char *path, const char *text);

/* --- the commands ---------------------------------------------------------------------------- */

int cli_solve(cli *c);
int cli_info(cli *c);
int cli_compare(cli *c);
int cli_generate(cli *c);
int cli_convert(cli *c);
int cli_list(cli *c);

#endif
