/* help.c: --help and the man page, from the tables of commands.c. */
#include <string.h>

#include "cli/options.h"

enum { WIDTH = 80, HELP_COLUMN = 24 };

/* "-A, --matrix FILE" */
static void name_option(const cli_option *o, char name[80])
{
    snprintf(name, 80, "%c%c%s --%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
             o->letter ? "," : " ", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
}

static void help_option(FILE *file, const cli_option *o)
{
    char name[80];

    if (!o->name) {
        fprintf(file, "\n%s\n", o->help);
        return;
    }
    name_option(o, name);
    fprintf(file, "  %-*s", HELP_COLUMN - 2, name);
    if (strlen(name) > HELP_COLUMN - 4) fprintf(file, "\n%*s", HELP_COLUMN, "");
    cli_wrap(file, HELP_COLUMN, WIDTH, o->help);
}

/* Calls write for each paragraph of text. */
static void each_paragraph(FILE *file, const char *text, void (*write)(FILE *, const char *))
{
    char paragraph[1000];

    while (*text) {
        const size_t length = strcspn(text, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        write(file, paragraph);
        text += length + (text[length] == '\n');
    }
}

static void help_paragraph(FILE *file, const char *paragraph)
{
    fputc('\n', file);
    cli_wrap(file, 0, WIDTH, paragraph);
}

static void help_exit_codes(FILE *file)
{
    fprintf(file, "\nExit codes\n");
    for (const cli_pair *code = cli_exit_codes; code->name; code++) {
        fprintf(file, "  %-9s", code->name);
        cli_wrap(file, 11, WIDTH, code->meaning);
    }
}

void cli_command_help(FILE *file, const cli_command *command)
{
    fprintf(file, "gsolve %s: %s\n\nusage: %s\n", command->name, command->summary,
            command->synopsis);
    each_paragraph(file, command->description, help_paragraph);
    if (command->option->name) fprintf(file, "\nOptions\n");
    for (const cli_option *o = command->option; o->help; o++) help_option(file, o);
    if (command->run == cli_solve) {
        help_exit_codes(file);
    } else {
        fprintf(file, "\nExit code: 0 %s, 1 error%s\n",
                command->run == cli_compare ? "converged" : "success",
                command->run == cli_compare ? ", 2 a solve has not converged" : "");
    }
}

void cli_help(FILE *file)
{
    fprintf(file,
            "gsolve %s: solves sparse linear systems A x = b\n\n"
            "usage: gsolve -A FILE [-b FILE] [-x FILE] [options]\n"
            "       gsolve COMMAND ...\n\nExamples\n",
            gsolve_version());
    for (const cli_pair *e = cli_examples; e->name; e++) {
        fprintf(file, "  %s\n      %s\n", e->name, e->meaning);
    }
    fprintf(file, "\nCommands\n");
    for (const cli_command *c = cli_commands; c->name; c++) {
        fprintf(file, "  %-10s%s\n", c->name, c->summary);
    }
    help_exit_codes(file);
    fprintf(file, "\n");
    cli_wrap(file, 0, WIDTH,
             "gsolve COMMAND --help (or gsolve help COMMAND) shows all options of a command; "
             "gsolve solve --help shows those of a solve. gsolve list shows all methods (solvers), "
             "preconditioners, formats, generators and devices with their options, and the methods "
             "for the product of two sparse matrices.");
}

/* --- the man page -------------------------------------------------------------------------- */

/* Writes text with troff's escapes; it must begin a line. */
static void troff_text(FILE *file, const char *text)
{
    if (*text == '.' || *text == '\'') fprintf(file, "\\&");
    for (; *text; text++) {
        switch (*text) {
        case '-': fprintf(file, "\\-"); break;
        case '\\': fprintf(file, "\\e"); break;
        case '\'': fprintf(file, "\\(aq"); break;
        case '^': fprintf(file, "\\(ha"); break;
        case '~': fprintf(file, "\\(ti"); break;
        default: fputc(*text, file);
        }
    }
}

static void troff_line(FILE *file, const char *macro, const char *text)
{
    fprintf(file, "%s", macro);
    troff_text(file, text);
    fputc('\n', file);
}

static void man_paragraph(FILE *file, const char *paragraph)
{
    troff_line(file, ".PP\n", paragraph);
}

static void man_option(FILE *file, const cli_option *o)
{
    if (!o->name) return;
    fprintf(file, ".TP\n");
    if (o->letter) {
        fprintf(file, "\\fB\\-%c\\fR, ", o->letter);
    }
    fprintf(file, "\\fB\\-\\-");
    troff_text(file, o->name);
    fprintf(file, "\\fR");
    if (o->argument) {
        fprintf(file, " \\fI");
        troff_text(file, o->argument);
        fprintf(file, "\\fR");
    }
    troff_line(file, "\n", o->help);
}

static void man_command(FILE *file, const cli_command *command)
{
    fprintf(file, ".SS gsolve %s\n.B ", command->name);
    troff_line(file, "", command->synopsis);
    each_paragraph(file, command->description, man_paragraph);
    for (const cli_option *o = command->option; o->help; o++) man_option(file, o);
}

static void man_pair(FILE *file, const cli_pair *pair)
{
    fprintf(file, ".TP\n.B ");
    troff_text(file, pair->name);
    troff_line(file, "\n", pair->meaning);
}

static void man_pairs(FILE *file, const char *title, const cli_pair *pair)
{
    fprintf(file, ".SH %s\n", title);
    for (; pair->name; pair++) man_pair(file, pair);
}

/* Name, synopsis and description. */
static void man_head(FILE *file)
{
    fprintf(file,
            ".\\\" Made by gsolve --man from cli/commands.c; the build target man renews it.\n");
    fprintf(file, ".TH GSOLVE 1 \"\" \"gsolve %s\" \"User Commands\"\n", gsolve_version());
    fprintf(file, ".SH NAME\ngsolve \\- solve sparse linear systems A x = b\n.SH SYNOPSIS\n");
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (c > cli_commands) fprintf(file, ".br\n");
        troff_line(file, ".B ", c->synopsis);
    }
    fprintf(file, ".SH DESCRIPTION\n");
    troff_line(file, "",
               "gsolve solves systems of linear equations A x = b with a sparse matrix A on CPUs "
               "and NVIDIA GPUs. It has iterative methods with preconditioners, and a direct "
               "method that factors A. In the options below, SPEC is NAME or NAME,key=value,... "
               "and names a method, preconditioner, format or device. The command gsolve list "
               "shows all names and their options.");
    man_paragraph(
        file, "On a terminal, gsolve shows the progress of a running solve. Output to a pipe or a "
              "file contains no control characters.");
}

void cli_man(FILE *file)
{
    man_head(file);
    fprintf(file, ".SH COMMANDS\n");
    for (const cli_command *c = cli_commands; c->name; c++) man_command(file, c);
    fprintf(file, ".SH METHODS, FORMATS AND OTHER NAMES\n");
    cli_each_list(file, man_pair);
    man_pairs(file, "EXIT STATUS", cli_exit_codes);
    man_pairs(file, "ENVIRONMENT", cli_variables);
    man_pairs(file, "FILES", cli_files);
    man_pairs(file, "EXAMPLES", cli_examples);
    fprintf(file, ".SH SEE ALSO\n");
    troff_line(file, "",
               "gsolve_solve(3) and the other pages of the C interface, made by make man3.");
}
