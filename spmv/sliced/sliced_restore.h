/* sliced_restore.h: restores rows from slices, so that a matrix that is only multiplied need not be
 * stored twice. */
#ifndef GS_SPMV_SLICED_SLICED_RESTORE_H
#define GS_SPMV_SLICED_SLICED_RESTORE_H

#include "spmv/sliced/sliced.h"

typedef struct gs_sliced_restore_kernels {
    /* Restores col[] and value[] of s->csr, whose offsets exist, in their original order. Does not
     * wait for the device. */
    gsolve_status (*restore)(gs_queue *q, const gs_sliced *s, int32_t *col, void *value);
} gs_sliced_restore_kernels;

extern const gs_sliced_restore_kernels gs_sliced_restore_host[GSOLVE_TYPE_COUNT];
extern const gs_sliced_restore_kernels gs_sliced_restore_cuda[GSOLVE_TYPE_COUNT];

/* self is a gs_sliced. Whether it holds all entries: none is left out, and none is in a long row.
 */
bool gs_sliced_holds_all(const void *self);

/* *csr describes self's rows and has offsets only. Its columns and values are allocated and
 * restored. */
gsolve_status gs_sliced_restore(const void *self, gsolve_context *ctx, gsolve_csr *csr);

#endif
