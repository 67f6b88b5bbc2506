/* layout_host.c: dense blocks from one layout to the other on the CPU. */
#include "vector/layout.h"

#define GS_BODY "vector/layout_body.h"
#include "core/each_type.h"

const gs_flip_kernels gs_flip_host[GSOLVE_TYPE_COUNT] = {{flip_f32}, {flip_f64}};
