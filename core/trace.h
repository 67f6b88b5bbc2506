/* trace.h: $GSOLVE_TRACE=FILE writes a Chrome trace, which chrome://tracing and ui.perfetto.dev
 * show: the ranges of gs_range_push, and the operations of solver runs.
 *
 * All contexts of a process write to one file, and it is valid JSON at all times: events are
 * collected in memory, and one write replaces the end of the file by these events and a new end.
 * There is no global state: the head of the file names the process, so a context sees whether the
 * file is one of an earlier process, which it then replaces. A lock of the file orders the writes.
 * The file grows to at most GS_TRACE_LIMIT bytes. */
#ifndef GS_CORE_TRACE_H
#define GS_CORE_TRACE_H

#include "core/context.h"

#define GS_TRACE_LIMIT ((int64_t)64 << 20)

/* Opens the file if $GSOLVE_TRACE is set. Fails with GSOLVE_BAD_FILE. */
gsolve_status gs_trace_open(gsolve_context *ctx);

/* Writes what is left, and closes the file. */
void gs_trace_close(gsolve_context *ctx);

/* The functions below need ctx->trace. Names are constant strings without quotation marks. */

/* Writes the collected events to the file. */
void gs_trace_flush(gsolve_context *ctx);

/* Begin and end a range of the calling thread. */
void gs_trace_push(gsolve_context *ctx, const char *name);
void gs_trace_pop(gsolve_context *ctx);

/* An operation of an iteration, from begin (in the time of gs_now) for some seconds. It moved
 * bytes. On a GPU these are the times of the device. */
void gs_trace_operation(gsolve_context *ctx, const char *name, double begin, double seconds,
                        double bytes, int iteration);

#endif
