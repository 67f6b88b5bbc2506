/* level_view.c: products and residuals with a level's matrix. */
#include "precond/amg/level_view.h"

#include "core/try.h"
#include "vector/vector.h"

gsolve_status gs_level_multiply(const gs_level_view *level, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y)
{
    return (level->transposed ? gsolve_matrix_apply_transpose
                              : gsolve_matrix_apply)(level->matrix, alpha, x, beta, y);
}

gsolve_status gs_level_residual(const gs_level_view *level, gsolve_context *ctx, gsolve_dense b,
                                gsolve_dense x, gsolve_dense r)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, b.type)
            ->copy(ctx->queue, (int64_t)b.nrows * b.ncols, b.type, b.value, r.value));
    TRY(gs_level_multiply(level, -1, x, 1, r));
done:
    return status;
}
