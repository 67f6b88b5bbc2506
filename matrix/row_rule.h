/* row_rule.h: binary search for a column in a row, for the CPU and the GPU. SMALL: the qualifiers
 * of a function on this device. */
#ifndef GS_MATRIX_ROW_RULE_H
#define GS_MATRIX_ROW_RULE_H

#include <stdint.h>

/* Returns the first entry of [from, to) whose column is at least j, or to. The columns ascend. */
SMALL int64_t gs_row_first(const int32_t *col, int64_t from, int64_t to, int64_t j)
{
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        if (col[middle] < j) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* Returns the entry of [from, to) in column j, or -1. */
SMALL int64_t gs_row_find(const int32_t *col, int64_t from, int64_t to, int32_t j)
{
    const int64_t at = gs_row_first(col, from, to, j);

    return at < to && col[at] == j ? at : -1;
}

#endif
