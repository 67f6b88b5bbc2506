/* spin_barrier.h: a barrier for the threads of a parallel region that meet every few microseconds.
 * A thread spins for GS_BARRIER_SPINS rounds, then yields its processor in each round: on a busy
 * machine the last thread may need that processor. OpenMP's barrier costs a time slice of 4 ms
 * then. */
#ifndef GS_PRECOND_SPIN_BARRIER_H
#define GS_PRECOND_SPIN_BARRIER_H

#include <sched.h>
#include <stdatomic.h>

#define GS_BARRIER_SPINS 4000 /* about two microseconds */

typedef struct gs_spin_barrier { /* initialise to zero */
    atomic_int arrived, round;
} gs_spin_barrier;

/* Returns when `threads` threads have called it. */
static inline void gs_spin_barrier_wait(gs_spin_barrier *b, int threads)
{
    const int round = atomic_load_explicit(&b->round, memory_order_acquire);

    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == threads - 1) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->round, round + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&b->round, memory_order_acquire) == round; spins++) {
        if (spins >= GS_BARRIER_SPINS) sched_yield();
    }
}

#endif
