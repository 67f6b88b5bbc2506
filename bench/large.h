/* large.h: dense blocks that are too large to draw on the host and to be compared there whole. */
#ifndef LARGE_H
#define LARGE_H

#include "bench/on_device.h"

enum { DRAWN = 4194301 };                   /* a prime: columns of a block are not alike */
enum { STRETCHES = 64, STRETCH = 1 << 16 }; /* that are compared of a result; their numbers */

/* count numbers where vectors lie: random ones, which repeat themselves, or zeros. */
static inline void *numbers_on_device(gsolve_type type, int64_t count, bool filled)
{
    const int64_t drawn = count < DRAWN ? count : DRAWN;
    const size_t size = size_of(type);
    const gsolve_dense some = vector_on_device(type, (int32_t)drawn, 1, filled);
    char *values = (char *)gsolve_alloc(ctx, location, (size_t)count + 1, size);

    if (!values) check(GSOLVE_NO_MEMORY);
    for (int64_t at = 0; at < count; at += drawn) {
        const int64_t now = count - at < drawn ? count - at : drawn;
        check(gsolve_copy(ctx, values + (size_t)at * size, location, some.value, location,
                          (size_t)now * size));
    }
    gsolve_free(ctx, location, some.value);
    return values;
}

/* The numbers of y that are compared, on the host: all, or stretches from its first to its last.
 * y has no gaps. */
static inline double *numbers_of(gsolve_dense y, int64_t *count)
{
    const int64_t all = (int64_t)y.nrows * y.ncols;
    const int stretches = all > STRETCHES * STRETCH ? STRETCHES : 1;
    const int64_t each = stretches > 1 ? STRETCH : all;
    double *values = new_numbers(*count = each * stretches, false);

    for (int k = 0; k < stretches; k++) {
        const int64_t from = k > 0 ? (all - each) * k / (stretches - 1) : 0;
        gsolve_dense part = y;
        part.nrows = (int32_t)each;
        part.ncols = 1;
        part.value = (char *)y.value + (size_t)from * size_of(y.type);
        get_vector(part, values + k * each);
    }
    return values;
}

/* max |y - reference| / max |reference|, of which the first is kept. */
static inline double apart_from_first(gsolve_dense y, double **reference)
{
    int64_t count;
    double *now = numbers_of(y, &count), apart = 0;

    if (!*reference) {
        *reference = now;
        return 0;
    }
    apart = difference(now, *reference, count);
    free(now);
    return apart;
}

#endif
