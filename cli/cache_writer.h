/* cache_writer.h: writes the cache of a matrix file in a thread of its own, while the system is
 * solved. */
#ifndef GS_CLI_CACHE_WRITER_H
#define GS_CLI_CACHE_WRITER_H

#include <pthread.h>

#include "cli/system.h"

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
