/* relax_host.c: the passes of relax.h on the CPU. */
#include "precond/amg/smoothers/relax.h"

#include "vector/blocks.h"

static gsolve_status longest(gsolve_context *ctx, const gsolve_csr *A, int32_t *longest)
{
    int64_t most = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(max : most)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t length = gs_start(A, i + 1) - gs_start(A, i);
        if (length > most) most = length;
    }
    *longest = (int32_t)most;
    return GSOLVE_OK;
}

#define GS_BODY "precond/amg/smoothers/relax_body.h"
#include "core/each_type.h"

const gs_relax_kernels GS_LEVEL(gs_relax_host)[GSOLVE_TYPE_COUNT] = {{longest, relax_f32},
                                                                     {longest, relax_f64}};
