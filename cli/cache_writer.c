/* cache_writer.c: see cache_writer.h. */
#include "cli/cache_writer.h"

#include "cli/signals.h"
#include "cli/stages.h"

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
    if (!s->cache_read_only || gsolve_context_create(&w->ctx, spec) != GSOLVE_OK) return;
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
    if (w->running) cli_doing("writing the cache of %s", w->name);
    if (w->running) pthread_join(w->thread, NULL);
    w->running = false;
    cli_catch_signals_of_writer(NULL);
    if (keep && w->source.cache[0]) {
        cli_item(c, "cache", "binary copy written to %s", w->source.cache);
    }
    w->source.cache[0] = 0;
    gsolve_context_destroy(&w->ctx);
}
