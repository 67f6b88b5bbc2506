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
#define GS_TRACE_DEPTH 32        /* of nested ranges; deeper ones are left out */
#define GS_TRACE_EVENT 512       /* an event is shorter */
#define GS_TRACE_TEXT  (1 << 16) /* bytes of collected events */
#define GS_TRACE_END   "\n]}\n"  /* of the file */

struct gs_trace {
    int file;
    int process, thread; /* the thread that created the context */
    int device;          /* in the trace: the "thread" that shows the device */
    int depth;
    struct {
        const char *name;
        double begin;
    } range[GS_TRACE_DEPTH];
    size_t used;
    char text[GS_TRACE_TEXT]; /* events that are not in the file yet */
};

/* Names are constant strings without quotation marks. */

/* Writes the collected events to the file. */
void gs_trace_flush(gs_trace *t);

/* Begin and end a range of the calling thread. */
void gs_trace_push(gs_trace *t, const char *name);
void gs_trace_pop(gs_trace *t);

/* An operation of an iteration, from begin (in the time of gs_now) for some seconds. It moved
 * bytes. On a GPU these are the times of the device. */
void gs_trace_operation(gs_trace *t, const char *name, double begin, double seconds, double bytes,
                        int iteration);

/* Names a thread of the trace. */
void gs_trace_thread(gs_trace *t, int thread, const char *name);

#endif
