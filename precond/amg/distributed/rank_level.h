/* rank_level.h: what a level has besides if its rows are distributed over ranks. Its A, P and R are
 * distributed matrix handles. Set-up and updates work on the rows below. */
#ifndef GS_PRECOND_AMG_DISTRIBUTED_RANK_LEVEL_H
#define GS_PRECOND_AMG_DISTRIBUTED_RANK_LEVEL_H

#include "dist/transpose.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/distributed/node_rows.h"
#include "precond/amg/level.h"
#include "spgemm/distributed/distributed.h"

/* The aggregates of the nodes of a rank, ghosts included. */
typedef struct gs_rank_aggregates {
    gsolve_row_range range; /* the aggregates whose roots this rank owns */
    gs_column_map map;      /* of the aggregates of all nodes here */
    gs_aggregates G;        /* of compact nodes, with compact numbers of aggregates */
    gs_connections C;       /* strong connections, until P has its pattern */
    void *Q;                /* the entries of the tentative prolongator: memory of G.Q */
    uint32_t *bits;         /* strong entries, see gs_amg_kernels.pack */
    double damping;
} gs_rank_aggregates;

typedef struct gs_rank_level {
    gsolve_dist_csr rows; /* of the level's matrix, in the type of the levels */
    bool owned;           /* rows are; else they are the product of the level above */
    gs_node_rows local;
    gs_rank_aggregates sa;
    gsolve_csr P;      /* with compact rows and compact columns */
    gsolve_dist_csr p; /* its own rows, owned */
    gs_dist_transpose *R;
    gs_dist_galerkin *RAP; /* the matrix of the next level */
} gs_rank_level;

/* --- aggregation.c ---------------------------------------------------------------------------- */

/* The strong connections and the aggregates of level l, by the rules of one rank. Sets C, bits,
 * range, and of, count, nodes, block, entries of G. Collective. */
gsolve_status gs_aggregate_over_ranks(gs_rank_aggregates *sa, gsolve_context *ctx, gs_node_rows *L,
                                      double strength);
void gs_rank_aggregates_drop(gs_rank_aggregates *sa, gsolve_context *ctx);

/* --- tentative.c ------------------------------------------------------------------------------ */

/* Sets sa->Q, also of ghosts, and *coarse, the near-null vectors of this rank's aggregates, owned.
 * B: those of this rank's rows, in A's type. Collective. */
gsolve_status gs_tentative_over_ranks(gs_rank_aggregates *sa, gsolve_context *ctx, gs_node_rows *L,
                                      gsolve_dense B, gsolve_dense *coarse);

/* --- transfer.c ------------------------------------------------------------------------------- */

/* Everything of level l's transfer but the handles; and these. Both are collective. */
gsolve_status gs_coarsening_over_ranks(gs_level *l, gsolve_context *ctx,
                                       const gs_amg_options *options);
gsolve_status gs_rank_level_set_transfer(gs_level *l, gsolve_context *ctx);
/* New values of P and R from those of the level's rows. Collective. */
gsolve_status gs_transfer_update_over_ranks(gs_level *l, gsolve_context *ctx);

/* Frees the transfer to the next level, or all. */
void gs_rank_level_drop(gs_rank_level *r, gsolve_context *ctx, bool all);

#endif
