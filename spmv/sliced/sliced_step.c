/* sliced_step.c: which slices compute steps, see sliced_step.h. */
#include "spmv/sliced/sliced_step.h"

const gs_sliced_step_kernels gs_sliced_step_host[GSOLVE_TYPE_COUNT];

bool gs_sliced_can_step(const void *self, const gsolve_context *ctx)
{
    const gs_sliced *s = self;

    return GS_KERNELS(gs_sliced_step, ctx, s->csr.type)->step && gs_sliced_row_per_lane(s) &&
           s->parts == 0;
}

gsolve_status gs_sliced_apply_step(void *self, gsolve_context *ctx, const void *x,
                                   const gs_step *step)
{
    const gs_sliced *s = self;

    return GS_KERNELS(gs_sliced_step, ctx, s->csr.type)->step(ctx->queue, s, x, step);
}
