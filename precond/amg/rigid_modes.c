/* rigid_modes.c: see rigid_modes.h. */
#include "precond/amg/rigid_modes.h"

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

gsolve_status gs_rigid_body_modes(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz)
{
    const int32_t d = xyz.ncols;
    gsolve_dense new = {0};
    gsolve_status status;

    if (d < 2 || d > 3 || xyz.nrows > INT32_MAX / d) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "%d nodes with %d coordinates; a node must have 2 or 3 coordinates, and there "
            "must be fewer than 2^31 unknowns",
            xyz.nrows, d);
    }
    TRY(gs_dense_new(&new, ctx, gs_location(ctx), type, d * xyz.nrows, d == 2 ? 3 : 6));
    TRY(GS_KERNELS(gs_tentative, ctx, type)->modes(ctx, xyz, new));
    *B = new;
    new.value = NULL;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, new.value);
    return status;
}
