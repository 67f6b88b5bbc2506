/* replace.c: a temporary name in the same folder, and rename at the end. */
#include "core/replace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "gsolve_io.h"

#define MOST_LINKS 40 /* that a name may go through, as in Linux */

/* --- the file that a context writes, for a signal handler ---------------------------------------
 *
 * The handler and the writer may run at the same time, in two threads. The one that sets
 * ctx->writing to NULL, by an atomic exchange, may use the name in it; the writer does not return
 * before the handler has finished with it. */

enum { RUNNING, ABANDONING, ABANDONED }; /* ctx->abandoned */

static int abandoned(const gsolve_context *ctx)
{
    return __atomic_load_n(&ctx->abandoned, __ATOMIC_SEQ_CST);
}

static void register_writer(gs_replacement *r)
{
    __atomic_store_n(&r->ctx->writing, r, __ATOMIC_SEQ_CST);
}

static void unregister_writer(gs_replacement *r)
{
    gs_replacement *own = r;

    if (__atomic_compare_exchange_n(&r->ctx->writing, &own, NULL, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
        return;
    }
    while (abandoned(r->ctx) == ABANDONING) sched_yield();
}

/* Calls only functions that are safe in a signal handler. */
void gsolve_abandon_files(gsolve_context *ctx)
{
    const int error = errno;
    gs_replacement *r;

    if (!ctx || abandoned(ctx)) return;
    __atomic_store_n(&ctx->abandoned, ABANDONING, __ATOMIC_SEQ_CST);
    r = __atomic_exchange_n(&ctx->writing, NULL, __ATOMIC_SEQ_CST);
    if (r) unlink(r->temporary);
    __atomic_store_n(&ctx->abandoned, ABANDONED, __ATOMIC_SEQ_CST);
    errno = error;
}

/* --- temporary files whose writers were killed before they could remove them ------------------ */

/* Reads the digits at *p as a number and moves *p after them; -1: there are none, or too many. */
static long read_number(const char **p)
{
    const char *begin = *p;

    while (isdigit((unsigned char)**p)) (*p)++;
    return *p > begin && *p - begin <= 9 ? strtol(begin, NULL, 10) : -1;
}

/* The process in the name BASE.PID-K.tmp; 0: name is of another form. */
static pid_t writer_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    const char *p = name + length + 1;
    long process, file;

    if (strncmp(name, base, length) != 0 || name[length] != '.') return 0;
    process = read_number(&p);
    if (process <= 0 || *p++ != '-') return 0;
    file = read_number(&p);
    return file >= 0 && strcmp(p, ".tmp") == 0 ? (pid_t)process : 0;
}

/* Whether nobody holds the lock of that file. The process number of a writer in another container
 * means nothing here, but its lock is visible. */
static bool is_unlocked(int folder, const char *name)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    bool unlocked;

    if (file < 0) return false;
    unlocked =
        fstat(file, &about) == 0 && S_ISREG(about.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0;
    close(file);
    return unlocked;
}

static bool is_dead(pid_t process)
{
    return kill(process, 0) != 0 && errno == ESRCH;
}

