/* device_start.c: see device_start.h. */
#include "cli/device_start.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "gsolve.h"

enum { MOST_THREADS = 4 }; /* beside the start, as in the library; see docs/decisions/038 */

struct cli_starting {
    pthread_t thread;
    bool ended;
    char device[256];
};

/* The process keeps the GPU's driver started after the context is gone. The library keeps contexts
 * apart, so this one may be opened while another reads a file. */
static void *start(void *given)
{
    cli_starting *s = given;
    gsolve_context *ctx = NULL;

    gsolve_context_create(&ctx, s->device); /* its errors are found again, by the main thread */
    gsolve_context_destroy(&ctx);
    __atomic_store_n(&s->ended, true, __ATOMIC_RELAXED);
    return NULL;
}

cli_starting *cli_begin_start(const char *device)
{
    cli_starting *s = getenv("GSOLVE_TRACE") ? NULL : malloc(sizeof *s); /* one trace per process */

    if (!s) return NULL;
    s->ended = false;
    snprintf(s->device, sizeof s->device, "%s", device);
    if (pthread_create(&s->thread, NULL, start, s) == 0) return s;
    free(s);
    return NULL;
}

int cli_threads_beside(const cli_starting *s, int threads)
{
    const bool starting = s && !__atomic_load_n(&s->ended, __ATOMIC_RELAXED);

    return starting && threads > MOST_THREADS ? MOST_THREADS : threads;
}

void cli_end_start(cli_starting *s)
{
    if (!s) return;
    pthread_join(s->thread, NULL);
    free(s);
}
