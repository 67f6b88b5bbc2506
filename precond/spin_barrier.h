/* spin_barrier.h: where the threads of a subwarp wait for each other between levels, which are a
 * matter of microseconds. Who waits longer than that gives its processor away: on a busy machine
 * the thread that is waited for may need that very processor (OpenMP's barrier then costs a time
 * slice, 4 ms).
 */
#ifndef GS_PRECOND_SPIN_BARRIER_H
#define GS_PRECOND_SPIN_BARRIER_H

#include <sched.h>
#include <stdatomic.h>

#define GS_BARRIER_SPINS 4000 /* about two microseconds */

typedef struct gs_spin_barrier { /* all zero to begin with */
    atomic_int arrived, round;
} gs_spin_barrier;

/* Returns when all of the subwarp have called it. */
static inline void gs_spin_barrier_wait(gs_spin_barrier *b, int subwarp)
{
    const int round = atomic_load_explicit(&b->round, memory_order_acquire);

    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == subwarp - 1) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->round, round + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&b->round, memory_order_acquire) == round; spins++) {
        if (spins >= GS_BARRIER_SPINS) sched_yield();
    }
}

#endif
