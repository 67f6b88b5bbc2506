/* options.c: parses the command line by the option table of the command. */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64, LONG = 256 }; /* LONG + k: getopt_long met the k-th option in full */

const cli_command *cli_find_command(const char *name)
{
    for (const cli_command *command = cli_commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) return command;
    }
    return NULL;
}

/* --- the nearest name ---------------------------------------------------------------------- */

/* The number of letters to insert, delete, replace or swap with the next one that change a into b
 * (optimal string alignment); only the first 31 letters of each are compared. */
static int distance(const char *a, const char *b)
{
    enum { MOST = 32 };
    int d[MOST][MOST];
    const int m = (int)strnlen(a, MOST - 1), n = (int)strnlen(b, MOST - 1);

    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < d[i][j]) d[i][j] = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < d[i][j]) d[i][j] = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < d[i][j]) {
                d[i][j] = d[i - 2][j - 2] + 1;
            }
        }
    }
    return d[m][n];
}

const char *cli_nearest(const char *word, const char *(*next)(const void *user, int k),
                        const void *user)
{
    const char *name, *nearest = NULL;
    int least = 1 + ((int)strlen(word) + 2) / 3; /* names at this distance or more are not near */

    for (int k = 0; (name = next(user, k)); k++) {
        const bool starts = strncmp(name, word, strlen(word)) == 0;
        const int far = starts ? 0 : distance(word, name);
        if (far < least) {
            least = far;
            nearest = name;
        }
    }
    return nearest;
}

const cli_option *cli_option_at(const cli_command *command, int k)
{
    for (const cli_option *o = command->option; o->help; o++) {
        if (o->name && k-- == 0) return o;
    }
    return NULL;
}

const char *cli_option_name(const void *command, int k)
{
    const cli_option *o = cli_option_at(command, k);
    return o ? o->name : NULL;
}

/* --- values -------------------------------------------------------------------------------- */

/* The index of text among the words "a|b|c", or -1. */
static int word_index(const char *words, const char *text)
{
    for (int k = 0; *words; k++) {
        const size_t length = strcspn(words, "|");
        if (strlen(text) == length && strncmp(words, text, length) == 0) return k;
        words += length + (words[length] == '|');
    }
    return -1;
}

static bool parse_number(const cli_option *o, const char *text, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= o->least && *value <= o->most)) return false;
    return o->kind == CLI_REAL || *value == rint(*value);
}

static int add_text(cli *c, const cli_option *o, cli_many *many, const char *text)
{
    if (many->count == CLI_MOST_MATRICES) {
        return cli_fail(c, "--%s is given more than %d times", o->name, CLI_MOST_MATRICES);
    }
    many->item[many->count++] = text;
    return 0;
}

int cli_set_option(cli *c, const cli_option *o, const char *text, const char *where)
{
    char *at = (char *)&c->args + o->offset;
    const int word = o->kind == CLI_WORD ? word_index(o->argument, text) : 0;
    double value = 0;

    if (text && !*text)
        return cli_fail(c, "%s--%s needs %s, not an empty word", where, o->name, o->argument);
    if (word < 0) {
        return cli_fail(c, "%s--%s takes one of %s, not '%s'", where, o->name, o->argument, text);
    }
    if ((o->kind == CLI_WHOLE || o->kind == CLI_REAL) && !parse_number(o, text, &value)) {
        return cli_fail(c, "%s--%s takes a %snumber from %.10g to %.10g, not '%s'", where, o->name,
                        o->kind == CLI_WHOLE ? "whole " : "", o->least, o->most, text);
    }
    if (o->offset == offsetof(cli_arguments, matrix) && c->args.matrix) {
        return cli_fail(c, "%stwo matrices are given, '%s' and '%s'; give one", where,
                        c->args.matrix, text);
    }
    switch (o->kind) {
    case CLI_FLAG: *(bool *)(void *)at = true; break;
    case CLI_TEXT: *(const char **)(void *)at = text; break;
    case CLI_MANY: return add_text(c, o, (cli_many *)(void *)at, text);
    case CLI_WHOLE: *(int *)(void *)at = (int)value; break;
    case CLI_REAL: *(double *)(void *)at = value; break;
    case CLI_WORD: *(int *)(void *)at = word; break;
    }
    return 0;
}

/* --- options that getopt_long refuses -------------------------------------------------------- */

static int refuse_long(cli *c, const char *given)
{
    char word[64];
    const char *nearest;
    int starts = 0, k = 0;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    for (const cli_option *o; (o = cli_option_at(c->command, k)); k++) {
        starts += strncmp(o->name, word, strlen(word)) == 0;
    }
    nearest = cli_nearest(word, cli_option_name, c->command);
    if (starts > 1) {
        return cli_fail(
            c, "'--%s' is an abbreviation of several options, such as '--%s'; write more letters",
            word, nearest);
    }
    if (nearest) {
        return cli_fail(c, "there is no option '--%s'; did you mean '--%s'?", word, nearest);
    }
    return cli_fail(c, "there is no option '--%s'; gsolve %s --help shows all options", word,
                    c->command->name);
}

