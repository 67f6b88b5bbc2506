/* coarsening.h: the interface of a coarsening, which makes the transfer operators of one level. */
#ifndef GS_PRECOND_AMG_COARSENING_COARSENING_H
#define GS_PRECOND_AMG_COARSENING_COARSENING_H

#include "matrix/setup_file.h"
#include "precond/amg/level_view.h"
#include "precond/amg/options.h"

typedef struct gs_transfer {
    gsolve_csr P, R; /* owned: n x m, and R = P' */
    int32_t block;   /* unknowns per node on the coarse level */
    gsolve_dense
        near_null; /* owned: m x k, P near_null ~ the near-null vectors of the fine level */
    void *state;   /* what update needs: aggregates, patterns, orders */
} gs_transfer;

/* T->R = P', where P has that many entries. */
gsolve_status gs_transfer_transpose(gs_transfer *T, gsolve_context *ctx, int64_t entries);
/* R's values from new values of P. */
gsolve_status gs_transfer_update(gs_transfer *T, gsolve_context *ctx);
/* Frees P, R and near_null, and sets T to zero. The state is not freed. */
void gs_transfer_clear(gs_transfer *T, gsolve_context *ctx);

/* Fails if fine's unknowns are not nodes of fine->block unknowns each. */
gsolve_status gs_check_nodes(gsolve_context *ctx, const gs_level_view *fine);

typedef struct gs_coarsening {
    gsolve_status (*build)(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                           const gs_amg_options *options);
    /* fine has new values in the same pattern, and the same near_null. Recomputes the values of P
     * and R. Aggregates, patterns, orders and T's near_null stay. */
    gsolve_status (*update)(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                            const gs_amg_options *options);
    void (*destroy)(gs_transfer *T, gsolve_context *ctx); /* all that T owns */
    /* Writes T's state. */
    gsolve_status (*save)(const gs_transfer *T, gsolve_context *ctx, gs_saving *file);
    /* *T = P and the state in the file. fine: the level with its near_null. A: its matrix on the
     * host. P: clean rows on the host, which T takes ownership of. Whatever the file holds, update
     * then accesses no memory outside T's arrays. */
    gsolve_status (*load)(gs_transfer *T, gsolve_context *ctx, const gs_level_view *fine,
                          const gs_amg_options *options, const gsolve_csr *A, gsolve_csr *P,
                          gs_loading *file);
} gs_coarsening;

extern const gs_coarsening gs_amg_sa, gs_amg_ua, gs_amg_classical;

#endif
