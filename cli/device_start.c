/* device_start.c: see device_start.h. */
#include "cli/device_start.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "gsolve.h"

struct cli_starting {
    pthread_t thread;
    char device[256];
};

/* The process keeps the GPU's driver started after the context is gone. The library keeps contexts
 * apart, so this one may be opened while another reads a file. */
static void *start(void *given)
{
    const cli_starting *s = given;
    gsolve_context *ctx = NULL;

    gsolve_context_create(&ctx, s->device); /* its errors are found again, by the main thread */
    gsolve_context_destroy(&ctx);
    return NULL;
}

cli_starting *cli_begin_start(const char *device)
{
    cli_starting *s = getenv("GSOLVE_TRACE") ? NULL : malloc(sizeof *s); /* one trace per process */

    if (!s) return NULL;
    snprintf(s->device, sizeof s->device, "%s", device);
    if (pthread_create(&s->thread, NULL, start, s) == 0) return s;
    free(s);
    return NULL;
}

void cli_end_start(cli_starting *s)
{
    if (!s) return;
    pthread_join(s->thread, NULL);
    free(s);
}
