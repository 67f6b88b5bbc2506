/* step.c: steps of a matrix handle, see step.h. */
#include "spmv/step.h"

#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/sliced/sliced_step.h"

const gs_sliced_step_kernels gs_sliced_step_host[GSOLVE_TYPE_COUNT];

bool gs_matrix_steps(const gsolve_matrix *A)
{
    const gs_sliced_step_kernels *kernels = GS_KERNELS(gs_sliced_step, A->ctx, A->csr.type);

    return A->format == &gs_sell_format && kernels->step && gs_sliced_steps(A->self);
}

gsolve_status gs_matrix_step(const gsolve_matrix *A, const void *x, const gs_step *step)
{
    gsolve_status status;

    TRY(gs_matrix_need_form(A));
    TRY(GS_KERNELS(gs_sliced_step, A->ctx, A->csr.type)->step(A->ctx->queue, A->self, x, step));
done:
    return status;
}
