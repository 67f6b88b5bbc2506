/* least_squares.h: whether the x of a column is a least-squares solution, see least_squares.c. */
#ifndef GS_SOLVER_RUN_LEAST_SQUARES_H
#define GS_SOLVER_RUN_LEAST_SQUARES_H

#include "solver/run/run.h"

/* Whether columns that did not converge are examined: the method's setup called
 * gs_least_squares_reserve, and the caller has not stopped the run. */
bool gs_may_be_least_squares(const gs_krylov *k);
/* *measure = |A'r| / (|A| |r|) for one column of the caller's b and x, which have these norms. */
gsolve_status gs_normal_residual(gs_krylov *k, gsolve_dense b, gsolve_dense x,
                                 const gs_norms *norms, double *measure);
/* Returns the outcome of a least-squares solution with this |A'r| / (|A| |r|). */
gsolve_outcome gs_least_squares_outcome(gs_krylov *k, double normal);
/* Returns the largest |A'r| / (|A| |r|) of a least-squares solution. */
double gs_least_squares_tolerance(const gs_krylov *k);
/* Whether column c, which is not solved, goes on until r shows that A is singular; starts that. */
bool gs_least_squares_go_on(gs_krylov *k, int32_t c);
/* A run ends: writes the note about least-squares solutions that gs_normal_residual found. */
void gs_least_squares_note(gs_krylov *k);

#endif
