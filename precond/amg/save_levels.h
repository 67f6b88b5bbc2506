/* save_levels.h: amg's levels in a file, see gsolve_precond_save.
 *
 * The file holds for each level but the finest its matrix and the prolongator from it; the
 * aggregates or points that updates need; and the near-null vectors of the finest level. Everything
 * else is computed again when the file is read: the finest matrix is the caller's; R = P';
 * smoothers, the solve of the coarsest level and the formats of the matrices depend on the matrices
 * only. So a set-up of one device can be loaded on another. */
#ifndef GS_PRECOND_AMG_SAVE_LEVELS_H
#define GS_PRECOND_AMG_SAVE_LEVELS_H

#include "matrix/setup_file.h"
#include "precond/amg/setup.h"

/* What amg keeps from one update to the next. */
typedef struct gs_amg_updates {
    double first;        /* cycles per solve after the last set-up */
    bool structure_kept; /* the last update kept the levels' structure */
} gs_amg_updates;

/* S->h exists, and its finest rows are not released. */
gsolve_status gs_amg_save(const gs_amg_setup *S, gs_amg_updates updates, gsolve_context *ctx,
                          gs_saving *file);

/* Sets S->h and S->type_note, and S's options block and null_space. csr: the matrix where kernels
 * read it; rows: its rows on the host. The other members of S are set. */
gsolve_status gs_amg_load(gs_amg_setup *S, gs_amg_updates *updates, gsolve_context *ctx,
                          const gsolve_csr *csr, const gsolve_csr *rows, gs_loading *file);

#endif
