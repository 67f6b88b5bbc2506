/* sliced_block_slices.h: the product with several columns on the CPU for a value type T and a type
 * V that values are stored in. A slice is taken from the memory once and is near for all columns.
 * The sums of a column run as for it alone. */

#define OF_SLICES(name) GS_PASTE(ON(name), COLUMNS)
#define COLUMNS         8
#include "spmv/sliced/sliced_block_columns.h"
#undef COLUMNS
#define COLUMNS 4
#include "spmv/sliced/sliced_block_columns.h"
#undef COLUMNS
#define COLUMNS 2
#include "spmv/sliced/sliced_block_columns.h"
#undef COLUMNS
#define COLUMNS 1
#include "spmv/sliced/sliced_block_columns.h"
#undef COLUMNS
#undef OF_SLICES

/* A slice comes from the memory once and is near for all columns, of which eight, four, two or one
 * are taken at once. */
static void ON(block_task)(const gs_sliced *s, int32_t t, double alpha, gsolve_dense x, double beta,
                           const FN(rows_of_y) * y)
{
    for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) {
        const gs_slice slice = gs_slice_at(s, at);
        int32_t j = 0;
        for (; j + 8 <= x.ncols; j += 8) {
            GS_PASTE(ON(some_columns), 8)(s, at, &slice, alpha, x, j, beta, y);
        }
        for (; j + 4 <= x.ncols; j += 4) {
            GS_PASTE(ON(some_columns), 4)(s, at, &slice, alpha, x, j, beta, y);
        }
        for (; j + 2 <= x.ncols; j += 2) {
            GS_PASTE(ON(some_columns), 2)(s, at, &slice, alpha, x, j, beta, y);
        }
        for (; j < x.ncols; j++) {
            GS_PASTE(ON(some_columns), 1)(s, at, &slice, alpha, x, j, beta, y);
        }
    }
}
