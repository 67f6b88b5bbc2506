/* block_jacobi_host.c: instances of block_jacobi_body.h. */
#include "precond/block_jacobi/block_jacobi.h"

#define GS_BODY "precond/block_jacobi/block_jacobi_body.h"
#include "core/each_type.h"

const gs_block_jacobi_kernels gs_block_jacobi_host[GSOLVE_TYPE_COUNT] = {{apply_f32}, {apply_f64}};
