/* rigid_body.h: the rigid body modes of an elastic body: translations and rotations. */
#ifndef GS_PRECOND_AMG_TRANSFER_RIGID_BODY_H
#define GS_PRECOND_AMG_TRANSFER_RIGID_BODY_H

#include "matrix/csr.h"

typedef struct gs_rigid_body_kernels {
    /* B = the modes, see gs_rigid_body_modes; B has the type of this table entry */
    gsolve_status (*modes)(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B);
} gs_rigid_body_kernels;

extern const gs_rigid_body_kernels gs_rigid_body_host[GSOLVE_TYPE_COUNT];
extern const gs_rigid_body_kernels gs_rigid_body_cuda[GSOLVE_TYPE_COUNT];

/* *B = the rigid body modes of an elastic body, owned, of this type, on ctx's device: 3 or 6
 * columns from the 2 or 3 coordinates of its nodes. Row I of xyz, which lies on ctx's device, holds
 * the d coordinates of node I; the displacement of node I in direction c is row I d + c of B.
 * GSOLVE_BAD_ARGUMENT: another number of coordinates. */
gsolve_status gs_rigid_body_modes(gsolve_dense *B, gsolve_context *ctx, gsolve_type type,
                                  gsolve_dense xyz);

#endif
