/* descriptor.c: names of open file descriptors, and bytes of files that are not regular. */
#include "core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gsolve_io.h"

#define MOST ((size_t)1 << 30) /* bytes of one system call */

/* The number that follows `folder` in path, or -1. */
static int number_in(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    const char *digits = path + length;

    if (strncmp(path, folder, length) != 0) return -1;
    if (!*digits || strlen(digits) > 6 || strspn(digits, "0123456789") != strlen(digits)) return -1;
    return (int)strtol(digits, NULL, 10);
}

int gsolve_descriptor_of(const char *path, int standard)
{
    static const char *const name[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    int found = number_in(path, "/dev/fd/");

    if (strcmp(path, "-") == 0) return standard;
    for (int k = 0; k < 3; k++) {
        if (strcmp(path, name[k]) == 0) return k;
    }
    return found >= 0 ? found : number_in(path, "/proc/self/fd/");
}

int gs_open_named(const char *path, int flags, int standard)
{
    const int descriptor = gsolve_descriptor_of(path, standard);

    if (descriptor >= 0) return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return open(path, flags | O_CLOEXEC | O_NOCTTY);
}

/* Whether the call is to be repeated after this errno: a signal, or a descriptor that does not
 * block, which the function waits for. */
static bool retry(int file, short event)
{
    struct pollfd wait = {.fd = file, .events = event};

    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

int gs_read_some(int file, void *to, size_t bytes, size_t *got)
{
    ssize_t count;

    do count = read(file, to, bytes < MOST ? bytes : MOST);
    while (count < 0 && retry(file, POLLIN));
    *got = count > 0 ? (size_t)count : 0;
    return count < 0 ? errno : 0;
}

int gs_write_all(int file, const void *from, size_t bytes)
{
    const char *p = from;

    while (bytes > 0) {
        const ssize_t written = write(file, p, bytes < MOST ? bytes : MOST);
        if (written < 0 && retry(file, POLLOUT)) continue;
        if (written < 0) return errno;
        p += written;
        bytes -= (size_t)written;
    }
    return 0;
}

int64_t gs_time_of_change(const struct stat *about)
{
    return (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec;
}
