/* output.c: output files: checks them before the work, and writes them complete or not at all after
 * it. */
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

int cli_check_files(cli *c)
{
    char why[SENTENCE];

    if (count_stdin(&c->args) > 1) {
        return cli_fail(c, "standard input is given for two inputs; give files for all but one");
    }
    for (int k = 0; k < OUTPUTS; k++) {
        if (!output_fits(&c->args, k, why)) return cli_fail(c, "%s", why);
    }
    if (c->args.solution && cli_is_no_vector_name(c->args.solution)) {
        return cli_fail(
            c,
            "cannot write x to %s: use a name that ends in .mtx, .mtx.gz, .npy, .txt or "
            ".petsc",
            c->args.solution);
    }
    return 0;
}

bool cli_json_fits(const cli *c)
{
    char why[SENTENCE];
    return output_fits(&c->args, JSON, why);
}

/* --- writing -------------------------------------------------------------------------------- */

static bool write_all(int file, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        const ssize_t written = write(file, text, left);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text += written;
        left -= (size_t)written;
    }
    return true;
}

/* Writes beside path, with the permissions that a new file gets, then renames. */
static bool write_and_rename(const char *path, const char *text)
{
    char name[PATH_MAX + 8];
    const mode_t mask = umask(0);

    umask(mask);
    snprintf(name, sizeof name, "%s.XXXXXX", path);
    const int file = mkstemp(name);
    if (file < 0) return false;
    cli_temporary(name);
    bool done = write_all(file, text) && fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0;
    int error = errno;
    if (close(file) != 0 && done) done = false, error = errno;
    if (done && rename(name, path) != 0) done = false, error = errno;
    if (!done) unlink(name);
    cli_temporary(NULL);
    errno = error;
    return done;
}

static bool write_in_place(const char *path, const char *text)
{
    const int number = gsolve_descriptor_of(path, STDOUT_FILENO);
    const int file = number < 0 ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666)
                                : fcntl(number, F_DUPFD_CLOEXEC, 0);
    const bool done = file >= 0 && write_all(file, text);
    const int error = errno;

    if (file >= 0) close(file);
    errno = error;
    return done;
}

/* Whether path is a link to a file that does not exist; writing through the link creates it. */
static bool is_dangling(const char *path)
{
    struct stat s;
    return stat(path, &s) != 0 && lstat(path, &s) == 0;
}

int cli_write_text(cli *c, const char *path, const char *text)
{
    char resolved[PATH_MAX];
    bool done;

    if (cli_is_stdout(path)) {
        done = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
        if (!done) return cli_fail(c, "cannot write to standard output: %s", strerror(errno));
        return 0;
    }
    if (cli_is_stream(path) || is_dangling(path)) {
        done = write_in_place(path, text);
    } else {
        /* a link stays: the file that it names is replaced */
        done = write_and_rename(realpath(path, resolved) ? resolved : path, text);
    }
    if (!done) return cli_fail(c, "cannot write %s: %s", path, strerror(errno));
    return 0;
}
