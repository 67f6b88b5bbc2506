/* sliced_slices.h: conversion and product on the CPU for a value type T and a type V that values
 * are stored in. */

/* Stores the entries of row i in lane `lane`. columns: store column numbers too. */
static void ON(fill_row)(const gs_sliced *s, const gs_slice *slice, const gs_sliced_head *head,
                         int32_t i, int32_t lane, bool columns)
{
    const int32_t length = gs_slice_length(s, i);
    const int64_t from = i < 0 ? 0 : gs_start(&s->csr, i);
    const T *value = (const T *)s->csr.value + from;
    const int32_t *col = s->csr.col + from;

    for (int32_t k = 0; k < length; k++) {
        const int64_t slot = (int64_t)k * s->lanes + lane;
        ((V *)s->value_of)[slice->first * s->lanes + slot] = (V)value[k];
        if (!columns) continue;
        if (!head) {
            s->col[slice->first * s->lanes + slot] = col[k];
        } else if (head->at < 0) {
            ((int32_t *)(void *)(s->unit + (int64_t)~head->at * s->lanes))[slot] = col[k];
        } else {
            const int32_t base = head->base < 0 ? s->base[~head->base + k] : head->base;
            s->unit[(int64_t)head->at * s->lanes + slot] = (uint16_t)(col[k] - base);
        }
    }
}

/* Stores slice `at` with its padding. columns: store column numbers too. */
static void ON(fill_slice)(const gs_sliced *s, int32_t at, bool columns)
{
    const gs_slice slice = gs_slice_at(s, at);
    const gs_sliced_head *head = s->narrow ? &s->head[at] : NULL;
    const size_t slots = (size_t)slice.width * (size_t)s->lanes;

    memset((V *)s->value_of + slice.first * s->lanes, 0, slots * sizeof(V));
    if (columns && !head) {
        memset(s->col + slice.first * s->lanes, 0xFF, slots * sizeof *s->col);
    } else if (columns) {
        const bool wide = head->at < 0;
        memset(s->unit + (int64_t)(wide ? ~head->at : head->at) * s->lanes, 0xFF,
               slots * (wide ? sizeof(int32_t) : sizeof *s->unit));
    }
    for (int32_t r = 0; r < slice.rows; r++) {
        ON(fill_row)(s, &slice, head, gs_slice_row(s, &slice, r), r, columns);
    }
}

static void ON(fill)(gs_queue *q, const gs_sliced *s, bool columns)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (s->tasks > 2)
    for (int32_t t = 0; t < s->tasks; t++) {
        for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) ON(fill_slice)(s, at, columns);
    }
}

/* Where the entries of a slice are stored. */
typedef struct ON(entries) {
    int32_t width, full; /* columns; columns without padding */
    const V *value;
    const int32_t *col;   /* 32-bit column numbers, or */
    const uint16_t *unit; /* 16-bit numbers, relative to */
    const int32_t *base;  /* the base of each column; NULL: x points to the one base */
    const T *x;
} ON(entries);

static inline ON(entries)
    ON(entries_of)(const gs_sliced *s, int32_t at, const gs_slice *slice, const T *x)
{
    const gs_sliced_head head = s->narrow ? s->head[at] : (gs_sliced_head){-1, 0};
    const int64_t slot = slice->first * s->lanes;
    ON(entries)
    e = {.width = slice->width,
         .full = s->full[at] < slice->width ? s->full[at] : slice->width,
         .value = (const V *)s->value_of + slot,
         .x = x};

    if (head.at >= 0) {
        e.unit = s->unit + (int64_t)head.at * s->lanes;
        if (head.base < 0) {
            e.base = s->base + ~head.base;
        } else {
            e.x = x ? x + head.base : NULL; /* the slice has no columns */
        }
    } else if (s->narrow) {
        e.col = (const int32_t *)(const void *)(s->unit + (int64_t)~head.at * s->lanes);
    } else {
        e.col = s->col + slot;
    }
    return e;
}

/* Moves forward by that many slots. narrow: column numbers have 16 bits. */
static inline __attribute__((always_inline)) void ON(advance)(ON(entries) * e, int64_t slots,
                                                              bool narrow)
{
    e->value += slots;
    if (narrow) {
        e->unit += slots;
    } else {
        e->col += slots;
    }
}

/* sum[l] += sum of value x over the columns from `full` on of lane l, for eight lanes; value, col
 * and unit point to column `full`. The lengths of lanes cannot be predicted: each lane runs to its
 * own end, so there is one misprediction per lane. The other constants are those of octet. */
static inline __attribute__((always_inline)) void ON(add_padded_columns)(const ON(entries) * e,
                                                                         int64_t step, bool narrow,
                                                                         bool each, T *restrict sum)
{
    const int32_t left = e->width - e->full;
    const T *x = e->x;

    for (int l = 0; l < 8; l++) {
        T s = sum[l];
        for (int32_t k = 0; k < left; k++) {
            const int64_t at = k * step + l;
            if (narrow ? e->unit[at] == UINT16_MAX : e->col[at] < 0) break;
            if (each) x = e->x + e->base[e->full + k];
            s += (T)e->value[at] * x[narrow ? (int32_t)e->unit[at] : e->col[at]];
        }
        sum[l] = s;
    }
}

