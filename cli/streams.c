/* streams.c: standard input and standard output in place of files. */
#include "cli/streams.h"

#include <sys/stat.h>
#include <unistd.h>

#include "gsolve_io.h"

bool cli_is_stdin(const char *path)
{
    return path && gsolve_descriptor_of(path, STDIN_FILENO) == STDIN_FILENO;
}

bool cli_is_stdout(const char *path)
{
    return path && gsolve_descriptor_of(path, STDOUT_FILENO) == STDOUT_FILENO;
}

bool cli_is_stream(const char *path)
{
    struct stat s;

    if (gsolve_descriptor_of(path, STDOUT_FILENO) >= 0) return true;
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
