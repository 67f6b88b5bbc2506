/* background.c: see background.h. */
#include "cli/background.h"

#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"

/* --- the start of a GPU ----------------------------------------------------------------------- */

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

/* --- the cache -------------------------------------------------------------------------------- */

enum { MOST_THREADS = 4 }; /* of the hash; the solve needs the others */

static void *write_cache(void *given)
{
    cli_cache_writer *w = given;

    gsolve_write_cache(w->ctx, w->name, &w->csr, &w->source, &w->inspection);
    return NULL;
}

void cli_begin_cache(cli_cache_writer *w, const cli *c, const cli_system *s)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    char spec[32];

    if (!c->args.cache || s->source.cached || s->source.stamp[0] == 0) return;
    gsolve_context_describe(c->ctx, &info);
    snprintf(spec, sizeof spec, "cpu,threads=%d",
             info.threads < MOST_THREADS ? info.threads : MOST_THREADS);
    if (getenv("GSOLVE_TRACE") || gsolve_context_create(&w->ctx, spec) != GSOLVE_OK) return;
    w->name = s->name;
    w->csr = s->csr;
    w->source = s->source;
    w->inspection = s->inspection;
    cli_catch_signals_of_writer(&w->ctx);
    w->running = pthread_create(&w->thread, NULL, write_cache, w) == 0;
}

void cli_end_cache(cli_cache_writer *w, const cli *c, bool keep)
{
    if (!keep) gsolve_abandon_files(w->ctx);
    if (w->running) pthread_join(w->thread, NULL);
    w->running = false;
    cli_catch_signals_of_writer(NULL);
    if (keep && w->source.cache[0]) {
        cli_item(c, "cache", "binary copy written to %s", w->source.cache);
    }
    w->source.cache[0] = 0;
    gsolve_context_destroy(&w->ctx);
}
