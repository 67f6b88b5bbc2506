/* options.h: one table for each command says what it takes; parsing, help and the man page follow. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

#define CLI_MOST_OPTIONS   32
#define CLI_MOST_ARGUMENTS 16
#define CLI_MOST_REPEATS   64

typedef struct cli_option {
    char letter;            /* or 0 */
    const char *name;       /* without the dashes */
    const char *argument;   /* how the help calls it; NULL: the option takes none */
    const char *help;
} cli_option;

typedef struct cli_command {
    const char *name, *usage, *summary; /* usage: what follows the name */
    const cli_option *option;           /* ends with a NULL name */
    int least, most;                    /* arguments beside the options */
    const char *details;                /* more paragraphs for the help, or NULL */
} cli_command;

typedef struct cli_arguments {
    const cli_command *command;
    const char *value[CLI_MOST_OPTIONS]; /* as option; "" for an option without argument; NULL: absent */
    const char *argument[CLI_MOST_ARGUMENTS];
    int count;
} cli_arguments;

/* Parses argv[1..argc), argv[0] being the command's name. Returns -1 to go on, else the exit code:
 * after --help, or after the sentence on what is wrong. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *a);

/* The value of the option of that name, or NULL. */
const char *cli_value(const cli_arguments *a, const char *name);

/* "gsolve: sentence" on stderr; returns 1. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

void cli_print_help(const cli_command *command);
void cli_print_man(const cli_command *const *commands);

extern const cli_command cli_solve, cli_info, cli_generate, cli_convert, cli_list, cli_compare;
int cli_run_solve(const cli_arguments *a);
int cli_run_info(const cli_arguments *a);
int cli_run_generate(const cli_arguments *a);
int cli_run_convert(const cli_arguments *a);
int cli_run_list(const cli_arguments *a);
int cli_run_compare(const cli_arguments *a);

#endif
