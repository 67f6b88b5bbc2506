/* no_metis.c: replaces metis.c in a build without METIS. */
#include "factor/ordering.h"

gsolve_status gs_order_nd(int32_t *order, gsolve_context *ctx, const gs_adjacency *g)
{
    (void)order;
    (void)g;
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "order=nd needs METIS, and this build of gsolve has none: install METIS "
                       "(Debian package libmetis-dev) and configure gsolve with -DGSOLVE_METIS=ON, "
                       "or use order=amd");
}
