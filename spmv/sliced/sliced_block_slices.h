/* sliced_block_slices.h: the product with several columns on the CPU for a value type T and a type
 * V that values are stored in. Each column has the bits that it has alone. */

#define OF_SLICES(name) GS_PASTE(ON(name), COLUMNS)
#define GS_COLUMNS_BODY "spmv/sliced/sliced_block_columns.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY
#undef OF_SLICES

/* Task t for w = 8, 4, 2 or 1 columns from column `first` on. */
static void ON(some_columns)(const gs_sliced *s, int32_t t, int32_t w, double alpha,
                             const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                             int32_t first)
{
    static void (*const by[])(const gs_sliced *, int32_t, double, const FN(rows_of_x) *, double,
                              const FN(rows_of_y) *, int32_t) = {
        [1] = GS_PASTE(ON(slices), 1),
        [2] = GS_PASTE(ON(slices), 2),
        [4] = GS_PASTE(ON(slices), 4),
        [8] = GS_PASTE(ON(slices), 8),
    };

    by[w](s, t, alpha, x, beta, y, first);
}
