/* sliced_step.h: the steps of spmv/step.h with slices, on a GPU. */
#ifndef GS_SPMV_SLICED_SLICED_STEP_H
#define GS_SPMV_SLICED_SLICED_STEP_H

#include "spmv/sliced/sliced.h"
#include "spmv/step.h"

typedef struct gs_sliced_step_kernels {
    gsolve_status (*step)(gs_queue *q, const gs_sliced *s, const void *x, const gs_step *step);
} gs_sliced_step_kernels;

extern const gs_sliced_step_kernels gs_sliced_step_host[GSOLVE_TYPE_COUNT]; /* empty */
extern const gs_sliced_step_kernels gs_sliced_step_cuda[GSOLVE_TYPE_COUNT];

/* The members of gs_format_step for a format whose self is a gs_sliced. A step needs one thread to
 * own a complete row. */
bool gs_sliced_can_step(const void *self, const gsolve_context *ctx);
gsolve_status gs_sliced_apply_step(void *self, gsolve_context *ctx, const void *x,
                                   const gs_step *step);

#endif
