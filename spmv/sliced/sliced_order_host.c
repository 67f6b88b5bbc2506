/* sliced_order_host.c: the lengths of rows on the CPU: statistics and sorting. */
#include <string.h>

#include "core/try.h"
#include "spmv/sliced/sliced_host.h"

static int64_t row_length(const gsolve_csr *A, int32_t i)
{
    return gs_start(A, i + 1) - gs_start(A, i);
}

gsolve_status gs_sliced_inspect_host(gsolve_context *ctx, const gsolve_csr *A, int32_t lanes,
                                     int32_t most, gs_sliced_facts *facts)
{
    (void)ctx;
    for (int32_t i = 0; i < A->nrows;) {
        const int32_t end = A->nrows - i < lanes ? A->nrows : i + lanes;
        int64_t longest = 0;
        for (; i < end; i++) {
            const int64_t length = row_length(A, i);
            if (length > facts->longest) facts->longest = length;
            if (length > most) continue;
            facts->kept += length;
            if (length > longest) longest = length;
        }
        facts->stored += longest * lanes;
    }
    return GSOLVE_OK;
}

/* Sorts rows `from` to `to` - 1 into order by descending length; rows of equal length keep their
 * order. at: work space of longest + 1 elements. */
static void sort_window(const gsolve_csr *A, int32_t from, int32_t to, int32_t most,
                        int32_t longest, int32_t *at, int32_t *order)
{
    int32_t next = from;

    memset(at, 0, ((size_t)longest + 1) * sizeof *at);
    for (int32_t i = from; i < to; i++) at[gs_sliced_short(A, i, most)]++;
    for (int32_t length = longest; length >= 0; length--) {
        const int32_t count = at[length];
        at[length] = next;
        next += count;
    }
    for (int32_t i = from; i < to; i++) order[at[gs_sliced_short(A, i, most)]++] = i;
}

gsolve_status gs_sliced_sort_host(gsolve_context *ctx, const gsolve_csr *A, int32_t window,
                                  int32_t most, int32_t **out)
{
    int32_t longest = 0, *at = NULL, *order = NULL;
    gsolve_status status;

    for (int32_t i = 0; i < A->nrows; i++) {
        const int32_t length = gs_sliced_short(A, i, most);
        if (length > longest) longest = length;
    }
    ALLOC(ctx, GSOLVE_HOST, at, (size_t)longest + 1);
    ALLOC(ctx, gs_location(ctx), order, A->nrows);
    for (int32_t from = 0; from < A->nrows; from += window) {
        const bool last = A->nrows - from <= window;
        sort_window(A, from, last ? A->nrows : from + window, most, longest, at, order);
        if (last) break;
    }
    *out = order;
done:
    gsolve_free(ctx, GSOLVE_HOST, at);
    return status;
}
