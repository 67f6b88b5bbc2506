/* sliced_order_host.c: the lengths of rows on the CPU: statistics, counting and sorting. */
#include <omp.h>

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

gsolve_status gs_sliced_count_host(gsolve_context *ctx, const gsolve_csr *A, int32_t *rows)
{
    (void)ctx;
    memset(rows, 0, (GS_SLICED_COUNTED + 1) * sizeof *rows);
    for (int32_t i = 0; i < A->nrows; i++) rows[gs_sliced_short(A, i, GS_SLICED_COUNTED)]++;
    return GSOLVE_OK;
}

static int32_t class_of(const gsolve_csr *A, const gs_sliced_classes *by, int32_t classes,
                        int32_t i)
{
    const int32_t length = gs_sliced_short(A, i, by->most);

    return by->class_of ? by->class_of[length] : classes - 1 - length;
}

/* Sorts the rows of the window that begins at row `from` into order. at: work space of `classes`
 * elements. */
static void sort_window(const gsolve_csr *A, const gs_sliced_classes *by, int32_t classes,
                        int32_t from, int32_t *at, int32_t *order)
{
    const int32_t to = A->nrows - from < by->window ? A->nrows : from + by->window;
    int32_t next = from;

    memset(at, 0, (size_t)classes * sizeof *at);
    for (int32_t i = from; i < to; i++) at[class_of(A, by, classes, i)]++;
    for (int32_t c = 0; c < classes; c++) {
        const int32_t count = at[c];
        at[c] = next;
        next += count;
    }
    for (int32_t i = from; i < to; i++) order[at[class_of(A, by, classes, i)]++] = i;
}

gsolve_status gs_sliced_sort_host(gsolve_context *ctx, const gsolve_csr *A,
                                  const gs_sliced_classes *by, int32_t **out, int32_t *first)
{
    const int64_t windows = ((int64_t)A->nrows + by->window - 1) / by->window;
    const int threads = windows > 4 ? gsolve_threads(ctx) : 1;
    int32_t classes = by->class_of ? by->classes : 1, *at = NULL, *order = NULL;
    gsolve_status status;

    (void)first;
    for (int32_t i = 0; i < A->nrows && !by->class_of; i++) {
        const int32_t length = gs_sliced_short(A, i, by->most);
        if (length >= classes) classes = length + 1;
    }
    ALLOC(ctx, GSOLVE_HOST, at, (size_t)threads * (size_t)classes);
    ALLOC(ctx, gs_location(ctx), order, A->nrows);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t w = 0; w < windows; w++) {
        sort_window(A, by, classes, (int32_t)(w * by->window),
                    at + (int64_t)omp_get_thread_num() * classes, order);
    }
    *out = order;
done:
    gsolve_free(ctx, GSOLVE_HOST, at);
    return status;
}
