/* dist_choose.h: automatic choices for a matrix that several ranks may share. */
#ifndef GS_SOLVER_CHOOSE_DIST_CHOOSE_H
#define GS_SOLVER_CHOOSE_DIST_CHOOSE_H

#include "gsolve_dist.h"

/* gsolve_dist_choose if A is distributed over ranks, else gsolve_auto_choose. */
bool gs_choose_for(const gsolve_context *ctx, const gsolve_matrix *A,
                   const gsolve_statistics *statistics, int attempt, gsolve_choice *choice);

#endif
