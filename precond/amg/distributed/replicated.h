/* replicated.h: the coarse levels of a hierarchy over ranks, which every rank holds as a whole. All
 * ranks compute the same with the code of one rank, so nothing is sent back. */
#ifndef GS_PRECOND_AMG_DISTRIBUTED_REPLICATED_H
#define GS_PRECOND_AMG_DISTRIBUTED_REPLICATED_H

#include "gsolve_dist.h"
#include "precond/amg/hierarchy.h"

/* *out = the levels from the matrix with these rows of this rank on. near_null: of this
 * rank, in `type`. finer: the levels above; zero: none. Collective. On failure, which is that of
 * all ranks, *out is NULL. */
gsolve_status gs_replicated_new(gs_replicated **out, gsolve_context *ctx,
                                const gsolve_dist_csr *rows, gsolve_type type,
                                gsolve_dense near_null, int32_t block,
                                const gs_amg_options *options, const gs_finer_levels *finer);
/* New values in the same pattern. Collective. */
gsolve_status gs_replicated_update(gs_replicated *T, gsolve_context *ctx,
                                   const gsolve_dist_csr *rows);

#endif
