/* jacobi_host.c: the kernel on the CPU. */
#include "core/blocks.h"
#include "core/lanes.h"
#include "precond/jacobi/jacobi.h"

#define GS_BODY "precond/jacobi/jacobi_body.h"
#include "core/each_type.h"

const gs_jacobi_kernels gs_jacobi_host[GSOLVE_TYPE_COUNT] = {{apply_f32, apply_columns_f32},
                                                             {apply_f64, apply_columns_f64}};
