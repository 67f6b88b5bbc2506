/* create.h: checks of a rank's rows, for the creation and for the update of a distributed matrix.
 */
#ifndef GS_SPMV_DISTRIBUTED_CREATE_H
#define GS_SPMV_DISTRIBUTED_CREATE_H

#include "spmv/distributed/distributed.h"

/* csr with its columns: as the rows, if the caller left them out. */
gsolve_dist_csr gs_dist_complete(const gsolve_dist_csr *csr);

/* *shape = offsets and values of csr; its columns are not set. Fails if the offsets decrease. */
gsolve_status gs_dist_shape(gsolve_csr *shape, gsolve_context *ctx, const gsolve_dist_csr *csr);

/* Fails if a column is out of range or a value not finite. */
gsolve_status gs_dist_check_entries(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                    const gsolve_csr *shape);

/* A hash of the pattern. */
uint64_t gs_dist_pattern(const gsolve_context *ctx, const gsolve_csr *shape, const int64_t *col);

#endif
