/* jacobi_host.c: the kernels of jacobi on the CPU. */
#include "precond/jacobi/jacobi.h"

#include "vector/blocks.h"

#define GS_BODY "precond/jacobi/jacobi_body.h"
#include "core/each_type.h"

const gs_jacobi_kernels GS_LEVEL(gs_jacobi_host)[GSOLVE_TYPE_COUNT] = {
    {apply_f32, apply_columns_f32}, {apply_f64, apply_columns_f64}};
