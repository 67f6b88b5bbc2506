/* signals.c: keeps the handlers of signals around calls of METIS, see signals.h. */
#include "factor/signals.h"

#include <pthread.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void gs_signals_enter(gs_signals *s)
{
    sigset_t term;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_mutex_lock(&one_at_a_time);
    pthread_sigmask(SIG_BLOCK, &term, &s->mask);
    sigaction(SIGTERM, NULL, &s->term);
    sigaction(SIGABRT, NULL, &s->abort);
}

void gs_signals_leave(const gs_signals *s)
{
    sigaction(SIGTERM, &s->term, NULL);
    sigaction(SIGABRT, &s->abort, NULL);
    pthread_mutex_unlock(&one_at_a_time); /* before a handler can run, which may not return */
    pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}
