/* sliced_block_slices.h: the product with several columns on the CPU for a value type T and a type
 * V that values are stored in. Each column has the bits that it has alone. */

#define OF_SLICES(name) GS_PASTE(ON(name), COLUMNS)
#define GS_COLUMNS_BODY "spmv/sliced/sliced_block_columns.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY
#undef OF_SLICES

static FN(columns_of_task) *const ON(columns)[] = {
    [1] = GS_PASTE(ON(slices), 1),
    [2] = GS_PASTE(ON(slices), 2),
    [4] = GS_PASTE(ON(slices), 4),
    [8] = GS_PASTE(ON(slices), 8),
};
