/* sliced_restore.h: rows out of slices again, so that a matrix that is only multiplied need not be
 * kept twice. */
#ifndef GS_SPMV_SLICED_SLICED_RESTORE_H
#define GS_SPMV_SLICED_SLICED_RESTORE_H

#include "spmv/sliced/sliced.h"

typedef struct gs_sliced_restore_kernels {
    /* col[] and value[] of s->csr, whose offsets are there, in the order that they had. Waits for
     * nothing. */
    gsolve_status (*restore)(gs_queue *q, const gs_sliced *s, int32_t *col, void *value);
} gs_sliced_restore_kernels;

extern const gs_sliced_restore_kernels gs_sliced_restore_host[GSOLVE_TYPE_COUNT];
extern const gs_sliced_restore_kernels gs_sliced_restore_cuda[GSOLVE_TYPE_COUNT];

/* self, a gs_sliced: whether all entries are in it, none cut off and none in a long row. */
bool gs_sliced_holds_all(const void *self);

/* *csr, self's rows as it knows them, whose offsets are there, gets columns and values of its own.
 */
gsolve_status gs_sliced_restore(const void *self, gsolve_context *ctx, gsolve_csr *csr);

#endif
