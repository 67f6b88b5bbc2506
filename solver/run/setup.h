/* setup.h: allocation, set-up and release of a solver. */
#ifndef GS_SOLVER_RUN_SETUP_H
#define GS_SOLVER_RUN_SETUP_H

#include "solver/method.h"

/* *k = a solver without a method, its parts empty. counting: its work space is only counted. */
gsolve_status gs_solver_new(gs_krylov **k, gsolve_context *ctx, bool counting);
/* Releases the solver itself. gs_solver_drop releases what the method and the set-up allocated, and
 * is called before. */
void gs_solver_free(gs_krylov **k);
/* Parses `spec` and sets the method and its options. */
gsolve_status gs_solver_set_method(gs_krylov *k, const char *spec);
/* Checks that A and k->M suit the method. */
gsolve_status gs_solver_check(const gs_krylov *k);
/* Work space for runs of `width` columns; a larger width allocates all of it again. */
gsolve_status gs_solver_reserve(gs_krylov *k, int32_t width);
/* Sets k up for the method that `spec` names, with k->M. */
gsolve_status gs_solver_set_up(gs_krylov *k, const char *spec);
/* Undoes gs_solver_set_up, so that it can be called with another spec. */
void gs_solver_drop(gs_krylov *k);

#endif