typedef V ON(stored) __attribute__((vector_size(4 * sizeof(V))));

/* The products of four lanes of a column. narrow is a constant. */
static inline __attribute__((always_inline)) FN(quad)
    ON(products)(const ON(entries) * at, int l, bool narrow)
{
    const uint16_t *unit = narrow ? at->unit + l : NULL;
    const int32_t *col = narrow ? NULL : at->col + l;
    const T *x = at->x;
    ON(stored) v;

    memcpy(&v, at->value + l, sizeof v);
    const FN(quad) of_x = narrow ? (FN(quad)){x[unit[0]], x[unit[1]], x[unit[2]], x[unit[3]]}
                                 : (FN(quad)){x[col[0]], x[col[1]], x[col[2]], x[col[3]]};
    return __builtin_convertvector(v, FN(quad)) * of_x;
}

/* The part of eight lanes to sum: columns `from` to `to` - 1 among those without padding (the
 * pointers of entries point to column `from`), and the columns with padding if `last` is set. If
 * `first` is set the sums start at 0. */
typedef struct ON(interval) {
    int32_t from, to;
    bool first, last;
    int64_t ahead; /* distance of the prefetch of values */
} ON(interval);

/* sum[l] += (or =) sum of value x over the part, for eight lanes. step: slots from a column to the
 * next. narrow and each (every column has a base) are constants. */
static inline __attribute__((always_inline)) void ON(octet)(const ON(entries) * e,
                                                            ON(interval) part, int64_t step,
                                                            bool narrow, bool each, T *restrict sum)
{
    ON(entries) at = *e;
    FN(quad) a[2] = {{0}};

    if (!part.first) memcpy(a, sum, sizeof a);
    for (int32_t k = part.from; k < part.to; k++) {
        if (each) at.x = e->x + e->base[k];
        __builtin_prefetch(at.value + part.ahead);
        a[0] += ON(products)(&at, 0, narrow);
        a[1] += ON(products)(&at, 4, narrow);
        ON(advance)(&at, step, narrow);
    }
    memcpy(sum, a, sizeof a);
    at.x = e->x;
    if (part.last && e->full < e->width) ON(add_padded_columns)(&at, step, narrow, each, sum);
}

/* octet for all storages of columns. */
static inline __attribute__((always_inline)) void ON(any_octet)(const ON(entries) * e,
                                                                ON(interval) part, int64_t step,
                                                                T *sum)
{
    if (!e->unit) {
        ON(octet)(e, part, step, false, false, sum);
    } else if (e->base) {
        ON(octet)(e, part, step, true, true, sum);
    } else {
        ON(octet)(e, part, step, true, false, sum);
    }
}

/* The complete sums of eight lanes. */
static inline __attribute__((always_inline)) void ON(complete_octet)(const ON(entries) * e,
                                                                     int64_t step, T *sum)
{
    const ON(interval) all = {0, e->full, true, true, GS_SLICED_AHEAD};

    ON(any_octet)(e, all, step, sum);
}

/* sum[r] = sum of row r of slice `at`. The function is not inlined, so that its loops have all
 * registers; nor is octets. */
__attribute__((noinline)) static void ON(sum_rows)(const gs_sliced *s, int32_t at,
                                                   const gs_slice *slice, const T *x, T *sum)
{
    ON(entries) e = ON(entries_of)(s, at, slice, x);

    for (int32_t l = 0; l < s->lanes; l += 8) {
        ON(complete_octet)(&e, s->lanes, sum + l);
        ON(advance)(&e, 8, e.unit);
    }
}

/* Task t where slices have eight lanes and rows are in their own order. If w is not
 * NULL, the sums with w are stored too. */
__attribute__((noinline)) static void ON(octets)(const gs_sliced *s, int32_t t, const T *restrict x,
                                                 T *restrict y, const T *w)
{
    double wy[8] = {0}, yy[8] = {0};

    for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) {
        const int32_t position = at * 8, left = s->csr.nrows - position, rows = left < 8 ? left : 8;
        const gs_slice slice = {s->first[at], s->first[at + 1] - s->first[at], position, rows};
        const ON(entries) e = ON(entries_of)(s, at, &slice, x);
        T sum[8];
        ON(complete_octet)(&e, 8, sum);
        memcpy(y + position, sum, (size_t)rows * sizeof *sum);
        for (int32_t r = 0; w && r < rows; r++) {
            wy[r] += (double)w[position + r] * (double)sum[r];
            yy[r] += (double)sum[r] * (double)sum[r];
        }
    }
    if (w) {
        s->dot[t] = gs_sum(8, wy);
        s->dot[s->tasks + t] = gs_sum(8, yy);
    }
}

