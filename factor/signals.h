/* signals.h: the handlers of signals around calls of METIS. While METIS orders, its own handlers of
 * SIGTERM and SIGABRT replace those of the whole process, and jump back into METIS. Two threads
 * that order at once would leave METIS's handler installed, and a SIGTERM would be lost.
 *
 * A thread orders between gs_signals_enter and gs_signals_leave. One thread at a time does. SIGTERM
 * is blocked in it and in the OpenMP threads of ctx, and delivered after gs_signals_leave. A
 * SIGTERM that the system delivers to another thread of the program meanwhile still meets METIS's
 * handler. */
#ifndef GS_FACTOR_SIGNALS_H
#define GS_FACTOR_SIGNALS_H

#include <signal.h>

#include "gsolve.h"

typedef struct gs_signals { /* as they were before gs_signals_enter */
    struct sigaction term, abort;
} gs_signals;

void gs_signals_enter(gs_signals *s, const gsolve_context *ctx);
void gs_signals_leave(const gs_signals *s, const gsolve_context *ctx);

#endif
