/* output.c: writes output files complete or not at all. */
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
