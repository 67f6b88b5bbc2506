/* auto.h: the method "auto": which method it stands for, and which preconditioner. */
#ifndef GS_SOLVER_CHOOSE_AUTO_H
#define GS_SOLVER_CHOOSE_AUTO_H

#include "solver/method.h"

/* named = spec, with the method that suits csr in the place of "auto". */
gsolve_status gs_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                             char *named, size_t size);

/* Sets k up for spec, which names auto: with k->M if there is one, else with a preconditioner of
 * its own; k->chosen says what was chosen. */
gsolve_status gs_auto_set_up(gs_krylov *k, const char *spec);

/* Before a run: the preconditioner that auto made follows the values of A. */
gsolve_status gs_auto_update(gs_krylov *k);

/* After a run: k->note ends with k->chosen. */
void gs_auto_note(gs_krylov *k);

#endif
