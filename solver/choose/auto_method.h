/* auto_method.h: a solver whose spec names "auto": the method, and without k->M the preconditioner,
 * are chosen for the matrix. */
#ifndef GS_SOLVER_CHOOSE_AUTO_METHOD_H
#define GS_SOLVER_CHOOSE_AUTO_METHOD_H

#include "solver/method.h"

/* Sets k up for `spec`, which names auto: with k->M if there is one, else with a preconditioner of
 * its own. */
gsolve_status gs_auto_method_set_up(gs_krylov *k, const char *spec);
/* Before a run: updates the preconditioner if A has new values. */
gsolve_status gs_auto_method_update(gs_krylov *k);
/* After a run: appends the choice to k->note. */
void gs_auto_method_note(gs_krylov *k);
/* Releases the preconditioner. */
void gs_auto_method_drop(gs_krylov *k);

/* --- choose.c --- */

/* Whether the next choice may succeed where one fails with this status: the failure depends on the
 * matrix and the choice. */
bool gs_may_fall_back(gsolve_status status);
/* named = `method` with the options of `spec`. */
gsolve_status gs_method_with_options(gsolve_context *ctx, const char *spec, const char *method,
                                     char *named, size_t size);
/* named = spec; a name "auto" is replaced by the method that auto chooses for csr. */
gsolve_status gs_auto_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                  char *named, size_t size);

#endif
