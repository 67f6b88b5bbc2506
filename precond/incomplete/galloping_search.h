/* galloping_search.h: finds the columns that a short and a long sorted row have in common, without
 * reading all of the long row. The search tries the distances 1, 2, 4, ... from the previous
 * position, then bisects (galloping search; Bentley and Yao 1976). It finds s columns among m in
 * O(s log(m / s)). */
#ifndef GS_PRECOND_INCOMPLETE_GALLOPING_SEARCH_H
#define GS_PRECOND_INCOMPLETE_GALLOPING_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Up to this ratio of lengths, reading the long row is faster than searching for each column. */
#define GS_SEARCH_RATIO 16

/* Whether to search a row of this length for this many columns, instead of reading it. */
static inline bool gs_search_is_cheaper(int64_t length, int64_t searched)
{
    return length > GS_SEARCH_RATIO * (searched + 1);
}

/* The first position in [from, to) whose column is at least j, or to. Columns are sorted. */
static inline int64_t gs_galloping_search(const int32_t *col, int64_t from, int64_t to, int32_t j)
{
    int64_t step = 1, low = from, high;

    while (low < to && col[low] < j) { /* all columns before low are below j */
        from = low + 1;
        low += step;
        step *= 2;
    }
    high = low < to ? low : to;
    while (from < high) {
        const int64_t middle = from + (high - from) / 2;
        if (col[middle] < j) {
            from = middle + 1;
        } else {
            high = middle;
        }
    }
    return from;
}

#endif
