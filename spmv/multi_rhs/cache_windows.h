/* cache_windows.h: on the CPU, row-major access to an x that is column-major, for products with
 * several columns.
 *
 * A task is an interval of rows. Where the columns of each task span a short interval of x, its
 * window, every thread has a circular buffer as long as the widest window (rounded up to a power of
 * two). Before a task, the thread transposes into the buffer the rows of x that the task reads and
 * that the task before did not read. So x is read once, and the transposed rows stay in the caches.
 * Where windows are wide, all of x is transposed first.
 *
 *      x       . . . . 4 5 6 7 8 9 . .      window of a task: rows 4 to 9
 *      buffer  8 9 . . 4 5 6 7              row i is at i mod 8
 *
 * A buffer has at most eight columns, so that it stays in the caches. The matrix is read once for
 * every eight columns, which costs less than a buffer that exceeds the caches. The number of
 * columns is rounded up to eight, four or two; results of the additional columns are dropped. */
#ifndef GS_SPMV_MULTI_RHS_CACHE_WINDOWS_H
#define GS_SPMV_MULTI_RHS_CACHE_WINDOWS_H

#include "matrix/csr.h"
#include "spmv/multi_rhs/block.h"

#define GS_CACHE_WINDOW_COLUMNS 8

typedef struct gs_cache_window {
    int32_t first, end; /* rows of x, first to end - 1 */
} gs_cache_window;

typedef struct gs_cache_windows {
    gs_cache_window *of; /* the window of each task; NULL: not computed yet */
    int32_t rows;        /* rows of a buffer, a power of two */
    int64_t copied;      /* rows of x that one thread would transpose for all tasks */
    void *buffer;        /* work space: the buffers of all threads */
    size_t bytes;        /* bytes of work space */
} gs_cache_windows;

/* Computes the windows of tasks. Task t has rows order[begin[t]] to order[begin[t + 1] - 1] of csr,
 * or the rows of these numbers if order is NULL. A row of -1 is empty. Columns ascend in every row.
 * The arrays lie on the host. */
gsolve_status gs_cache_windows_find(gs_cache_windows *windows, gsolve_context *ctx,
                                    const gsolve_csr *csr, int32_t tasks, const int32_t *begin,
                                    const int32_t *order);

/* *used = x row-major, converted in `space` where x is not; or, where windows pay, x itself,
 * column-major, with the buffers allocated. */
gsolve_status gs_cache_windows_prepare(gs_cache_windows *windows, gs_block_space *space,
                                       gsolve_context *ctx, gsolve_dense x, gsolve_dense *used);
void gs_cache_windows_drop(gs_cache_windows *windows, gsolve_context *ctx);

/* The rows of x that a buffer of `rows` rows must load so that it holds `next`; *held is updated.
 */
static inline gs_cache_window gs_cache_window_move(gs_cache_window *held, gs_cache_window next,
                                                   int32_t rows)
{
    const gs_cache_window none = {0, 0};

    if (next.first >= next.end) return none;
    if (next.first < held->first || next.first > held->end) {
        *held = next;
        return next;
    }
    if (next.end <= held->end) return none;
    next.first = held->end;
    held->end = next.end;
    if (held->end - rows > held->first) held->first = held->end - rows;
    return next;
}

/* The columns of a buffer for that many columns. */
static inline int32_t gs_cache_window_columns(int32_t columns)
{
    return columns > 4 ? 8 : columns > 2 ? 4 : 2;
}

#endif
