/* sliced_slices.h: conversion and product on the CPU for a value type T and a type V that values
 * are stored in. */

/* Puts row i's entries in their places, its lanes beginning with `lane`. */
static void ON(fill_row)(const gs_sliced *s, const gs_slice *slice, const gs_sliced_head *head,
                         int32_t i, int32_t lane, bool columns)
{
    const int32_t length = gs_slice_length(s, i), lanes = 1 << slice->share;
    const int64_t from = i < 0 ? 0 : gs_start(&s->csr, i);
    const T *value = (const T *)s->csr.value + from;
    const int32_t *col = s->csr.col + from;

    for (int32_t k = 0; k < length; k++) {
        const int64_t j = k >> slice->share, at = lane + (k & (lanes - 1));
        ((V *)s->value_of)[(slice->first + j) * s->lanes + at] = (V)value[k];
        if (!columns) continue;
        if (!head) {
            s->col[(slice->first + j) * s->lanes + at] = col[k];
        } else if (head->at < 0) {
            ((int32_t *)(void *)(s->unit + (int64_t)~head->at * s->lanes))[j * s->lanes + at] =
                col[k];
        } else {
            const int32_t base = head->base < 0 ? s->base[~head->base + j] : head->base;
            s->unit[(head->at + j) * s->lanes + at] = (uint16_t)(col[k] - base);
        }
    }
}

/* Slice `at` with padding and all; columns: not only values. */
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
        ON(fill_row)(s, &slice, head, gs_slice_row(s, &slice, r), r << slice.share, columns);
    }
}

static void ON(fill)(gs_queue *q, const gs_sliced *s, bool columns)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (s->tasks > 2)
    for (int32_t t = 0; t < s->tasks; t++) {
        for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) ON(fill_slice)(s, at, columns);
    }
}

/* Where a slice's entries are. */
typedef struct ON(entries) {
    int32_t width, full; /* columns; those without padding */
    const V *value;
    const int32_t *col;   /* of 32 bits, or */
    const uint16_t *unit; /* of 16, from */
    const int32_t *base;  /* those, or NULL: x is that of the one base */
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
            e.x = x ? x + head.base : NULL; /* there are no columns */
        }
    } else if (s->narrow) {
        e.col = (const int32_t *)(const void *)(s->unit + (int64_t)~head.at * s->lanes);
    } else {
        e.col = s->col + slot;
    }
    return e;
}

/* To the slots so many on; narrow: column numbers have 16 bits. */
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

/* sum[l] += sum of value x over the columns from `full` on of lane l of eight, of which value, col
 * and unit are past those before. Where a lane ends is not foreseen: each goes down on its own, and
 * so is wrong about it once. The constants are those below. */
static inline __attribute__((always_inline)) void ON(rests)(const ON(entries) * e, int64_t step,
                                                            bool narrow, bool each,
                                                            const int32_t *end, T *restrict sum)
{
    const int32_t left = e->width - e->full;
    const T *x = e->x;

    for (int l = 0; l < 8; l++) {
        T s = sum[l];
        for (int32_t k = 0; k < left; k++) {
            const int64_t at = k * step + l;
            const bool in = end      ? e->full + k < end[l]
                            : narrow ? e->unit[at] != UINT16_MAX
                                     : e->col[at] >= 0;
            if (!in) break;
            if (each) x = e->x + e->base[e->full + k];
            s += (T)e->value[at] * x[narrow ? (int32_t)e->unit[at] : e->col[at]];
        }
        sum[l] = s;
    }
}

typedef V ON(stored) __attribute__((vector_size(4 * sizeof(V))));

/* Four lanes of a column: value x. narrow is a constant. */
static inline __attribute__((always_inline)) FN(quad)
    ON(products)(const ON(entries) * at, int l, bool narrow)
{
    const uint16_t *unit = narrow ? at->unit + l : NULL;
    const int32_t *col = narrow ? NULL : at->col + l;
    const T *x = at->x;
    ON(stored) v;

    memcpy(&v, at->value + l, sizeof v);
    const FN(quad) near = narrow ? (FN(quad)){x[unit[0]], x[unit[1]], x[unit[2]], x[unit[3]]}
                                 : (FN(quad)){x[col[0]], x[col[1]], x[col[2]], x[col[3]]};
    return __builtin_convertvector(v, FN(quad)) * near;
}

/* What of an octet is summed: columns from .. to - 1 of those without padding, which the pointers
 * are at, and the others too if these are the last; if they are the first the sums begin here. */
