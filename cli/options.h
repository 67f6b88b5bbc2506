/* options.h: the table of each command's options. It drives getopt_long, --help and the man page.
 */
#ifndef GS_CLI_OPTIONS_H
#define GS_CLI_OPTIONS_H

#include "cli/cli.h"

typedef enum cli_kind {
    CLI_FLAG,  /* a bool */
    CLI_TEXT,  /* a const char * */
    CLI_MANY,  /* a cli_many: may be given several times */
    CLI_WHOLE, /* an int from least to most */
    CLI_REAL,  /* a double from least to most */
    CLI_WORD   /* an int: which of the words in argument, "f32|f64" */
} cli_kind;

typedef struct cli_option { /* without a name: a heading; without help: the end of the table */
    const char *name;
    char letter;          /* or 0 */
    const char *argument; /* its name in the help, or NULL */
    const char *help;
    cli_kind kind;
    size_t offset; /* in cli_arguments */
    double least, most;
} cli_option;

typedef struct cli_command {
    const char *name, *synopsis, *summary;
    const char *description; /* paragraphs, separated by newlines */
    const cli_option *option;
    int most_operands;
    bool operand_is_matrix; /* may stand for -A */
    int (*run)(cli *c);
} cli_command;

typedef struct cli_pair { /* a name and what it means */
    const char *name, *meaning;
} cli_pair;

extern const cli_command cli_commands[]; /* solve first; ends with a NULL name */
/* Each ends with a NULL name. */
extern const cli_pair cli_examples[];   /* a command line and what it does */
extern const cli_pair cli_exit_codes[]; /* "0" */
extern const cli_pair cli_variables[];  /* environment variables */
extern const cli_pair cli_files[];      /* files and folders */

/* The command of that name, or NULL. */
const cli_command *cli_find_command(const char *name);

/* The name nearest to word, or NULL if none is near. next(user, k) returns the names for k = 0, 1,
 * ... and NULL after the last one. */
const char *cli_nearest(const char *word, const char *(*next)(const void *user, int k),
                        const void *user);

/* c->args = the arguments in argv[1 .. argc - 1] alone. Returns 0 or CLI_ERROR. */
int cli_parse_words(cli *c, int argc, char **argv);

/* c->args = the arguments in argv[1 .. argc - 1], and those of the file of --config that argv does
 * not set. Returns 0 or CLI_ERROR. In config.c. */
int cli_parse(cli *c, int argc, char **argv);

/* Sets the option o of c->args to text; a flag to true if text is NULL. where: "" or the beginning
 * of error sentences, such as "options.txt:3: ". Returns 0 or CLI_ERROR. */
int cli_set_option(cli *c, const cli_option *o, const char *text, const char *where);

/* Option k of the command, from 0, or NULL; its name, for cli_nearest. */
const cli_option *cli_option_at(const cli_command *command, int k);
const char *cli_option_name(const void *command, int k);

/* Calls write for each list of gsolve list with its title and its names, which are the same for
 * every build. */
void cli_each_list(FILE *file, void (*write)(FILE *, const cli_pair *));

void cli_help(FILE *file);                                     /* gsolve --help */
void cli_command_help(FILE *file, const cli_command *command); /* gsolve COMMAND --help */
void cli_man(FILE *file);                                      /* the man page, gsolve.1 */

#endif
