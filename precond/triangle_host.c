/* triangle_host.c: the triangular solve on the CPU. */
#include "precond/triangle.h"

#define GS_BODY "precond/triangle_body.h"
#include "core/each_type.h"

const gs_triangle_kernels gs_triangle_host[GSOLVE_TYPE_COUNT] = {{solve_f32}, {solve_f64}};
