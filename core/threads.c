/* threads.c: the number of threads of a context, and one thread after fork.
 *
 * OpenMP threads do not survive fork. In the child, GCC's runtime still expects them: a parallel
 * region of several threads waits forever; a region of one thread works. The child therefore
 * computes with one thread. The bits of results do not depend on the number of threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "core/context.h"

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
