/* apply.h: applications of a hierarchy to vectors of any type and any number of columns. */
#ifndef GS_PRECOND_AMG_APPLY_H
#define GS_PRECOND_AMG_APPLY_H

#include "precond/amg/hierarchy.h"

/* z = M^-1 r, or M^-T r. Several columns share a cycle. The first call with several columns
 * allocates their vectors. */
gsolve_status gs_hierarchy_apply(gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                                 gsolve_dense r, gsolve_dense z);
/* z = M^-1 r and *rz = r'z, a number on the device; one column. */
gsolve_status gs_hierarchy_apply_dot(gs_hierarchy *h, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z, double *rz);

#endif
