/* resident.h: which runs are resident on the GPU, see resident_kernels.h. */
#ifndef GS_SOLVER_RESIDENT_RESIDENT_H
#define GS_SOLVER_RESIDENT_RESIDENT_H

#include "solver/method.h"
#include "solver/resident/resident_kernels.h"

/* Sets the plan if the method, A and M allow it. */
gsolve_status gs_resident_new(gs_krylov *k);
void gs_resident_drop(gs_krylov *k);
/* A run begins: decides whether it is resident, and copies A's values into the plan if they have
 * changed. */
gsolve_status gs_resident_begin(gs_krylov *k);
/* Launches steps j to j + count; the kernel itself tests convergence after each. */
gsolve_status gs_resident_launch_steps(gs_krylov *k, int64_t j, int count);

/* For a method's resident_steps: the plan, and the arguments for column c. */
const gs_resident *gs_resident_plan(const gs_krylov *k);
gs_resident_run gs_resident_run_of(const gs_krylov *k, int32_t c, gs_scalar rho, gs_scalar next,
                                   int steps);

#endif
