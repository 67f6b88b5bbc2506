/* sliced_step.h: steps of spmv/step.h by slices, on a GPU. */
#ifndef GS_SPMV_SLICED_SLICED_STEP_H
#define GS_SPMV_SLICED_SLICED_STEP_H

#include "spmv/sliced/sliced.h"
#include "spmv/step.h"

/* Whether a thread has a row, and all of it. */
static inline bool gs_sliced_steps(const gs_sliced *s)
{
    return gs_sliced_row_a_lane(s) && s->parts == 0;
}

typedef struct gs_sliced_step_kernels {
    gsolve_status (*step)(gs_queue *q, const gs_sliced *s, const void *x, const gs_step *step);
} gs_sliced_step_kernels;

extern const gs_sliced_step_kernels gs_sliced_step_host[GSOLVE_TYPE_COUNT]; /* none */
extern const gs_sliced_step_kernels gs_sliced_step_cuda[GSOLVE_TYPE_COUNT];

#endif
