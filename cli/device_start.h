/* device_start.h: starts a GPU in a thread of its own, while the matrix is read. */
#ifndef GS_CLI_DEVICE_START_H
#define GS_CLI_DEVICE_START_H

typedef struct cli_starting cli_starting;

/* Starts the driver of the GPU `device` in a thread. A context that is opened on this GPU later,
 * after cli_end_start, then opens at once. NULL: it is not started; that is no error. */
cli_starting *cli_begin_start(const char *device);

/* The number of threads that may read memory now: `threads`, or fewer while the GPU starts. start
 * may be NULL. */
int cli_threads_beside(const cli_starting *start, int threads);

/* Waits until the GPU has started or the start has failed. start may be NULL. */
void cli_end_start(cli_starting *start);

#endif
