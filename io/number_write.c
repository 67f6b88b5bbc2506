/* number_write.c: double to decimal text. 17 digits follow from one product with the leading bits
 * of a power of five. Its relative error of 2^-63 is far smaller than the margin of 17 digits, so
 * that they read back as x. 15 and 16 digits are tried by reading them back. */
#include "io/number.h"

#define LEAST_17 10000000000000000u /* 10^16, the least number of 17 digits */

/* x = m 2^e, m with its highest bit set. */
static uint64_t decompose(double x, int *e)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 2047);
    uint64_t m = bits & ((1ull << 52) - 1);
    if (exponent) m |= 1ull << 52;
    const int zeros = __builtin_clzll(m);
    *e = (exponent ? exponent : 1) - 1075 - zeros;
    return m << zeros;
}

/* m 2^e * 10^q to the nearest whole number, which must lie below 2^61. */
static uint64_t round_product(uint64_t m, int e, int q)
{
    const gs_wide five = gs_power_of_five(q);
    const gs_wide product =
        (gs_wide)m * (uint64_t)(five >> 64) + ((gs_wide)m * (uint64_t)five >> 64);
    const int floor_log2 = (217706 * q >> 16); /* five 2^(floor_log2 - 127) is 10^q */
    const int shift = -(e + floor_log2 + 1); /* product 2^(e + floor_log2 + 1 - 64) is the result */

    return ((uint64_t)(product >> 63 >> shift) + 1) >> 1;
}

/* The 17 digits of x > 0; x is about digits * 10^*q. */
static uint64_t seventeen_digits(double x, int *q)
{
    int e;
    const uint64_t m = decompose(x, &e);
    int ten = (e + 63) * 78913 >> 18; /* floor((e + 63) log10(2)): x >= 10^ten, about */
    uint64_t w = round_product(m, e, 16 - ten);

    if (w >= 10 * LEAST_17) w = round_product(m, e, 16 - ++ten);
    if (w < LEAST_17) w = round_product(m, e, 16 - --ten);
    *q = ten - 16;
    return w;
}

/* The fewest digits w that read back as x = w 10^q, without zeros at the end. */
static uint64_t shorten(double x, int *q)
{
    const uint64_t w17 = seventeen_digits(x, q), w16 = (w17 + 5) / 10, w15 = (w17 + 50) / 100;
    uint64_t w = w17;

    if (gs_decimal(w15, *q + 2) == x) {
        w = w15;
        *q += 2;
    } else if (gs_decimal(w16, *q + 1) == x) {
        w = w16;
        *q += 1;
    }
    for (; w % 10000 == 0; *q += 4) w /= 10000;
    for (; w % 10 == 0; *q += 1) w /= 10;
    return w;
}

char *gs_integer_write(char *to, int64_t n)
{
    char digit[20];
    int count = 0;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

    if (n < 0) *to++ = '-';
    for (; rest >= 100; rest /= 100) { /* half as many long divisions */
        const unsigned pair = (unsigned)(rest % 100);
        digit[count++] = (char)('0' + pair % 10);
        digit[count++] = (char)('0' + pair / 10);
    }
    do {
        digit[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    while (count) *to++ = digit[--count];
    return to;
}

char *gs_number_write(char *to, double x)
{
    char digit[24];
    int q, count;

    if (x < 0 || (x == 0 && 1 / x < 0)) *to++ = '-';
    if (x == 0) {
        *to++ = '0';
        return to;
    }
    count = (int)(gs_integer_write(digit, (int64_t)shorten(x < 0 ? -x : x, &q)) - digit);
    const int ten = q + count - 1; /* x = d.ddd 10^ten */
    const bool positional = ten >= -5 && ten < 17;

    if (positional && ten < 0) { /* 0.000ddd */
        memcpy(to, "0.0000", 6);
        to += 1 - ten;
    }
    for (int k = 0; k < count; k++) {
        *to++ = digit[k];
        if (k + 1 < count && k == (positional ? ten : 0)) *to++ = '.';
    }
    if (positional) {
        for (int k = count; k <= ten; k++) *to++ = '0';
        return to;
    }
    *to++ = 'e';
    return gs_integer_write(to, ten);
}
