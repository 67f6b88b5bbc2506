/* output_check.c: checks before the work whether the output files can be written, and whether one
 * of them is an input or another output. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/signals.h"
#include "cli/source.h"
#include "cli/streams.h"

/* --- checks before the work ------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
    struct stat s, t;

    if (strcmp(a, b) == 0) return true;
    if (cli_is_stdin(a)) a = "/dev/stdin";
    return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

enum { SENTENCE = 5000 };

/* Whether a file can be created in path's folder; else `why` gets the reason. */
static bool folder_fits(const char *path, char why[SENTENCE])
{
    char copy[PATH_MAX];

    if (strlen(path) >= sizeof copy) {
        snprintf(why, SENTENCE, "the path '%.60s...' is too long", path);
        return false;
    }
    strcpy(copy, path);
    const char *folder = dirname(copy);
    if (access(folder, W_OK | X_OK) == 0) return true;
    if (access(folder, F_OK) != 0) {
        snprintf(why, SENTENCE, "cannot write %.900s: the folder '%.900s' does not exist", path,
                 folder);
    } else {
        snprintf(why, SENTENCE, "cannot write %.900s: the folder '%.900s': %s", path, folder,
                 strerror(errno));
    }
    return false;
}

static bool path_fits(const char *path, char why[SENTENCE])
{
    const int number = gsolve_descriptor_of(path, STDOUT_FILENO);
    char resolved[PATH_MAX];
    struct stat s;

    if (number >= 0) {
        if (fcntl(number, F_GETFD) >= 0) return true;
        snprintf(why, SENTENCE, "cannot write %.900s: %s", cli_output_words(path), strerror(errno));
        return false;
    }
    if (stat(path, &s) != 0) return folder_fits(path, why);
    if (S_ISDIR(s.st_mode)) {
        snprintf(why, SENTENCE, "cannot write %.900s: it is a folder", path);
        return false;
    }
    if (access(path, W_OK) != 0) {
        snprintf(why, SENTENCE, "cannot write %.900s: %s", path, strerror(errno));
        return false;
    }
    return !S_ISREG(s.st_mode) || folder_fits(realpath(path, resolved) ? resolved : path, why);
}

/* As path_fits, for the file of --setup: one that is read need not be written. */
static bool setup_fits(const char *path, char why[SENTENCE])
{
    struct stat s;

    if (stat(path, &s) != 0) return folder_fits(path, why);
    if (S_ISDIR(s.st_mode)) {
        snprintf(why, SENTENCE, "%.900s is a directory; name a file for the set-up", path);
        return false;
    }
    if (access(path, R_OK) == 0) return true;
    snprintf(why, SENTENCE, "cannot read %.900s: %s", path, strerror(errno));
    return false;
}

static bool is_device(const char *path)
{
    struct stat s;
    if (gsolve_descriptor_of(path, STDOUT_FILENO) >= 0) return true;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

enum { OUTPUTS = 7, SETUP = 0, JSON = 1 };

static const char *output_at(const cli_arguments *args, int k)
{
    const char *const path[OUTPUTS] = {args->setup,   args->json, args->solution, args->output,
                                       args->history, args->csv,  args->html};
    return path[k];
}

enum { OPERAND = 5 }; /* the input that is the first operand */

/* Input file k; "": it is not given; NULL: k is past the last one. */
static const char *input_at(const cli_arguments *args, int k)
{
    const char *const path[] = {args->matrix,          args->rhs,
                                args->guess,           args->null_space,
                                args->left_null_space, args->operands ? args->operand[0] : NULL,
                                args->config};
    const int count = sizeof path / sizeof *path;

    if (k < count) return path[k] ? path[k] : "";
    return k - count < args->matrices.count ? args->matrices.item[k - count] : NULL;
}

static bool is_stdout(int k, const char *path)
{
    return k != SETUP && cli_is_stdout(path);
}

/* Whether two outputs have one name, but for devices such as /dev/null. */
static bool is_twice(const cli_arguments *args, int k, const char *path)
{
    const char *other;

    for (int i = 0; i < OUTPUTS; i++) {
        other = i == k ? NULL : output_at(args, i);
        if (!other) continue;
        if (is_stdout(k, path) ? is_stdout(i, other) : same_file(other, path) && !is_device(path)) {
            return true;
        }
    }
    return false;
}

/* Whether output k can be written and is neither an input nor another output. */
static bool output_fits(const cli_arguments *args, int k, char why[SENTENCE])
{
    const char *path = output_at(args, k), *other;

    if (!path) return true;
    if (is_twice(args, k, path)) {
        snprintf(why, SENTENCE, "%.900s is the name of two outputs; give different names",
                 is_stdout(k, path) ? cli_output_words(path) : path);
        return false;
    }
    if (!(k == SETUP ? setup_fits(path, why) : path_fits(path, why))) return false;
    if (k == SETUP && is_device(path)) { /* it is read and renamed into place */
        snprintf(why, SENTENCE, "cannot keep a set-up in %.900s: it is not a regular file", path);
        return false;
    }
    for (int i = 0; (other = input_at(args, i)); i++) {
        if (*other && same_file(other, path) && !is_device(path)) {
            snprintf(why, SENTENCE,
                     "%.900s is both input and output; give another name to the output", path);
            return false;
        }
    }
    return true;
}

/* The operand is not counted: where it is an input, it is also the matrix or one of them. */
static int count_stdin(const cli_arguments *args)
{
    const char *path;
    int count = 0;

    for (int k = 0; (path = input_at(args, k)); k++) {
        count += k != OPERAND && cli_is_stdin(path);
    }
    return count;
}

bool cli_uses_stdout(const cli *c)
{
    const cli_arguments *args = &c->args;
    const bool writes_operand = strcmp(c->command->name, "convert") == 0 && args->operands > 1;
    bool uses = args->print_c || (writes_operand && cli_is_stdout(args->operand[1]));

    for (int k = SETUP + 1; k < OUTPUTS; k++) uses |= cli_is_stdout(output_at(args, k));
    return uses;
}

/* Whether x cannot be written to a file of this name, because it names another format. */
static bool is_no_vector_name(const char *path)
{
    const gsolve_file_format format = gsolve_file_format_of(path);
    return format == GSOLVE_FILE_NPZ || format == GSOLVE_FILE_OTHER;
}

int cli_check_files(cli *c)
{
    char why[SENTENCE];

    if (count_stdin(&c->args) > 1) {
        return cli_fail(c, "standard input is given for two inputs; give files for all but one");
    }
    for (int k = 0; k < OUTPUTS; k++) {
        if (!output_fits(&c->args, k, why)) return cli_fail(c, "%s", why);
    }
    if (c->args.solution && is_no_vector_name(c->args.solution)) {
        return cli_fail(
            c,
            "cannot write x to %s: use a name that ends in .mtx, .mtx.gz, .npy, .txt or "
            ".petsc",
            c->args.solution);
    }
    return 0;
}

/* Whether another word of the command line names the file of --json: after an error in the command
 * line the words that follow are not parsed. */
static bool is_other_word(const cli *c)
{
    const char *word, *value;

    for (int k = 1; k < c->count; k++) {
        word = c->word[k];
        if (strcmp(c->word[k - 1], "--json") == 0 || strncmp(word, "--json=", 7) == 0) continue;
        value = *word == '-' ? strchr(word, '=') : NULL;
        if (same_file(value ? value + 1 : word, c->args.json)) return true;
    }
    return false;
}

bool cli_json_fits(const cli *c)
{
    char why[SENTENCE];
    return (is_device(c->args.json) || !is_other_word(c)) && output_fits(&c->args, JSON, why);
}
