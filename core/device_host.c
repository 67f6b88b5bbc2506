/* device_host.c: the number of threads of a context, and the CPU as a device.
 *
 * OpenMP threads do not survive fork. In the child, GCC's runtime still expects them: a parallel
 * region of several threads waits forever; a region of one thread works. The child therefore
 * computes with one thread. The bits of results do not depend on the number of threads. */
#include "core/context.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_REGISTERED, REGISTERED, CHILD };

/* The library's only global variable. It changes at most twice: when the process creates its first
 * context, and in a child of that process. */
static atomic_int process = NOT_REGISTERED;

static void enter_child(void)
{
    atomic_store(&process, CHILD);
}

void gs_detect_fork(void)
{
    int expected = NOT_REGISTERED;

    if (atomic_compare_exchange_strong(&process, &expected, REGISTERED)) {
        pthread_atfork(NULL, NULL, enter_child);
    }
}

int gs_usable_threads(int threads)
{
    return atomic_load_explicit(&process, memory_order_relaxed) == CHILD ? 1 : threads;
}

int gsolve_threads(const gsolve_context *ctx)
{
    return gs_usable_threads(ctx->device->threads(ctx->queue));
}

/* --- the device ---------------------------------------------------------------------------- */

static const gsolve_option options[] = {
    {"threads", "number of threads; 0: OMP_NUM_THREADS, or all processors if that is not set",
     GSOLVE_INT, offsetof(gs_device_options, threads), 0, 0, 4096, NULL},
    GS_OPTION_MEMORY,
    {0},
};

/* The processor's name from /proc/cpuinfo. */
static void processor_name(char name[64])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");

    snprintf(name, 64, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, 64, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file) fclose(file);
}

static gsolve_status open_host(gs_queue **queue, gsolve_context *ctx, const void *chosen,
                               char error[256], char description[128])
{
    const gs_device_options *o = chosen;
    struct gs_host_queue *q = malloc(sizeof *q);
    char name[64];

    (void)ctx;
    if (!q) {
        snprintf(error, 256, "out of memory");
        return GSOLVE_NO_MEMORY;
    }
    q->threads = gs_usable_threads(o->threads ? o->threads : omp_get_max_threads());
    processor_name(name);
    snprintf(description, 128, "%s, %d thread%s", name, q->threads, q->threads == 1 ? "" : "s");
    *queue = (gs_queue *)q;
    return GSOLVE_OK;
}

static void close_host(gs_queue *q)
{
    free(q);
}

int gs_processors(void)
{
    return omp_get_num_procs();
}

void gs_copy_host(int threads, void *to, const void *from, size_t bytes)
{
    const size_t piece = (size_t)1 << 20, pieces = (bytes + piece - 1) / piece;
    const int used = pieces < (size_t)threads ? (int)pieces : threads;

    if (pieces <= 4) { /* without OpenMP, which would take longer than a small copy */
        if (bytes > 0) memcpy(to, from, bytes);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(used)
    for (size_t at = 0; at < bytes; at += piece) {
        memcpy((char *)to + at, (const char *)from + at, bytes - at < piece ? bytes - at : piece);
    }
}

const gs_device gs_device_host = {
    .plugin = {"cpu", "processors of the host, with OpenMP", options, sizeof(gs_device_options)},
    .open = open_host,
    .close = close_host,
    .threads = gs_queue_threads,
};
