/* replace.c: a temporary name in the same folder, and rename at the end. */
#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int gs_replace_begin(gs_replacement *r, const char *path)
{
    struct stat about;

    r->path = path;
    r->file = -1;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) { /* a folder, a device, a pipe */
        return S_ISDIR(about.st_mode) ? EISDIR : ENOTSUP;
    }
    if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
    for (int k = 0; k < 100 && r->file < 0; k++) {
        snprintf(r->temporary, sizeof r->temporary, "%s.%ld-%d.tmp", path, (long)getpid(), k);
        r->file = open(r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (r->file < 0 && errno != EEXIST) return errno;
    }
    return r->file < 0 ? EEXIST : 0;
}

int gs_replace_write(const gs_replacement *r, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes > 0) {
        const ssize_t written = write(r->file, p, bytes < 1 << 30 ? bytes : 1 << 30);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        p += written;
        bytes -= (size_t)written;
    }
    return 0;
}

int gs_replace_end(gs_replacement *r, bool keep, bool durable)
{
    int code = 0;

    if (keep && durable && fdatasync(r->file) != 0) code = errno;
    if (close(r->file) != 0 && !code) code = errno;
    if (keep && !code && rename(r->temporary, r->path) != 0) code = errno;
    if (!keep || code) unlink(r->temporary);
    return code;
}