/* A word such as "-solver" arrives here as the letter s. */
static int refuse_letter(cli *c, int letter, char **argv, int at)
{
    for (int k = at - 1; k <= at && k > 0 && argv[k]; k++) {
        const char *word = argv[k];
        const cli_option *o;
        if (word[0] != '-' || word[1] == '-' || strlen(word) < 3) continue;
        for (int i = 0; (o = cli_option_at(c->command, i)); i++) {
            if (strcmp(o->name, word + 1) == 0) {
                return cli_fail(c, "there is no option '%s'; did you mean '-%s'?", word, word);
            }
        }
    }
    return cli_fail(c, "there is no option '-%c'; gsolve %s --help shows all options", letter,
                    c->command->name);
}

static bool takes_stdout(const char *name)
{
    static const char *const list[] = {"json", "csv", "html", "history", "solution", "output"};
    bool takes = false;

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) takes |= strcmp(name, list[k]) == 0;
    return takes;
}

/* more: what follows the sentence, or "". */
static int refuse_missing(cli *c, const cli_option *o, const char *more)
{
    if (takes_stdout(o->name)) {
        return cli_fail(c, "--%s needs a file name, or - for standard output%s", o->name, more);
    }
    return cli_fail(c, "--%s needs an argument: %s%s", o->name, o->argument, more);
}

/* Whether text, the word after an option, is another option: it begins with '-' and is neither "-"
 * nor a number for an option that takes one. */
static bool is_option(const cli_option *o, const char *text)
{
    char *end = NULL;

    if (text[0] != '-' || !text[1]) return false;
    if (o->kind == CLI_WHOLE || o->kind == CLI_REAL) strtod(text, &end);
    return !end || end == text || *end;
}

/* The word that getopt_long found for option o, in argv[optind - 1] or in a part of it. */
static int store(cli *c, const cli_option *o, char **argv)
{
    char more[256];

    if (o->kind == CLI_FLAG || argv[optind - 1] != optarg || !is_option(o, optarg)) {
        return cli_set_option(c, o, optarg, "");
    }
    snprintf(more, sizeof more,
             "; '%.60s' looks like an option: write --%s=%.60s if it is the argument", optarg,
             o->name, optarg);
    return refuse_missing(c, o, more);
}

static int refuse(cli *c, int found, char **argv)
{
    const cli_option *o = NULL;

    for (int k = 0; (o = cli_option_at(c->command, k)); k++) {
        if (optopt && (optopt == LONG + k || optopt == o->letter)) break;
    }
    if (found == ':' && o) return refuse_missing(c, o, "");
    if (o) return cli_fail(c, "--%s takes no argument", o->name);
    if (optopt) return refuse_letter(c, optopt, argv, optind);
    return refuse_long(c, argv[optind - 1] + 2);
}

/* --- the command line ---------------------------------------------------------------------- */

static int check_operands(cli *c)
{
    const cli_command *command = c->command;
    const int count = c->args.operands;
    char **operand = c->args.operand;

    if (count > command->most_operands && strcmp(command->name, "list") == 0) {
        return cli_fail(
            c, "unexpected argument '%s': gsolve list shows whole lists, such as gsolve list %s",
            operand[1], operand[0]);
    }
    if (count > command->most_operands) {
        return cli_fail(c, "unexpected argument '%s'; usage: %s", operand[command->most_operands],
                        command->synopsis);
    }
    if (!command->operand_is_matrix || count == 0) return 0;
    if (c->args.matrix) {
        return cli_fail(c, "two matrices are given, '%s' and '%s'; give one", c->args.matrix,
                        operand[0]);
    }
    c->args.matrix = operand[0];
    return 0;
}

int cli_parse_words(cli *c, int argc, char **argv)
{
    struct option longs[MOST_OPTIONS + 1] = {0};
    char shorts[2 * MOST_OPTIONS + 2] = ":";
    const cli_option *o;
    int code = 0, found;

    for (int k = 0; k < MOST_OPTIONS && (o = cli_option_at(c->command, k)); k++) {
        const int takes = o->kind == CLI_FLAG ? no_argument : required_argument;
        const char letter[] = {o->letter, takes == required_argument ? ':' : 0, 0};
        longs[k] = (struct option){o->name, takes, NULL, LONG + k};
        if (o->letter) strcat(shorts, letter);
    }
    optind = 0; /* with the GNU library this restarts the scan */
    opterr = 0;
    while ((found = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        int k = 0;
        while ((o = cli_option_at(c->command, k)) && found != LONG + k && found != o->letter) k++;
        if (found == '?' || found == ':') {
            if (!code) code = refuse(c, found, argv);
        } else if (!code) {
            code = store(c, o, argv);
        } else if (o->kind == CLI_TEXT &&
                   *optarg) { /* the error may go to the file of --json, if */
            *(const char **)(void *)((char *)&c->args + o->offset) = optarg; /* no other one */
        }
    }
    c->args.operands = argc - optind;
    c->args.operand = argv + optind;
    return code ? code : check_operands(c);
}
