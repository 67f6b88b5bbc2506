/* rigid_modes.h: near-null vectors of elasticity. */
#ifndef GS_PRECOND_AMG_RIGID_MODES_H
#define GS_PRECOND_AMG_RIGID_MODES_H

#include "core/dense.h"

/* *B = the rigid body modes of an elastic body, owned, of this type, on ctx's device: 3 or 6
 * columns from the 2 or 3 coordinates of its nodes. Row I of xyz, which lies on ctx's device, holds
 * the d coordinates of node I; the displacement of node I in direction c is row I d + c of B. They
 * are the near-null vectors of the body's stiffness matrix. GSOLVE_BAD_ARGUMENT: another number of
 * coordinates. */
gsolve_status gs_rigid_body_modes(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz);

#endif
