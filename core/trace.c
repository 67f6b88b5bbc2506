/* trace.c: the events of a trace, see trace.h. The format is the "Trace Event Format" of Chrome: an
 * object whose member traceEvents is an array of events, with times in microseconds. */
#include "core/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Replaces the end of the file by t's events and a new end. */
static void append(gs_trace *t)
{
    const size_t end = strlen(GS_TRACE_END);
    struct stat about;
    ssize_t written = -1;

    memcpy(t->text + t->used, GS_TRACE_END, end);
    if (fstat(t->file, &about) == 0 && about.st_size >= (off_t)end) {
        const int64_t size = (int64_t)about.st_size;
        if (size + (int64_t)t->used > GS_TRACE_LIMIT) return; /* full */
        written = pwrite(t->file, t->text, t->used + end, (off_t)(size - (int64_t)end));
        if (written == (ssize_t)(t->used + end)) return;
        /* the disk is full: the file ends as before */
        if (ftruncate(t->file, about.st_size) == 0) {
            written = pwrite(t->file, GS_TRACE_END, end, about.st_size - (off_t)end);
        }
    }
}

void gs_trace_flush(gs_trace *t)
{
    if (t->used == 0) return;
    if (flock(t->file, LOCK_EX) == 0) {
        append(t);
        flock(t->file, LOCK_UN);
    }
    t->used = 0;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Adds an event, formatted as by printf. */
__attribute__((format(printf, 2, 3))) static void add(gs_trace *t, const char *format, ...)
{
    va_list arguments;
    int length;

    if (t->used + GS_TRACE_EVENT > GS_TRACE_TEXT) gs_trace_flush(t);
    t->used += (size_t)sprintf(t->text + t->used, ",\n");
    va_start(arguments, format);
    length = vsnprintf(t->text + t->used, GS_TRACE_EVENT - 16, format, arguments);
    va_end(arguments);
    if (length > 0 && length < GS_TRACE_EVENT - 16) {
        t->used += (size_t)length;
    } else {
        t->used -= 2;
    }
}

void gs_trace_push(gs_trace *t, const char *name)
{
    if (t->depth < GS_TRACE_DEPTH) {
        t->range[t->depth].name = name;
        t->range[t->depth].begin = gs_now();
    }
    t->depth++;
}

void gs_trace_pop(gs_trace *t)
{
    if (t->depth == 0 || --t->depth >= GS_TRACE_DEPTH) return;
    const double begin = t->range[t->depth].begin;
    add(t,
        "{\"name\":\"%.200s\",\"cat\":\"range\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,"
        "\"dur\":%.3f}",
        t->range[t->depth].name, t->process, t->thread, 1e6 * begin, 1e6 * (gs_now() - begin));
}

void gs_trace_operation(gs_trace *t, const char *name, double begin, double seconds, double bytes,
                        int iteration)
{
    add(t,
        "{\"name\":\"%.200s\",\"cat\":\"operation\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,"
        "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"bytes\":%.0f,\"iteration\":%d}}",
        name, t->process, t->device, 1e6 * begin, 1e6 * seconds, bytes, iteration);
}

void gs_trace_thread(gs_trace *t, int thread, const char *name)
{
    add(t,
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
        t->process, thread, name);
}
