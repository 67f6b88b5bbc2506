/* block_host.c: the kernels of block.h on the CPU, for every type. */
#include "solver/block.h"

#include <string.h>

#include "core/blocks.h"

#define GS_BODY "solver/block_body.h"
#include "core/each_type.h"

#define TABLE(t)                                                                         \
    {                                                                                    \
        sizeof(double) * GS_MAX_BLOCKS *GS_BLOCK *GS_BLOCK, gram_##t, step_##t, turn_##t \
    }

const gs_block_kernels gs_block_host[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
