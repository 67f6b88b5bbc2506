/* step.c: steps with a matrix handle, see step.h. */
#include "spmv/step.h"

#include "core/try.h"
#include "spmv/handle.h"

bool gs_matrix_can_step(const gsolve_matrix *A)
{
    const gs_format_step *steps = gs_format_step_of(A->format);

    return steps && steps->can_step(A->self, A->ctx);
}

gsolve_status gs_matrix_step(const gsolve_matrix *A, const void *x, const gs_step *step)
{
    gsolve_status status;

    TRY(gs_matrix_need_form(A));
    TRY(gs_format_step_of(A->format)->step(A->self, A->ctx, x, step));
done:
    return status;
}
