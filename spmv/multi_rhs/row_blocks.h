/* row_blocks.h: row_sums.h for eight, four, two and one columns and one value type T, and the
 * vectors that it reads and writes. OF(name) is the copy of a name for COLUMNS columns; the
 * including file defines COLUMNS. */
#include "spmv/multi_rhs/long_rows.h"
#include "spmv/row_sum.h"

/* Columns of x, row-major. Row i is at (i & mask) stride. */
typedef struct FN(rows_of_x) {
    const T *value;
    int64_t stride;
    uint32_t mask;
} FN(rows_of_x);

static inline __attribute__((always_inline)) const T *FN(row_of)(const FN(rows_of_x) * x, int32_t i)
{
    return x->value + ((uint32_t)i & x->mask) * x->stride;
}

/* x from column `first` on. */
static inline FN(rows_of_x) FN(columns_from)(const FN(rows_of_x) * x, int32_t first)
{
    const T *value = x->value ? x->value + first : NULL; /* x has no rows */

    return (FN(rows_of_x)){value, x->stride, x->mask};
}

/* All rows of a row-major x. */
static inline FN(rows_of_x) FN(by_stride)(const void *value, int64_t stride)
{
    return (FN(rows_of_x)){value, stride, UINT32_MAX};
}

/* y: distance from a row to the next and from a column to the next; number of columns. */
typedef struct FN(rows_of_y) {
    T *value;
    int64_t row, column;
    int32_t columns;
} FN(rows_of_y);

static inline FN(rows_of_y) FN(rows_of)(gsolve_dense y)
{
    const bool rows = y.layout == GSOLVE_ROW_MAJOR;
    return (FN(rows_of_y)){y.value, rows ? y.stride : 1, rows ? 1 : y.stride, y.ncols};
}

#define OF(name)        GS_PASTE(FN(name), COLUMNS)
#define GS_COLUMNS_BODY "spmv/multi_rhs/row_sums.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY
