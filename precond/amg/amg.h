/* amg.h: what an amg preconditioner holds. */
#ifndef GS_PRECOND_AMG_AMG_H
#define GS_PRECOND_AMG_AMG_H

#include "dist/comm.h"
#include "precond/amg/save_levels.h"

typedef struct gs_amg_state {
    gs_amg_setup S;
    gsolve_csr matrix;     /* until the near-null vectors are given */
    gs_comm *comm;         /* the ranks that share the matrix, or NULL */
    gsolve_dist_csr given; /* with comm: this rank's rows, instead of `matrix` */
    uint64_t pattern;      /* with comm: of this rank's rows */
    int64_t cycles;        /* since the last update, over all columns */
    int64_t solves;        /* of one column each, since the last update */
    double first;          /* cycles per solve after the last set-up */
    bool structure_kept;   /* the last update kept the levels' structure */
    int rebuilds;          /* updates that did not */
    char rebuild_note[96]; /* why the last update rebuilt the levels, or "" */
} gs_amg_state;

gsolve_status gs_amg_check_options(gsolve_context *ctx, const gs_amg_options *o);
/* New values of A: levels that exist are updated, or rebuilt. */
gsolve_status gs_amg_update_levels(gs_amg_state *M, gsolve_context *ctx, gs_amg_matrix A);
void gs_amg_destroy(void *self, gsolve_context *ctx);

/* distributed/set_up.c: see gs_precond_extension. */
gsolve_status gs_amg_set_up_over_ranks(void **self, gsolve_context *ctx, const gsolve_matrix *A,
                                       const void *chosen);

#endif
