/* cache_windows.h: on the CPU, x by columns for kernels that read it by rows.
 *
 * Tasks are stretches of rows. Where each reads a short stretch of x only, its window, a thread
 * turns what its next task reads, and its last one did not, into a ring that is as long as the
 * widest window: x is read once, and what is turned stays in the caches. Elsewhere all of x is
 * turned beforehand.
 *
 *      x     . . . . 4 5 6 7 8 9 . .      window of a task: 4 to 9
 *      ring  8 9 . . 4 5 6 7              row i is at i mod 8
 *
 * A ring has eight columns at most, so that it takes no more of the caches; for each eight columns
 * the matrix is read anew, which is less than a ring that is too large costs. Columns that are
 * missing up to eight, four or two are in the ring too, and what comes of them is left out. */
#ifndef GS_SPMV_MULTI_RHS_CACHE_WINDOWS_H
#define GS_SPMV_MULTI_RHS_CACHE_WINDOWS_H

#include "matrix/csr.h"
#include "spmv/multi_rhs/block.h"

#define GS_CACHE_WINDOW_COLUMNS 8

typedef struct gs_cache_window {
    int32_t first, end; /* rows of x */
} gs_cache_window;

typedef struct gs_cache_windows {
    gs_cache_window *of; /* each task's; NULL: not looked for yet */
    int32_t rows;        /* of a ring, a power of two */
    int64_t turned;      /* rows of x that one thread turns */
    void *ring;          /* scratch: one for each thread after the other */
    size_t bytes;        /* of all */
} gs_cache_windows;

/* The windows of tasks, the t-th of which has the rows order[begin[t]] to order[begin[t + 1] - 1]
 * of csr or, if order is NULL, those numbers; rows of -1 read nothing. Columns ascend in every row,
 * which lie where the CPU reads them. */
gsolve_status gs_cache_windows_find(gs_cache_windows *windows, gsolve_context *ctx,
                                    const gsolve_csr *csr, int32_t tasks, const int32_t *begin,
                                    const int32_t *order);

/* *used = x by rows, in space where it is not; or x itself by columns, and rings are ready. */
gsolve_status gs_cache_windows_transpose(gs_cache_windows *windows, gs_block_space *space,
                                         gsolve_context *ctx, gsolve_dense x, gsolve_dense *used);
void gs_cache_windows_drop(gs_cache_windows *windows, gsolve_context *ctx);

/* Which rows a ring of so many that holds *held has to be given, so that it holds next too. */
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

/* The columns of v, by columns, that a pass has which begins with column j. */
static inline gsolve_dense gs_cache_window_pass(gsolve_dense v, int32_t j)
{
    v.value = (char *)v.value + (size_t)j * (size_t)v.stride * gs_type_size(v.type);
    v.ncols = v.ncols - j < GS_CACHE_WINDOW_COLUMNS ? v.ncols - j : GS_CACHE_WINDOW_COLUMNS;
    return v;
}

/* Columns of a ring for so many. */
static inline int32_t gs_cache_window_columns(int32_t columns)
{
    return columns > 4 ? 8 : columns > 2 ? 4 : 2;
}

#endif
