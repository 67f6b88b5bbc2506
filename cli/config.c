/* config.c: options from the file of --config. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/streams.h"

enum { MOST_BYTES = 1 << 20, MOST_WHERE = 512 };

const cli_arguments cli_no_arguments = {.rtol = NAN,
                                        .atol = NAN,
                                        .time_limit = NAN,
                                        .type = GSOLVE_F64,
                                        .maxit = -1,
                                        .threads = -1,
                                        .seed = -1,
                                        .repeat = -1,
                                        .columns_count = -1};

/* --- the text of the file --------------------------------------------------------------------- */

/* Returns the number of bytes read, or -1 with errno. */
static ssize_t read_bytes(int file, char *to, size_t most)
{
    size_t bytes = 0;

    while (bytes < most) {
        const ssize_t got = read(file, to + bytes, most - bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        bytes += (size_t)got;
    }
    return (ssize_t)bytes;
}

/* c->config = the text of the file. */
static int read_text(cli *c, const char *path)
{
    const int number = gsolve_descriptor_of(path, STDIN_FILENO);
    const int file = number < 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
                                : fcntl(number, F_DUPFD_CLOEXEC, 0);
    const char *name = cli_input_words(path);
    ssize_t bytes;
    int error;

    if (file < 0) return cli_fail(c, "--config %s: %s", name, strerror(errno));
    c->config = malloc(MOST_BYTES + 1);
    bytes = c->config ? read_bytes(file, c->config, MOST_BYTES) : -1;
    error = errno;
    close(file);
    if (!c->config) return cli_fail(c, "out of memory");
    if (bytes < 0) return cli_fail(c, "--config %s: %s", name, strerror(error));
    if (bytes == MOST_BYTES || memchr(c->config, 0, (size_t)bytes)) {
        return cli_fail(c, "--config %s: it is not a file of options, one a line", name);
    }
    c->config[bytes] = 0;
    return 0;
}

/* --- its lines -------------------------------------------------------------------------------- */

static bool is_blank(char letter)
{
    return isspace((unsigned char)letter);
}

/* Ends the line before its comment, a # at the beginning or after a blank, and before trailing
 * blanks. Returns its first character that is not blank. */
static char *trim(char *line)
{
    char *end = line + strlen(line);

    for (char *p = line; *p; p++) {
        if (*p == '#' && (p == line || is_blank(p[-1]))) end = p;
        if (end == p) break;
    }
    while (end > line && is_blank(end[-1])) end--;
    *end = 0;
    while (is_blank(*line)) line++;
    return line;
}

/* Splits "name value" or "name = value"; the value is NULL if there is none. */
static char *split(char *line)
{
    char *value = line + strcspn(line, "= \t");
    const char *end = value;

    while (is_blank(*value)) value++;
    if (*value == '=') value++;
    while (is_blank(*value)) value++;
    if (!*end) return NULL;
    line[end - line] = 0;
    return value;
}

/* 1 for a word such as "yes" and for NULL, 0 for one such as "no", -1 for another one. */
static int flag_value(const char *text)
{
    static const char *const word[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};

    if (!text) return 1;
    for (int k = 0; k < 8; k++) {
        if (strcmp(text, word[k]) == 0) return k % 2;
    }
    return -1;
}

static int set_flag(cli *c, const cli_option *o, const char *text, const char *where)
{
    const int value = flag_value(text);

    if (value == 1) return cli_set_option(c, o, NULL, where);
    return value == 0 ? 0 : cli_fail(c, "%s%s takes yes or no, not '%s'", where, o->name, text);
}

static int set_line(cli *c, char *line, const char *where)
{
    char *text = split(line), *name = strncmp(line, "--", 2) == 0 ? line + 2 : line;
    const cli_option *o;
    int k = 0;

    while ((o = cli_option_at(c->command, k)) && strcmp(o->name, name) != 0) k++;
    if (!o) {
        const char *nearest = cli_nearest(name, cli_option_name, c->command);
        return cli_fail(c, "%sgsolve %s has no option '%s'%s%s%s", where, c->command->name, name,
                        nearest ? "; did you mean '" : "; gsolve --help shows all options",
                        nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (strcmp(name, "config") == 0 || strcmp(name, "help") == 0 || strcmp(name, "version") == 0) {
        return cli_fail(c, "%s%s is allowed on the command line only", where, name);
    }
    if (o->kind == CLI_FLAG) return set_flag(c, o, text, where);
    if (!text) return cli_fail(c, "%s%s needs a value: %s", where, name, o->argument);
    return cli_set_option(c, o, text, where);
}

static int read_config(cli *c, const char *path)
{
    char where[MOST_WHERE], *line, *next;
    int number = 0;

    if (read_text(c, path)) return CLI_ERROR;
    for (line = c->config; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        snprintf(where, sizeof where, "%.400s:%d: ", cli_input_words(path), ++number);
        line = trim(line);
        if (*line && set_line(c, line, where)) return CLI_ERROR;
    }
    return 0;
}

/* --- the command line and the file ------------------------------------------------------------ */

/* Takes the matrices of the file of --config only if the command line has none. */
static void choose_matrices(cli_arguments *args, const cli_arguments *of_file)
{
    if (!args->matrix && args->matrices.count == 0 && args->operands == 0) {
        args->matrix = of_file->matrix;
        args->matrices = of_file->matrices;
    }
}

int cli_parse(cli *c, int argc, char **argv)
{
    cli_arguments of_line, of_file;

    if (cli_parse_words(c, argc, argv)) return CLI_ERROR;
    if (!c->args.config) return 0;
    of_line = c->args;
    c->args = cli_no_arguments;
    if (read_config(c, of_line.config)) {
        c->args = of_line; /* the error may go to its file of --json */
        return CLI_ERROR;
    }
    of_file = c->args;
    c->args.matrix = NULL;
    c->args.matrices.count = 0;
    if (cli_parse_words(c, argc, argv)) return CLI_ERROR;
    choose_matrices(&c->args, &of_file);
    return 0;
}
