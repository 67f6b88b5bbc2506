/* scan.h: numbers from text, eight characters at a time. These functions may read GS_SCAN bytes
 * from their first character on, even beyond the number. They accept only the common forms of
 * numbers: NULL means that the general parser must read the text, not that it is wrong. */
#ifndef GS_IO_SCAN_H
#define GS_IO_SCAN_H

#include "io/number.h"

#define GS_SCAN 96

#define GS_ALWAYS_INLINE static inline __attribute__((always_inline))

/* The eight characters at p, the first in the lowest byte, each less '0'. */
GS_ALWAYS_INLINE uint64_t gs_eight(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) word = __builtin_bswap64(word);
    return word ^ 0x3030303030303030u;
}

/* The number of digits before the first of the eight characters that is no digit. */
GS_ALWAYS_INLINE int gs_eight_count(uint64_t eight)
{
    const uint64_t others = ((eight + 0x7676767676767676u) | eight) & 0x8080808080808080u;
    return others ? __builtin_ctzll(others) >> 3 : 8;
}

/* The value of the first count digits, 1 <= count <= 8. */
GS_ALWAYS_INLINE uint64_t gs_eight_value(uint64_t eight, int count)
{
    const uint64_t mask = 0x000000ff000000ffu;

    eight <<= 64 - 8 * count;          /* zeros in front */
    eight = eight * 10 + (eight >> 8); /* pairs of digits, in each second byte */
    return ((eight & mask) * (100 + (1000000ull << 32)) +
            (eight >> 16 & mask) * (1 + (10000ull << 32))) >>
           32;
}

/* A whole number of up to 16 digits. */
GS_ALWAYS_INLINE const char *gs_scan_integer(const char *p, uint64_t *n)
{
    static const uint64_t ten[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const uint64_t first = gs_eight(p);
    int count = gs_eight_count(first);

    if (count == 0) return NULL;
    *n = gs_eight_value(first, count);
    p += count;
    if (count == 8) {
        const uint64_t second = gs_eight(p);
        count = gs_eight_count(second);
        if (count == 8) return NULL;
        if (count) *n = *n * ten[count] + gs_eight_value(second, count);
        p += count;
    }
    return p;
}

/* Appends the digits at p to *w, up to most words of eight; NULL: there are more. */
GS_ALWAYS_INLINE const char *gs_scan_digits(const char *p, int most, uint64_t *w)
{
    static const uint64_t ten[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

    for (int k = 0; k < most; k++) {
        const uint64_t eight = gs_eight(p);
        const int count = gs_eight_count(eight);
        if (count) *w = *w * ten[count] + gs_eight_value(eight, count);
        p += count;
        if (count < 8) return p;
    }
    return NULL;
}

/* Adds the exponent at p, which follows the 'e', to *q. */
GS_ALWAYS_INLINE const char *gs_scan_exponent(const char *p, int64_t *q)
{
    const bool negative = *p == '-';
    uint64_t e;

    p += negative | (*p == '+');
    const uint64_t eight = gs_eight(p);
    const int count = gs_eight_count(eight);
    if (count == 0 || count == 8) return NULL;
    e = gs_eight_value(eight, count);
    *q += negative ? -(int64_t)e : (int64_t)e;
    return p + count;
}

/* A real number: [-] 1 to 7 digits [. further digits, up to 19 in all] [e [sign] digits]. */
GS_ALWAYS_INLINE const char *gs_scan_real(const char *p, double *value)
{
    const uint64_t sign = (uint64_t)(*p == '-') << 63;
    uint64_t w = 0, bits;
    int64_t q = 0;

    p += sign >> 63;
    const char *begin = p;
    p = gs_scan_digits(p, 1, &w);
    if (!p || p == begin) return NULL;
    if (*p == '.') {
        const char *point = p + 1;
        p = gs_scan_digits(point, 3, &w);
        if (!p || p - begin > 20) return NULL; /* 19 digits and the point */
        q = point - p;
    }
    if ((*p | 32) == 'e' || (*p | 32) == 'd') {
        p = gs_scan_exponent(p + 1, &q);
        if (!p) return NULL;
    }
    const double x = gs_decimal(w, q);
    memcpy(&bits, &x, sizeof bits);
    if (bits >> 52 == 2047) return NULL; /* too large */
    bits |= sign;
    memcpy(value, &bits, sizeof bits);
    return p;
}

#endif
