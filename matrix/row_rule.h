/* row_rule.h: where an entry stands in its row, on the CPU and on a GPU. SMALL: what a function of
 * this device is declared with. */
#ifndef GS_MATRIX_ROW_RULE_H
#define GS_MATRIX_ROW_RULE_H

#include <stdint.h>

/* The first of [from, to), whose columns ascend, in a column of at least j; to if there is none. */
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

/* The place of column j among those of [from, to), or -1. */
SMALL int64_t gs_row_find(const int32_t *col, int64_t from, int64_t to, int32_t j)
{
    const int64_t at = gs_row_first(col, from, to, j);

    return at < to && col[at] == j ? at : -1;
}

#endif
