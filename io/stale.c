/* stale.c: removes temporary files whose writers were killed before they could do so. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/replace.h"

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

void gs_remove_stale(const char *path)
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
