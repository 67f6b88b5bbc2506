/* row_blocks.h: row_sums.h for eight, four, two and one columns for one value type T, and where the
 * sums go. OF(name) is name's copy for COLUMNS columns, which whoever uses it sets. */
#include "spmv/row_sum.h"

#define OF(name) GS_PASTE(FN(name), COLUMNS)
#define COLUMNS  8
#include "spmv/row_sums.h"
#undef COLUMNS
#define COLUMNS 4
#include "spmv/row_sums.h"
#undef COLUMNS
#define COLUMNS 2
#include "spmv/row_sums.h"
#undef COLUMNS
#define COLUMNS 1
#include "spmv/row_sums.h"
#undef COLUMNS

/* y, from a row to the next and from a column to the next. */
typedef struct FN(rows_of_y) {
    T *value;
    int64_t row, column;
} FN(rows_of_y);

static inline FN(rows_of_y) FN(rows_of)(gsolve_dense y)
{
    const bool rows = y.layout == GSOLVE_BY_ROWS;
    return (FN(rows_of_y)){y.value, rows ? y.stride : 1, rows ? 1 : y.stride};
}
