/* layout_host.c: transposes dense blocks on the CPU. */
#include "vector/layout.h"

#define GS_BODY "vector/layout_body.h"
#include "core/each_type.h"

const gs_layout_kernels GS_LEVEL(gs_layout_host)[GSOLVE_TYPE_COUNT] = {{transpose_f32},
                                                                       {transpose_f64}};
