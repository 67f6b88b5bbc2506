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
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t t = 0; t < s->tasks; t++) {
        for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) ON(fill_slice)(s, at, columns);
    }
}

/* A stretch of eight lanes: column by column, `lanes` apart. */
typedef struct ON(stretch) {
    int64_t lanes;
    int32_t width, full; /* columns; those without padding */
    const V *value;
    const int32_t *col;   /* of 32 bits, or */
    const uint16_t *unit; /* of 16, from */
    const int32_t *base;  /* those, or NULL: x is that of the one base */
    const int32_t *end;   /* columns of each lane, or NULL: padding tells */
    const T *x;
} ON(stretch);

/* sum[l] = sum of value x over the columns of lane l. narrow is a constant. */
static inline __attribute__((always_inline)) void ON(octet)(const ON(stretch) * o, bool narrow,
                                                            T *restrict sum)
{
    const V *restrict value = o->value;
    const int32_t *restrict col = o->col;
    const uint16_t *restrict unit = o->unit;
    T a[8] = {0};
    int32_t k = 0;

    for (; k < o->full; k++) {
        const T *x = o->base ? o->x + o->base[k] : o->x;
#pragma GCC unroll 8
        for (int l = 0; l < 8; l++) a[l] += (T)value[l] * x[narrow ? (int32_t)unit[l] : col[l]];
        value += o->lanes;
        col += narrow ? 0 : o->lanes;
        unit += narrow ? o->lanes : 0;
    }
    for (; k < o->width; k++) {
        const T *x = o->base ? o->x + o->base[k] : o->x;
        for (int l = 0; l < 8; l++) {
            const bool in = o->end ? k < o->end[l] : narrow ? unit[l] != UINT16_MAX : col[l] >= 0;
            if (in) a[l] += (T)value[l] * x[narrow ? (int32_t)unit[l] : col[l]];
        }
        value += o->lanes;
        col += narrow ? 0 : o->lanes;
        unit += narrow ? o->lanes : 0;
    }
    for (int l = 0; l < 8; l++) sum[l] = a[l];
}

/* The sums of all lanes of slice `at`. */
static inline __attribute__((always_inline)) void ON(sum_lanes)(const gs_sliced *s, int32_t at,
                                                                const gs_slice *slice, const T *x,
                                                                const int32_t *end, T *sum)
{
    const gs_sliced_head head = s->narrow ? s->head[at] : (gs_sliced_head){-1, 0};
    const bool narrow = head.at >= 0;
    const int32_t full = s->full[at] < slice->width ? s->full[at] : slice->width;
    const int64_t slot = slice->first * s->lanes;
    ON(stretch)
    o = {s->lanes, slice->width, full, (const V *)s->value_of + slot, NULL, NULL, NULL, end, x};

    if (narrow) {
        o.unit = s->unit + (int64_t)head.at * s->lanes;
        if (head.base < 0) {
            o.base = s->base + ~head.base;
        } else {
            o.x = x + head.base;
        }
    } else {
        o.col = s->narrow ? (const int32_t *)(const void *)(s->unit + (int64_t)~head.at * s->lanes)
                          : s->col + slot;
    }
    for (int32_t l = 0; l < s->lanes; l += 8) {
        if (narrow) {
            ON(octet)(&o, true, sum + l);
            o.unit += 8;
        } else {
            ON(octet)(&o, false, sum + l);
            o.col += 8;
        }
        o.value += 8;
        if (end) o.end += 8;
    }
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

/* Slices of task t; if dots, its sums over their rows. */
static void ON(task)(const gs_sliced *s, int32_t t, double alpha, const T *restrict x, double beta,
                     T *restrict y, const gs_sliced_dots *dots)
{
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;
    T sum[GS_SLICED_MOST];
    int32_t end[GS_SLICED_MOST];

    for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) {
        const gs_slice slice = gs_slice_at(s, at);
        if (s->length) ON(name_ends)(s, &slice, end);
        ON(sum_lanes)(s, at, &slice, x, s->length ? end : NULL, sum);
        for (int32_t r = 0; r < slice.rows; r++) {
            const int32_t i = gs_slice_row(s, &slice, r);
            T total = sum[r << slice.share];
            for (int32_t l = 1; l < 1 << slice.share; l++) total += sum[(r << slice.share) + l];
            if (i < 0) continue;
            y[i] = beta == 0 ? (T)alpha * total : (T)alpha * total + (T)beta * y[i];
            if (!w) continue;
            wy += (double)w[i] * (double)total;
            yy += (double)total * (double)total;
        }
    }
    if (w) {
        s->dot[t] = wy;
        s->dot[s->tasks + t] = yy;
    }
}
