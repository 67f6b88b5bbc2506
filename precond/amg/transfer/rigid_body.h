/* rigid_body.h: rigid motions of an elastic body. */
#ifndef GS_PRECOND_AMG_TRANSFER_RIGID_BODY_H
#define GS_PRECOND_AMG_TRANSFER_RIGID_BODY_H

#include "matrix/csr.h"

typedef struct gs_rigid_body_kernels {
    /* B, of the table's type, see gs_rigid_body_modes */
    gsolve_status (*modes)(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B);
} gs_rigid_body_kernels;

extern const gs_rigid_body_kernels gs_rigid_body_host[GSOLVE_TYPE_COUNT];
extern const gs_rigid_body_kernels gs_rigid_body_cuda[GSOLVE_TYPE_COUNT];

#endif
