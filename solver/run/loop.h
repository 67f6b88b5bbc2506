/* loop.h: the loop around every method. */
#ifndef GS_SOLVER_RUN_LOOP_H
#define GS_SOLVER_RUN_LOOP_H

#include "solver/method.h"

/* Solves A x = b for the first k->ncols columns of the caller's b and x. */
gsolve_status gs_krylov_run(gs_krylov *k, gsolve_dense b, gsolve_dense x);

#endif