/* The slices of task t. If dots is not NULL, the sums of the task are stored too. */
static void ON(task)(const gs_sliced *s, int32_t t, double alpha, const T *restrict x, double beta,
                     T *restrict y, const gs_product_sums *dots)
{
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;
    T sum[GS_SLICED_MOST];

    if (s->lanes == 8 && !s->order && alpha == 1 && beta == 0) {
        ON(octets)(s, t, x, y, w);
        return;
    }
    for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) {
        const gs_slice slice = gs_slice_at(s, at);
        ON(sum_rows)(s, at, &slice, x, sum);
        for (int32_t r = 0; r < slice.rows; r++) {
            const int32_t i = gs_slice_row(s, &slice, r);
            if (i < 0) continue;
            y[i] = beta == 0 ? (T)alpha * sum[r] : (T)alpha * sum[r] + (T)beta * y[i];
            if (!w) continue;
            wy += (double)w[i] * (double)sum[r];
            yy += (double)sum[r] * (double)sum[r];
        }
    }
    if (w) {
        s->dot[t] = wy;
        s->dot[s->tasks + t] = yy;
    }
}

/* --- by column blocks, see spmv/multi_rhs/column_blocks.h; slices have eight lanes ---------------
 */

/* The column of slice `at` where block k begins for the slice's first row, if that row is stored.
 */
static int32_t ON(cut)(const gs_sliced *s, const gs_slice *slice, int32_t full, int32_t k)
{
    const int32_t i = gs_slice_row(s, slice, 0);
    const int32_t cut = i < 0 ? full : s->column_blocks.cut[(int64_t)k * s->csr.nrows + i];
    return cut < full && k < s->column_blocks.count ? cut : full;
}

/* sum += the sums of slice `at` over block k. The next slice's values are prefetched. */
static void ON(add_column_block)(const gs_sliced *s, int32_t at, int32_t k, const T *x, T *sum)
{
    const bool ends = k + 1 == s->column_blocks.count;
    const gs_slice slice = gs_slice_at(s, at);
    const gs_slice next = gs_slice_at(s, at + 1 < s->slices ? at + 1 : at);
    ON(entries) e = ON(entries_of)(s, at, &slice, x);
    const int32_t from = ON(cut)(s, &slice, e.full, k), to = ON(cut)(s, &slice, e.full, k + 1);
    const int64_t before = 8 * (int64_t)from;
    const int64_t later = next.first + ON(cut)(s, &next, next.width, k);
    const ON(interval) part = {from, to, k == 0, ends, 8 * (later - slice.first) - before};

    ON(advance)(&e, before, e.unit);
    ON(any_octet)(&e, part, 8, sum);
}

/* The rows of slices first to last - 1, a group. */
static void ON(group)(const gs_sliced *s, int32_t first, int32_t last, double alpha, const T *x,
                      double beta, T *y)
{
    const int32_t width = gs_column_block_width(s->csr.type), piece = width / (last - first) + 1;
    T sum[GS_COLUMN_BLOCK_ROWS];

    for (int32_t k = 0; k < s->column_blocks.count; k++) {
        int64_t next_x = (int64_t)(k + 1) * width, until = next_x;
        for (int32_t at = first; at < last; at++) {
            until = until + piece < s->csr.ncols ? until + piece : s->csr.ncols;
            for (; next_x < until; next_x += 64 / (int)sizeof(T))
                __builtin_prefetch(x + next_x, 0, 2);
            ON(add_column_block)(s, at, k, x, &sum[8 * (at - first)]);
        }
    }
    for (int32_t at = first; at < last; at++) {
        const gs_slice slice = gs_slice_at(s, at);
        for (int32_t r = 0; r < slice.rows; r++) {
            const int32_t i = gs_slice_row(s, &slice, r);
            const T of_row = sum[8 * (at - first) + r];
            if (i < 0) continue;
            y[i] = beta == 0 ? (T)alpha * of_row : (T)alpha * of_row + (T)beta * y[i];
        }
    }
}

static void ON(by_column_blocks)(int threads, const gs_sliced *s, double alpha, const T *x,
                                 double beta, T *y)
{
    const int32_t n = s->slices, some = gs_column_block_group(s->csr.nrows, threads) / 8;

#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int32_t first = 0; first < n; first += some) {
        ON(group)(s, first, n - first < some ? n : first + some, alpha, x, beta, y);
    }
}

/* --- several columns: each has the bits that it has alone --------------------------------------
 */

#define OF_SLICES(name) GS_PASTE(ON(name), COLUMNS)
#define GS_COLUMNS_BODY "spmv/sliced/sliced_block_columns.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY
#undef OF_SLICES

static FN(columns_of_task) *const ON(columns)[] = {
    [1] = GS_PASTE(ON(slices), 1),
    [2] = GS_PASTE(ON(slices), 2),
    [4] = GS_PASTE(ON(slices), 4),
    [8] = GS_PASTE(ON(slices), 8),
};
