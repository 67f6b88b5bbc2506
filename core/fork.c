/* fork.c: OpenMP's threads do not survive fork. GCC's runtime still counts on them in the child: a
 * region that asks for several threads waits for them for ever, while a region of one thread waits
 * for nobody. So the child computes with one thread; results have the same bits for any number. */
#include <pthread.h>
#include <stdatomic.h>

#include "core/context.h"

enum { UNWATCHED, WATCHED, CHILD };

/* The only variable that contexts share. It changes twice at most: when the process creates its
 * first context, and in a child of that process. */
static atomic_int process = UNWATCHED;

static void enter_child(void)
{
    atomic_store(&process, CHILD);
}

void gs_detect_fork(void)
{
    int expected = UNWATCHED;

    if (atomic_compare_exchange_strong(&process, &expected, WATCHED)) {
        pthread_atfork(NULL, NULL, enter_child);
    }
}

int gs_usable_threads(int threads)
{
    return atomic_load_explicit(&process, memory_order_relaxed) == CHILD ? 1 : threads;
}
