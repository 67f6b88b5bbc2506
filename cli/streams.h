/* streams.h: standard input and standard output in place of files. */
#ifndef GS_CLI_STREAMS_H
#define GS_CLI_STREAMS_H

#include <stdbool.h>

/* Whether path is "-", /dev/stdin (/dev/stdout), or another name of descriptor 0 (1). NULL: no. */
bool cli_is_stdin(const char *path);
bool cli_is_stdout(const char *path);

/* Whether path is an output without a name to rename to: an open descriptor, a pipe
 * or a device. */
bool cli_is_stream(const char *path);

/* The path, or "standard input" or "standard output". */
const char *cli_input_words(const char *path);
const char *cli_output_words(const char *path);

#endif
