/* background.h: work of a solve in threads of its own: a GPU starts while the matrix is read, and
 * the cache is written while the system is solved. */
#ifndef GS_CLI_BACKGROUND_H
#define GS_CLI_BACKGROUND_H

#include <pthread.h>

#include "cli/system.h"

/* --- the start of a GPU ----------------------------------------------------------------------- */

typedef struct cli_starting cli_starting;

/* Starts the driver of the GPU `device` in a thread. A context that is opened on this GPU later,
 * after cli_end_start, then opens at once. NULL: it is not started; that is no error. */
cli_starting *cli_begin_start(const char *device);

/* Waits until the GPU has started or the start has failed. start may be NULL. */
void cli_end_start(cli_starting *start);

/* --- the cache -------------------------------------------------------------------------------- */

typedef struct cli_cache_writer {
    pthread_t thread;
    bool running;
    gsolve_context *ctx; /* of the thread */
    const char *name;    /* of the matrix file */
    gsolve_csr csr;      /* a view; the arrays are those of the system or of its matrix handle */
    gsolve_source source;
    gsolve_inspection inspection;
} cli_cache_writer;

/* Begins to write the cache of s's matrix if --cache asks for one and there is none. The arrays of
 * the matrix and w must stay until cli_end_cache. */
void cli_begin_cache(cli_cache_writer *w, const cli *c, const cli_system *s);

/* Waits until the cache is written, and prints a line about it. Without keep it is not written. */
void cli_end_cache(cli_cache_writer *w, const cli *c, bool keep);

#endif
