/* csr_host.c: the kernels of csr on the CPU. */
#include <omp.h>

#include "matrix/irregular.h"
#include "spmv/csr/csr.h"
#include "vector/blocks.h"

#define GS_BODY "spmv/csr/csr_body.h"
#include "core/each_type.h"

const gs_csr_kernels GS_LEVEL(gs_csr_host)[GSOLVE_TYPE_COUNT] = {
    {gs_csr_plan_host, gs_csr_drop_host, apply_f32, apply_block_f32},
    {gs_csr_plan_host, gs_csr_drop_host, apply_f64, apply_block_f64},
};
