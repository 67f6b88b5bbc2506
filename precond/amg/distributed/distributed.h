/* distributed.h: a hierarchy whose matrix is distributed over ranks. All functions are collective
 * unless a comment says otherwise; vectors hold this rank's rows. It exists on CPUs only. */
#ifndef GS_PRECOND_AMG_DISTRIBUTED_DISTRIBUTED_H
#define GS_PRECOND_AMG_DISTRIBUTED_DISTRIBUTED_H

#include "gsolve_dist.h"
#include "precond/amg/hierarchy.h"

/* --- rows.c: this rank's rows ----------------------------------------------------------------- */

/* *rows = a copy of this rank's rows of A, whose columns ascend. Local. */
gsolve_status gs_rank_rows_of(gsolve_dist_csr *rows, gsolve_context *ctx, const gsolve_matrix *A);
/* *copy = rows with values of this type. Local. */
gsolve_status gs_rank_rows_copy(gsolve_dist_csr *copy, gsolve_context *ctx,
                                const gsolve_dist_csr *rows, gsolve_type type);
/* New values in the same pattern: copy's = those of rows. Local. */
gsolve_status gs_rank_rows_refill(const gsolve_dist_csr *copy, gsolve_context *ctx,
                                  const gsolve_dist_csr *rows);
/* A hash of their pattern. Local. */
uint64_t gs_rank_rows_pattern(const gsolve_context *ctx, const gsolve_dist_csr *rows);

/* *block = the size of the dense blocks that the pattern consists of, or 1. */
gsolve_status gs_find_block_over_ranks(gsolve_context *ctx, const gsolve_dist_csr *rows,
                                       int32_t *block);
/* gs_rigid_body_modes of this rank's nodes. */
gsolve_status gs_modes_over_ranks(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz);
/* *symmetric: whether A is, to rounding. */
gsolve_status gs_is_symmetric_over_ranks(bool *symmetric, gsolve_context *ctx,
                                         const gsolve_matrix *A);

/* --- hierarchy.c ------------------------------------------------------------------------------ */

/* Fails if these options do not work over ranks. Local. */
gsolve_status gs_amg_check_over_ranks(gsolve_context *ctx, const gs_amg_options *options);

/* gs_hierarchy_build from this rank's rows, with greedy aggregation replaced by mis2. The levels
 * are those of one rank, bits included. */
gsolve_status gs_hierarchy_build_over_ranks(gs_hierarchy **h, gsolve_context *ctx,
                                            const gsolve_dist_csr *rows, gsolve_type type,
                                            gsolve_dense *near_null, int32_t block,
                                            const gs_amg_options *options);
/* New values in the same pattern. */
gsolve_status gs_hierarchy_update_over_ranks(gs_hierarchy *h, gsolve_context *ctx,
                                             const gsolve_dist_csr *rows);
/* This rank's rows of the finest level, in the type of the levels. Local. */
const gsolve_dist_csr *gs_rank_rows_of_levels(const gs_hierarchy *h);

#endif
