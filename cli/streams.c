/* streams.c: standard input and standard output in place of files. */
#include "cli/streams.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number that follows `folder` in path, or -1. */
static int number_in(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    const char *digits = path + length;

    if (strncmp(path, folder, length) != 0) return -1;
    if (!*digits || strlen(digits) > 6 || strspn(digits, "0123456789") != strlen(digits)) return -1;
    return (int)strtol(digits, NULL, 10);
}

int cli_descriptor(const char *path, int standard)
{
    static const char *const name[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    int found = number_in(path, "/dev/fd/");

    if (strcmp(path, "-") == 0) return standard;
    for (int k = 0; k < 3; k++) {
        if (strcmp(path, name[k]) == 0) return k;
    }
    return found >= 0 ? found : number_in(path, "/proc/self/fd/");
}

bool cli_is_stdin(const char *path)
{
    return path && cli_descriptor(path, STDIN_FILENO) == STDIN_FILENO;
}

bool cli_is_stdout(const char *path)
{
    return path && cli_descriptor(path, STDOUT_FILENO) == STDOUT_FILENO;
}

bool cli_is_stream(const char *path)
{
    struct stat s;

    if (cli_descriptor(path, STDOUT_FILENO) >= 0) return true;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

const char *cli_input_words(const char *path)
{
    return cli_is_stdin(path) ? "standard input" : path;
}

const char *cli_output_words(const char *path)
{
    return cli_is_stdout(path) ? "standard output" : path;
}
