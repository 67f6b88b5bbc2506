/* inner.h: a solver inside a method, as in refine. */
#ifndef GS_SOLVER_RUN_INNER_H
#define GS_SOLVER_RUN_INNER_H

#include "solver/method.h"

/* From here on inner's runs begin with x = 0 and end without the true residual: the method that
 * calls it computes it. */
void gs_inner_mark(gsolve_solver *inner);
/* Runs inner and adds its products, times and profile to those of k. */
gsolve_status gs_inner_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                           gsolve_result *result);

#endif
