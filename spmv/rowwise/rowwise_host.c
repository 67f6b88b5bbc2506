/* rowwise_host.c: the kernels of csr_scalar and csr_vector on the CPU. */
#include "spmv/rowwise/rowwise.h"

#define GS_BODY "spmv/rowwise/rowwise_body.h"
#include "core/each_type.h"

const gs_rowwise_kernels gs_rowwise_host[GSOLVE_TYPE_COUNT] = {
    {{apply_scalar_f32, apply_vector_f32}},
    {{apply_scalar_f64, apply_vector_f64}},
};
