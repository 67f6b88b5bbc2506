/* rigid_body.c: the rigid body modes of an elastic body from the coordinates of its nodes. They are
 * the near-null vectors of its stiffness matrix. */
#include "precond/amg/transfer/rigid_body.h"

#include "core/staging.h"

#define SMALL static inline
#include "precond/amg/transfer/rigid_body_rule.h"

#define GS_BODY "precond/amg/transfer/rigid_body_body.h"
#include "core/each_type.h"

const gs_rigid_body_kernels gs_rigid_body_host[GSOLVE_TYPE_COUNT] = {{modes_f32}, {modes_f64}};

gsolve_status gs_rigid_body_modes(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz)
{
    const int32_t d = xyz.ncols;
    gsolve_dense new;
    gsolve_status status;

    if (d < 2 || d > 3 || xyz.nrows > INT32_MAX / d) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%d nodes with %d coordinates; each may have 2 or 3, and less than 2^31 "
                           "unknowns are allowed",
                           xyz.nrows, d);
    }
    status = gs_dense_new(&new, ctx, gs_location(ctx), type, d * xyz.nrows, d == 2 ? 3 : 6);
    if (status != GSOLVE_OK) return status;
    status = GS_KERNELS(gs_rigid_body, ctx, type)->modes(ctx, xyz, new);
    if (status == GSOLVE_OK) {
        *B = new;
    } else {
        gsolve_free(ctx, new.location, new.value);
    }
    return status;
}
