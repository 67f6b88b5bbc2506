/* speculative_host.c: the kernels of speculative on the CPU. */
#include "matrix/irregular.h"
#include "spmv/speculative/speculative.h"
#include "vector/blocks.h"

#define GS_BODY "spmv/speculative/speculative_body.h"
#include "core/each_type.h"

const gs_speculative_kernels gs_speculative_host[GSOLVE_TYPE_COUNT] = {
    {gs_speculative_plan_host, gs_speculative_drop_host, apply_f32},
    {gs_speculative_plan_host, gs_speculative_drop_host, apply_f64},
};
