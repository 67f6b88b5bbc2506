/* progress.h: how far the columns of a run have come. The device tests convergence after every
 * step; the host reads the result once a chunk of steps. */
#ifndef GS_SOLVER_RUN_PROGRESS_H
#define GS_SOLVER_RUN_PROGRESS_H

#include "solver/run/run.h"

typedef struct gs_monitoring {
    gsolve_monitor *monitor; /* the caller's, or NULL */
    void *user;
    int reported; /* the last iteration that the monitor was called for */
    bool stopped; /* the monitor asked for the end of the run */
} gs_monitoring;

void gs_set_monitor(gs_krylov *k, gsolve_monitor *monitor, void *user);
/* Progress of the active columns begins; their targets are set. */
gsolve_status gs_progress_begin(gs_krylov *k);
/* Tests convergence after a start (iterations: 0) or after a step (1). */
gsolve_status gs_progress_test(gs_krylov *k, int iterations);
/* Starts the copy of the progress to the host, in this slot. */
gsolve_status gs_progress_send(gs_krylov *k, int slot);
/* Waits for the copy in this slot and reads it: ends columns and calls the monitor. *any: a column
 * is still active. */
gsolve_status gs_progress_read(gs_krylov *k, int slot, bool *any);

#endif
