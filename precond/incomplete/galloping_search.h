/* galloping_search.h: finds the columns that a short row and a long one have in common without
 * reading all of the long one. A column is looked for at distances 1, 2, 4, ... from the place of
 * the one before, then by bisection (galloping search; Bentley and Yao 1976), so that s columns are
 * found among m in O(s log(m / s)). */
#ifndef GS_PRECOND_INCOMPLETE_GALLOPING_SEARCH_H
#define GS_PRECOND_INCOMPLETE_GALLOPING_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Reading a row costs less than a search for each column of another up to this ratio of lengths. */
#define GS_SEARCH_RATIO 16

/* Whether to search a row of length entries for searched columns, rather than to read it. */
static inline bool gs_search_is_cheaper(int64_t length, int64_t searched)
{
    return length > GS_SEARCH_RATIO * (searched + 1);
}

/* The first place in [from, to) whose column is j or above, or to; columns ascend. */
static inline int64_t gs_galloping_search(const int32_t *col, int64_t from, int64_t to, int32_t j)
{
    int64_t step = 1, low = from, high;

    while (low < to && col[low] < j) { /* what lies before low is below j */
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
