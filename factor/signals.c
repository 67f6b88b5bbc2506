/* signals.c: keeps the handlers of signals around calls of METIS, see signals.h. */
#include "factor/signals.h"

#include <pthread.h>

#include "gsolve_plugin.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool blocked; /* this thread, by block */

static void block(bool on)
{
    sigset_t term, before;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    if (on) {
        pthread_sigmask(SIG_BLOCK, &term, &before);
        blocked = !sigismember(&before, SIGTERM);
    } else if (blocked) {
        blocked = false;
        pthread_sigmask(SIG_UNBLOCK, &term, NULL);
    }
}

void gs_signals_enter(gs_signals *s, const gsolve_context *ctx)
{
    pthread_mutex_lock(&one_at_a_time);
#pragma omp parallel num_threads(gsolve_threads(ctx))
    block(true);
    sigaction(SIGTERM, NULL, &s->term);
    sigaction(SIGABRT, NULL, &s->abort);
}

void gs_signals_leave(const gs_signals *s, const gsolve_context *ctx)
{
    sigaction(SIGTERM, &s->term, NULL);
    sigaction(SIGABRT, &s->abort, NULL);
    pthread_mutex_unlock(&one_at_a_time); /* before a handler can run, which may not return */
#pragma omp parallel num_threads(gsolve_threads(ctx))
    block(false);
}
