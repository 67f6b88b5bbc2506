/* bsr_host.c: the kernel table of bsr on the CPU. */
#include <string.h>

#include "core/try.h"
#include "spmv/bsr/bsr.h"
#include "vector/blocks.h"

#define GS_BODY "spmv/bsr/bsr_body.h"
#include "core/each_type.h"

const gs_bsr_kernels gs_bsr_host[GSOLVE_TYPE_COUNT] = {
    {store_f32, gs_bsr_drop_host, refill_f32, apply_f32, multiply_f32, NULL},
    {store_f64, gs_bsr_drop_host, refill_f64, apply_f64, multiply_f64, NULL},
};
