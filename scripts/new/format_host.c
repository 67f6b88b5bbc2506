/* @NAME@_host.c: the kernels on the CPU. */
#include "spmv/@NAME@/@NAME@.h"

#define GS_BODY "spmv/@NAME@/@NAME@_body.h"
#include "core/each_type.h"

const gs_ @NAME @_kernels gs_ @NAME @_host[GSOLVE_TYPE_COUNT] = {{multiply_f32}, {multiply_f64}};
