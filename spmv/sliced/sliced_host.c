/* sliced_host.c: the kernel table of slices on the CPU. */
#include "spmv/sliced/sliced_host.h"

#include <omp.h>

#include <string.h>

#include "core/try.h"
#include "matrix/irregular.h"
#include "vector/blocks.h"
#include "vector/vector.h"

#define GS_BODY "spmv/sliced/sliced_body.h"
#include "core/each_type.h"
#undef GS_BODY
#define GS_BODY "spmv/sliced/sliced_block_body.h"
#include "core/each_type.h"

const gs_sliced_kernels gs_sliced_host[GSOLVE_TYPE_COUNT] = {
    {gs_sliced_inspect_host, gs_sliced_sort_host, make_f32, refill_f32, apply_f32, apply_block_f32,
     NULL, NULL},
    {gs_sliced_inspect_host, gs_sliced_sort_host, make_f64, refill_f64, apply_f64, apply_block_f64,
     NULL, NULL},
};