typedef struct ON(stretch) {
    int32_t from, to;
    bool first, last;
    int64_t ahead;      /* values that are asked for ahead of their use */
    const int32_t *end; /* columns of each lane, or NULL: padding tells */
} ON(stretch);

/* sum[l] += or = sum of value x over a stretch of lane l of eight. step: entries from a column to
 * the next; narrow, each (there are several bases): constants. */
static inline __attribute__((always_inline)) void ON(octet)(const ON(entries) * e, ON(stretch) part,
                                                            int64_t step, bool narrow, bool each,
                                                            T *restrict sum)
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
    if (part.last && e->full < e->width) ON(rests)(&at, step, narrow, each, part.end, sum);
}

/* The same, however the columns are stored. */
static inline __attribute__((always_inline)) void ON(any_octet)(const ON(entries) * e,
                                                                ON(stretch) part, int64_t step,
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

/* All of an octet. */
static inline __attribute__((always_inline)) void ON(whole_octet)(const ON(entries) * e,
                                                                  int64_t step, const int32_t *end,
                                                                  T *sum)
{
    const ON(stretch) all = {0, e->full, true, true, GS_SLICED_AHEAD, end};

    ON(any_octet)(e, all, step, sum);
}

/* Columns of each lane of a slice whose rows' lengths are known. */
static void ON(name_ends)(const gs_sliced *s, const gs_slice *slice, int32_t *end)
{
    const int32_t lanes = 1 << slice->share;

    memset(end, 0, (size_t)s->lanes * sizeof *end);
    for (int32_t r = 0; r < slice->rows; r++) {
        const int32_t length = s->length[slice->place + r];
        for (int32_t l = 0; l < lanes; l++) {
            end[r * lanes + l] = (int32_t)(((int64_t)length - l + lanes - 1) >> slice->share);
        }
    }
}

/* sum[r] = that over row r of slice `at`. */
static void ON(sum_rows)(const gs_sliced *s, int32_t at, const gs_slice *slice, const T *x, T *sum)
{
    ON(entries) e = ON(entries_of)(s, at, slice, x);
    const bool ends = s->length && e.full < e.width;
    int32_t end[GS_SLICED_MOST];

    if (ends) ON(name_ends)(s, slice, end);
    for (int32_t l = 0; l < s->lanes; l += 8) {
        ON(whole_octet)(&e, s->lanes, ends ? end + l : NULL, sum + l);
        ON(advance)(&e, 8, e.unit);
    }
    for (int32_t r = 0; slice->share > 0 && r < slice->rows; r++) {
        T total = 0;
        for (int32_t l = 0; l < 1 << slice->share; l++) total += sum[(r << slice->share) + l];
        sum[r] = total; /* whose own lane has been read */
    }
}

/* Slices of eight lanes of task t whose rows come as they are, one lane each; if w, the sums. */
static void ON(octets)(const gs_sliced *s, int32_t t, const T *restrict x, T *restrict y,
                       const T *w)
{
    double wy[8] = {0}, yy[8] = {0};
    int32_t ends[8];

    for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) {
        const int32_t place = at * 8, left = s->csr.nrows - place, rows = left < 8 ? left : 8;
        const gs_slice slice = {s->first[at], s->first[at + 1] - s->first[at], place, rows, 0};
        const ON(entries) e = ON(entries_of)(s, at, &slice, x);
        const int32_t *end = s->length ? s->length + place : NULL;
        T sum[8];
        if (end && rows < 8) {
            ON(name_ends)(s, &slice, ends);
            end = ends;
        }
        ON(whole_octet)(&e, 8, end, sum);
        memcpy(y + place, sum, (size_t)rows * sizeof *sum);
        for (int32_t r = 0; w && r < rows; r++) {
            wy[r] += (double)w[place + r] * (double)sum[r];
            yy[r] += (double)sum[r] * (double)sum[r];
        }
    }
    if (w) {
        s->dot[t] = gs_sum(8, wy);
        s->dot[s->tasks + t] = gs_sum(8, yy);
    }
}

/* Slices of task t; if dots, its sums over their rows. */
static void ON(task)(const gs_sliced *s, int32_t t, double alpha, const T *restrict x, double beta,
                     T *restrict y, const gs_product_sums *dots)
{
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;
    T sum[GS_SLICED_MOST];

    if (s->lanes == 8 && !s->place && !s->order && s->most_share == 0 && alpha == 1 && beta == 0) {
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
