/* block_jacobi_host.c: the kernels of block_jacobi on the CPU. */
#include "precond/block_jacobi/block_jacobi.h"

#define GS_BODY "precond/block_jacobi/block_jacobi_body.h"
#include "core/each_type.h"

const gs_block_jacobi_kernels GS_LEVEL(gs_block_jacobi_host)[GSOLVE_TYPE_COUNT] = {{apply_f32},
                                                                                   {apply_f64}};
