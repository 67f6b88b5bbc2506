/* transpose.h: A' of a distributed matrix A. */
#ifndef GS_DIST_TRANSPOSE_H
#define GS_DIST_TRANSPOSE_H

#include "dist/rows.h"

typedef struct gs_dist_transpose gs_dist_transpose;

/* *T = A'. Its rows on this rank are those of A->cols, and its columns are divided as the rows of
 * A. Its columns ascend strictly in every row. A is on the host and complete (gs_dist_complete),
 * its columns ascend strictly in every row, and its row ranges and column ranges follow one another
 * in rank order. Collective. On failure, which is that of all ranks, *T is NULL. */
gsolve_status gs_dist_transpose_new(gs_dist_transpose **T, gsolve_context *ctx,
                                    const gsolve_dist_csr *A);

/* The rows of A' of this rank. Valid until T is dropped. */
const gsolve_dist_csr *gs_dist_transpose_csr(const gs_dist_transpose *T);

/* New values. A has the pattern and the type of gs_dist_transpose_new. Allocates nothing.
 * Collective. */
gsolve_status gs_dist_transpose_update(gs_dist_transpose *T, gsolve_context *ctx,
                                       const gsolve_dist_csr *A);

/* *csr = the rows of A', which the caller frees with gsolve_dist_csr_free. T can only be dropped
 * afterwards. */
void gs_dist_transpose_take(gs_dist_transpose *T, gsolve_dist_csr *csr);

void gs_dist_transpose_drop(gs_dist_transpose **T, gsolve_context *ctx);

#endif
