/* column_blocks_host.c: the product by column blocks, see column_blocks.h. */
#include "spmv/multi_rhs/column_blocks.h"

#define ROWS_AHEAD 4 /* distance in rows of a prefetch */

#define GS_BODY "spmv/multi_rhs/column_blocks_body.h"
#include "core/each_type.h"

const gs_column_blocks_kernels GS_LEVEL(gs_column_blocks_host)[GSOLVE_TYPE_COUNT] = {{apply_f32},
                                                                                     {apply_f64}};
