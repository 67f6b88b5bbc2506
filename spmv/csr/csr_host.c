/* csr_host.c: the kernels of csr on the CPU. */
#include "core/blocks.h"
#include "spmv/csr/csr.h"

#define GS_BODY "spmv/csr/csr_body.h"
#include "core/each_type.h"

const gs_csr_kernels gs_csr_host[GSOLVE_TYPE_COUNT] = {
    {apply_f32, apply4_f32},
    {apply_f64, apply4_f64},
};
