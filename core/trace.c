/* trace.c: see trace.h. The format is the "Trace Event Format" of Chrome: an object whose member
 * traceEvents is an array of events, with times in microseconds. */
#include "core/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH      32  /* of nested ranges; deeper ones are left out */
#define EVENT_SIZE 512 /* an event is shorter */
#define TEXT_SIZE  (1 << 16)
#define END        "\n]}\n"

struct gs_trace {
    int file;
    int process, thread; /* the thread that created the context */
    int device;          /* in the trace: the "thread" that shows the device */
    int depth;
    struct {
        const char *name;
        double begin;
    } range[DEPTH];
    size_t used;
    char text[TEXT_SIZE]; /* events that are not in the file yet */
};

/* --- the file --------------------------------------------------------------------------------- */

/* The time at which the process started, in clock ticks since the machine was started: the 22nd
 * word of /proc/self/stat. Together with the number of the process it identifies the process. */
static unsigned long long start_of_process(void)
{
    char text[1024] = "", *word;
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "r");

    if (!file) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    word = strrchr(text, ')'); /* the end of the second word, the name of the program */
    for (int k = 2; word && k < 22; k++) word = strchr(word + 1, ' ');
    if (word) ticks = strtoull(word, NULL, 10);
    return ticks;
}

static void head_of_file(char head[EVENT_SIZE], int process)
{
    snprintf(head, EVENT_SIZE,
             "{\"otherData\":{\"program\":\"gsolve %s\",\"process\":%d,\"started\":%llu},"
             "\"traceEvents\":[\n"
             "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,"
             "\"args\":{\"name\":\"gsolve\"}}",
             GSOLVE_VERSION, process, start_of_process(), process);
}

/* Writes a new head unless this process has written it. Returns whether that was possible. */
static bool begin_file(const gs_trace *t)
{
    char head[EVENT_SIZE], found[EVENT_SIZE] = "";
    size_t length;
    bool written;

    head_of_file(head, t->process);
    length = strlen(head);
    if (flock(t->file, LOCK_EX) != 0) return false;
    written = pread(t->file, found, length, 0) == (ssize_t)length && !memcmp(found, head, length);
    if (!written) {
        strcat(head, END);
        length = strlen(head);
        written = ftruncate(t->file, 0) == 0 && pwrite(t->file, head, length, 0) == (ssize_t)length;
    }
    flock(t->file, LOCK_UN);
    return written;
}

/* Replaces the end of the file by t's events and a new end. */
static void append(gs_trace *t)
{
    const size_t end = strlen(END);
    struct stat about;
    ssize_t written = -1;

    memcpy(t->text + t->used, END, end);
    if (fstat(t->file, &about) == 0 && about.st_size >= (off_t)end) {
        const int64_t size = (int64_t)about.st_size;
        if (size + (int64_t)t->used > GS_TRACE_LIMIT) return; /* full */
        written = pwrite(t->file, t->text, t->used + end, (off_t)(size - (int64_t)end));
        if (written == (ssize_t)(t->used + end)) return;
        /* the disk is full: the file ends as before */
        if (ftruncate(t->file, about.st_size) == 0) {
            written = pwrite(t->file, END, end, about.st_size - (off_t)end);
        }
    }
}

void gs_trace_flush(gsolve_context *ctx)
{
    gs_trace *t = ctx->trace;

    if (t->used == 0) return;
    if (flock(t->file, LOCK_EX) == 0) {
        append(t);
        flock(t->file, LOCK_UN);
    }
    t->used = 0;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Adds an event, formatted as by printf. */
__attribute__((format(printf, 2, 3))) static void add(gsolve_context *ctx, const char *format, ...)
{
    gs_trace *t = ctx->trace;
    va_list arguments;
    int length;

    if (t->used + EVENT_SIZE > TEXT_SIZE) gs_trace_flush(ctx);
    t->used += (size_t)sprintf(t->text + t->used, ",\n");
    va_start(arguments, format);
    length = vsnprintf(t->text + t->used, EVENT_SIZE - 16, format, arguments);
    va_end(arguments);
    if (length > 0 && length < EVENT_SIZE - 16) {
        t->used += (size_t)length;
    } else {
        t->used -= 2;
    }
}

void gs_trace_push(gsolve_context *ctx, const char *name)
{
    gs_trace *t = ctx->trace;

    if (t->depth < DEPTH) {
        t->range[t->depth].name = name;
        t->range[t->depth].begin = gs_now();
    }
    t->depth++;
}

void gs_trace_pop(gsolve_context *ctx)
{
    gs_trace *t = ctx->trace;

    if (t->depth == 0 || --t->depth >= DEPTH) return;
    const double begin = t->range[t->depth].begin;
    add(ctx,
        "{\"name\":\"%.200s\",\"cat\":\"range\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,"
        "\"dur\":%.3f}",
        t->range[t->depth].name, t->process, t->thread, 1e6 * begin, 1e6 * (gs_now() - begin));
}

void gs_trace_operation(gsolve_context *ctx, const char *name, double begin, double seconds,
                        double bytes, int iteration)
{
    const gs_trace *t = ctx->trace;

    add(ctx,
        "{\"name\":\"%.200s\",\"cat\":\"operation\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,"
        "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"bytes\":%.0f,\"iteration\":%d}}",
        name, t->process, t->device, 1e6 * begin, 1e6 * seconds, bytes, iteration);
}

/* --- open and close --------------------------------------------------------------------------- */

static void name_thread(gsolve_context *ctx, int thread, const char *name)
{
    add(ctx,
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
        ctx->trace->process, thread, name);
}

gsolve_status gs_trace_open(gsolve_context *ctx)
{
    const char *path = getenv("GSOLVE_TRACE");
    gs_trace *t;

    if (!path || !*path) return GSOLVE_OK;
    t = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *t);
    if (!t) return GSOLVE_NO_MEMORY;
    t->depth = 0;
    t->used = 0;
    t->process = (int)getpid();
    t->thread = (int)syscall(SYS_gettid);
    t->device = ctx->device->mark ? (int)((uintptr_t)ctx >> 4 & 0x3fffffff) : t->thread;
    t->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (t->file < 0 || !begin_file(t)) {
        gsolve_fail(ctx, GSOLVE_BAD_FILE, "GSOLVE_TRACE=%.300s: the file cannot be written: %s",
                    path, strerror(errno));
        if (t->file >= 0) close(t->file);
        gsolve_free(ctx, GSOLVE_HOST, t);
        return GSOLVE_BAD_FILE;
    }
    ctx->trace = t;
    name_thread(ctx, t->thread, "host");
    if (t->device != t->thread) name_thread(ctx, t->device, "GPU");
    gs_trace_flush(ctx);
    return GSOLVE_OK;
}

void gs_trace_close(gsolve_context *ctx)
{
    gs_trace *t = ctx->trace;

    if (!t) return;
    gs_trace_flush(ctx);
    close(t->file);
    ctx->trace = NULL;
    gsolve_free(ctx, GSOLVE_HOST, t);
}
