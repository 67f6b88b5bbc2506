/* kernels_host.c: the kernels on the CPU. */
#include "precond/amg/kernels.h"

#define GS_BODY "precond/amg/kernels_body.h"
#include "core/each_type.h"

const gs_amg_kernels gs_amg_host[GSOLVE_TYPE_COUNT] = {{constant_f32, dense_f32},
                                                       {constant_f64, dense_f64}};
