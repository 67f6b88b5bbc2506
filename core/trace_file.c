/* trace_file.c: opens and closes the file of a trace, see trace.h. */
#include "core/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static void head_of_file(char head[GS_TRACE_EVENT], int process)
{
    snprintf(head, GS_TRACE_EVENT,
             "{\"otherData\":{\"program\":\"gsolve %s\",\"process\":%d,\"started\":%llu},"
             "\"traceEvents\":[\n"
             "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,"
             "\"args\":{\"name\":\"gsolve\"}}",
             GSOLVE_VERSION, process, start_of_process(), process);
}

/* Writes a new head unless this process has written it. Returns whether that was possible. */
static bool begin_file(const gs_trace *t)
{
    char head[GS_TRACE_EVENT], found[GS_TRACE_EVENT] = "";
    size_t length;
    bool written;

    head_of_file(head, t->process);
    length = strlen(head);
    if (flock(t->file, LOCK_EX) != 0) return false;
    written = pread(t->file, found, length, 0) == (ssize_t)length && !memcmp(found, head, length);
    if (!written) {
        strcat(head, GS_TRACE_END);
        length = strlen(head);
        written = ftruncate(t->file, 0) == 0 && pwrite(t->file, head, length, 0) == (ssize_t)length;
    }
    flock(t->file, LOCK_UN);
    return written;
}

/* --- open and close --------------------------------------------------------------------------- */

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
    gs_trace_thread(t, t->thread, "host");
    if (t->device != t->thread) gs_trace_thread(t, t->device, "GPU");
    gs_trace_flush(t);
    return GSOLVE_OK;
}

void gs_trace_close(gsolve_context *ctx)
{
    gs_trace *t = ctx->trace;

    if (!t) return;
    gs_trace_flush(t);
    close(t->file);
    ctx->trace = NULL;
    gsolve_free(ctx, GSOLVE_HOST, t);
}