/* Removes the files PATH.PID-K.tmp that dead processes left. */
static void remove_stale(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char name[PATH_MAX];
    const struct dirent *entry;
    DIR *folder;

    if (snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                 slash ? path : ".") >= PATH_MAX) {
        return;
    }
    folder = opendir(name);
    if (!folder) return;
    while ((entry = readdir(folder))) {
        const pid_t writer = writer_of(entry->d_name, base);
        if (writer > 0 && is_dead(writer) && is_unlocked(dirfd(folder), entry->d_name)) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Registers the name before it creates the file, so that a signal at any time removes the file. The
 * lock shows other processes that the writer is alive. */
static int create(gs_replacement *r)
{
    int code = 0;

    register_writer(r);
    r->file = open(r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (r->file < 0) code = errno;
    if (r->file >= 0 && abandoned(r->ctx)) {
        unlink(r->temporary);
        close(r->file);
        code = ECANCELED;
    }
    if (code) {
        unregister_writer(r);
    } else {
        flock(r->file, LOCK_EX | LOCK_NB);
    }
    return code;
}

/* target = path, or the file that it names through symbolic links, which need not exist. Returns 0
 * or an errno. */
static int follow_links(const char *path, char target[PATH_MAX])
{
    char link[PATH_MAX];
    ssize_t length = 0;

    if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
    strcpy(target, path);
    for (int k = 0; k < MOST_LINKS; k++) {
        const char *slash = strrchr(target, '/');
        const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
        length = readlink(target, link, sizeof link - 1);
        if (length < 0) return 0; /* no link */
        link[length] = 0;
        if (link[0] == '/') {
            strcpy(target, link);
        } else if (folder + (size_t)length < PATH_MAX) {
            strcpy(target + folder, link);
        } else {
            return ENAMETOOLONG;
        }
    }
    return ELOOP;
}

int gs_replace_begin(gs_replacement *r, gsolve_context *ctx, const char *path)
{
    struct stat about;
    int code;

    r->ctx = ctx;
    r->path = path;
    r->file = -1;
    r->in_place = false;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) { /* a folder, a device, a pipe */
        return S_ISDIR(about.st_mode) ? EISDIR : ENOTSUP;
    }
    code = follow_links(path, r->target);
    if (code) return code;
    remove_stale(r->target);
    code = EEXIST;
    for (int k = 0; k < 100 && code == EEXIST; k++) {
        snprintf(r->temporary, sizeof r->temporary, "%s.%ld-%d.tmp", r->target, (long)getpid(), k);
        code = create(r);
    }
    return code;
}

bool gs_replace_is_stream(const char *path)
{
    struct stat about;

    if (gsolve_descriptor_of(path, STDOUT_FILENO) >= 0) return true;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

int gs_replace_begin_any(gs_replacement *r, gsolve_context *ctx, const char *path)
{
    if (!gs_replace_is_stream(path)) return gs_replace_begin(r, ctx, path);
    if (abandoned(ctx)) return ECANCELED;
    r->ctx = ctx;
    r->path = path;
    r->in_place = true;
    r->file = gs_open_named(path, O_WRONLY, STDOUT_FILENO);
    return r->file < 0 ? errno : 0;
}

#define PIECE \
    ((size_t)1 << 24) /* bytes that are written between two checks for gsolve_abandon_files */

int gs_replace_write(const gs_replacement *r, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const size_t size = bytes - done < PIECE ? bytes - done : PIECE;
        int code = !r->in_place && abandoned(r->ctx) ? ECANCELED : 0;
        if (!code) code = gs_write_all(r->file, (const char *)data + done, size);
        if (code) return code;
        done += size;
    }
    return 0;
}

int gs_replace_write_at(const gs_replacement *r, const void *data, size_t bytes, int64_t offset)
{
    const char *from = data;

    while (bytes > 0) {
        const size_t size = bytes < PIECE ? bytes : PIECE;
        ssize_t written;
        if (abandoned(r->ctx)) return ECANCELED;
        written = pwrite(r->file, from, size, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        from += written;
        offset += written;
        bytes -= (size_t)written;
    }
    return 0;
}

int gs_replace_join(gs_replacement *r, gsolve_context *ctx, const char *path, const char *temporary)
{
    r->ctx = ctx;
    r->path = path;
    r->in_place = false;
    snprintf(r->temporary, sizeof r->temporary, "%s", temporary);
    r->file = open(temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return r->file < 0 ? errno : 0;
}

int gs_replace_leave(gs_replacement *r)
{
    return close(r->file) == 0 ? 0 : errno;
}

int gs_replace_end(gs_replacement *r, bool keep, bool durable)
{
    int code = 0;

    if (r->in_place) return close(r->file) == 0 ? 0 : errno;
    if (keep && durable && fdatasync(r->file) != 0) code = errno;
    if (close(r->file) != 0 && !code) code = errno;
    if (keep && !code && rename(r->temporary, r->target) != 0) {
        code = abandoned(r->ctx) ? ECANCELED : errno;
    }
    if (!keep || code) unlink(r->temporary);
    unregister_writer(r);
    return code;
}
