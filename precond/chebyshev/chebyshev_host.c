/* chebyshev_host.c: the kernel on the CPU. */
#include "precond/chebyshev/chebyshev.h"

#include "core/blocks.h"

#define GS_BODY "precond/chebyshev/chebyshev_body.h"
#include "core/each_type.h"

const gs_chebyshev_kernels gs_chebyshev_host[GSOLVE_TYPE_COUNT] = {{step_f32}, {step_f64}};
