/* no_faults.c: the failing kernels of faults.h in a build without CUDA. */
#include "gsolve_plugin.h"

gsolve_status launch_refused_kernel(gsolve_context *ctx);
gsolve_status launch_dying_kernel(gsolve_context *ctx);

gsolve_status launch_refused_kernel(gsolve_context *ctx)
{
    return gsolve_fail(ctx, GSOLVE_NO_DEVICE, "this build has no CUDA");
}

gsolve_status launch_dying_kernel(gsolve_context *ctx)
{
    return gsolve_fail(ctx, GSOLVE_NO_DEVICE, "this build has no CUDA");
}
