/* signals.h: the handlers of signals around calls of METIS. While METIS orders, its own handlers of
 * SIGTERM and SIGABRT replace those of the whole process, and jump back into METIS. Two threads
 * that order at once would leave METIS's handler installed, and a SIGTERM would be lost.
 *
 * A thread orders between gs_signals_enter and gs_signals_leave. One thread at a time does; SIGTERM
 * is blocked in it, and delivered after gs_signals_leave. A SIGTERM that the system delivers to
 * another thread meanwhile still meets METIS's handler. */
#ifndef GS_FACTOR_SIGNALS_H
#define GS_FACTOR_SIGNALS_H

#include <signal.h>

typedef struct gs_signals { /* as they were before gs_signals_enter */
    struct sigaction term, abort;
    sigset_t mask;
} gs_signals;

void gs_signals_enter(gs_signals *s);
void gs_signals_leave(const gs_signals *s);

#endif
