/* options.c: see options.h. */
#include "cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gsolve.h"

int cli_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("gsolve: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 1;
}

/* --- help and man page -------------------------------------------------------------------------- */

static void option_text(const cli_option *o, char text[80])
{
    snprintf(text, 80, "%s%c%s--%s%s%s", o->letter ? "-" : "  ", o->letter ? o->letter : ' ',
             o->letter ? ", " : " ", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
}

void cli_print_help(const cli_command *c)
{
    printf("gsolve%s%s %s\n\n%s\n\nOptions\n", c->name[0] ? " " : "", c->name, c->usage, c->summary);
    for (const cli_option *o = c->option; o->name; o++) {
        char text[80];
        option_text(o, text);
        printf("  %-26s %s\n", text, o->help);
    }
    if (c->details) printf("\n%s", c->details);
}

/* A backslash before the dashes, so that they stay dashes. */
static void print_troff(const char *text)
{
    bool start = true;

    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else {
            putchar(*text);
        }
        start = *text == '\n';
    }
}

void cli_print_man(const cli_command *const *commands)
{
    printf(".TH GSOLVE 1 \"\" \"gsolve %s\" \"User Commands\"\n.SH NAME\ngsolve \\- solve sparse linear "
           "systems iteratively\n.SH SYNOPSIS\n",
           GSOLVE_VERSION);
    for (int k = 0; commands[k]; k++) {
        printf("%s.B gsolve %s\n", k ? ".br\n" : "", commands[k]->name);
        print_troff(commands[k]->usage);
        putchar('\n');
    }
    for (int k = 0; commands[k]; k++) {
        const cli_command *c = commands[k];
        printf(".SH GSOLVE %s\n", c->name[0] ? c->name : "(SOLVE)");
        print_troff(c->summary);
        putchar('\n');
        for (const cli_option *o = c->option; o->name; o++) {
            char text[80];
            option_text(o, text);
            printf(".TP\n.B ");
            print_troff(text + strspn(text, " "));
            putchar('\n');
            print_troff(o->help);
            putchar('\n');
        }
        if (!c->details) continue;
        printf(".PP\n.nf\n");
        print_troff(c->details);
        printf(".fi\n");
    }
    printf(".SH EXIT STATUS\n0 converged, or done; 1 an error; 2 not converged.\n");
}

/* --- parsing -------------------------------------------------------------------------------------- */

/* Edit distance, of words below 40 letters. */
static int distance(const char *a, const char *b)
{
    int row[41];
    const int n = (int)strlen(b);

    if (n > 40 || strlen(a) > 40) return 100;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < shorter ? change : shorter;
        }
    }
    return row[n];
}

static int unknown_option(const cli_command *c, const char *given)
{
    const cli_option *nearest = NULL;
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(given + strspn(given, "-"), "="),
             given + strspn(given, "-"));
    for (const cli_option *o = c->option; o->name; o++) {
        if (!nearest || distance(word, o->name) < distance(word, nearest->name)) nearest = o;
    }
    if (nearest && distance(word, nearest->name) <= 3) {
        return cli_fail("there is no option '%s'; did you mean --%s?", given, nearest->name);
    }
    return cli_fail("there is no option '%s'; see gsolve %s%s--help", given, c->name,
                    c->name[0] ? " " : "");
}

/* getopt_long's tables from ours. */
static void fill_tables(const cli_command *c, struct option *longs, char *shorts)
{
    *shorts++ = ':';
    for (int k = 0; c->option[k].name; k++) {
        const cli_option *o = &c->option[k];
        const struct option entry = {o->name, o->argument ? required_argument : no_argument, NULL,
                                     256 + k};
        longs[k] = entry;
        if (o->letter) *shorts++ = o->letter;
        if (o->letter && o->argument) *shorts++ = ':';
    }
    *shorts = 0;
}

static int option_index(const cli_command *c, int code)
{
    if (code >= 256) return code - 256;
    for (int k = 0; c->option[k].name; k++) {
        if (c->option[k].letter == code) return k;
    }
    return -1;
}

int cli_parse(const cli_command *c, int argc, char **argv, cli_arguments *a)
{
    struct option longs[CLI_MOST_OPTIONS + 1] = {{0}};
    char shorts[2 * CLI_MOST_OPTIONS + 2];
    int code;

    memset(a, 0, sizeof *a);
    a->command = c;
    fill_tables(c, longs, shorts);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const int k = option_index(c, code);
        if (code == ':') return cli_fail("the option '%s' lacks its value", argv[optind - 1]);
        if (code == '?' || k < 0) return unknown_option(c, argv[optind - 1]);
        if (strcmp(c->option[k].name, "help") == 0) return cli_print_help(c), 0;
        if (a->value[k] && c->option[k].argument) {
            return cli_fail("the option --%s is given twice", c->option[k].name);
        }
        a->value[k] = c->option[k].argument ? optarg : "";
    }
    for (; optind < argc; optind++) {
        if (a->count == c->most || a->count == CLI_MOST_ARGUMENTS) {
            return cli_fail("'%s' is one argument too many; usage: gsolve %s %s", argv[optind],
                            c->name, c->usage);
        }
        a->argument[a->count++] = argv[optind];
    }
    if (a->count < c->least) {
        return cli_fail("an argument is missing; usage: gsolve %s %s", c->name, c->usage);
    }
    return -1;
}

const char *cli_value(const cli_arguments *a, const char *name)
{
    for (int k = 0; a->command->option[k].name; k++) {
        if (strcmp(a->command->option[k].name, name) == 0) return a->value[k];
    }
    return NULL;
}
