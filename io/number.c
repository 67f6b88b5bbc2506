/* number.c: decimal text to double, exactly rounded; number.h describes the methods. */
#include "io/number.h"

#include <math.h>

#include "io/powers_of_five.h"

__extension__ typedef unsigned __int128 wide;

const double gs_powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

double gs_decimal_scale(uint64_t w, int64_t q)
{
    if (w == 0 || q < GS_FIRST_POWER) return 0;
    if (q > 308) return INFINITY;

    const uint64_t *five = gs_powers_of_five[q - GS_FIRST_POWER];
    const int zeros = __builtin_clzll(w);
    const wide first = (wide)(w << zeros) * five[0];
    uint64_t high = (uint64_t)(first >> 64), low = (uint64_t)first;

    if ((high & 0x1ff) == 0x1ff) { /* the rest of 5^q may carry into the bits that count */
        const uint64_t second = (uint64_t)((wide)(w << zeros) * five[1] >> 64);
        low += second;
        high += low < second;
    }

    const int top = (int)(high >> 63);
    uint64_t m = high >> (top + 9);                           /* 53 bits and one to round */
    int64_t e = (217706 * q >> 16) + 63 + top - zeros + 1023; /* floor(q log2(10)) + ... */

    if (e <= 0) { /* below the least normal number */
        if (e <= -63) return 0;
        m >>= 1 - e;
        return from_bits((m + (m & 1)) >> 1); /* may round up to the least normal number */
    }
    if (low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << (top + 9) == high) {
        m--; /* half-way: to even */
    }
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m >>= 1;
        e++;
    }
    return e >= 2047 ? INFINITY : from_bits((uint64_t)e << 52 | (m & ((1ull << 52) - 1)));
}

/* --- more than 19 digits: long arithmetic ---------------------------------------- */

#define LIMBS  96  /* of 64 bits: more than enough for 770 digits times 2^1100 or 5^1112 */
#define DIGITS 770 /* of further digits, only whether all are 0 can change the rounding */

typedef struct big {
    int size;
    uint64_t limb[LIMBS];
} big;

/* b = b * factor + term */
static void multiply(big *b, uint64_t factor, uint64_t term)
{
    for (int k = 0; k < b->size; k++) {
        const wide t = (wide)b->limb[k] * factor + term;
        b->limb[k] = (uint64_t)t;
        term = (uint64_t)(t >> 64);
    }
    if (term) b->limb[b->size++] = term;
}

static void multiply_by_five(big *b, int64_t power)
{
    for (; power >= 27; power -= 27) multiply(b, 7450580596923828125u, 0); /* 5^27 */
    for (; power > 0; power--) multiply(b, 5, 0);
}

static void shift_left(big *b, int64_t bits)
{
    const int limbs = (int)(bits / 64);

    if (b->size == 0) return;
    multiply(b, 1ull << bits % 64, 0);
    memmove(b->limb + limbs, b->limb, (size_t)b->size * sizeof *b->limb);
    memset(b->limb, 0, (size_t)limbs * sizeof *b->limb);
    b->size += limbs;
}

static int compare(const big *a, const big *b)
{
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    for (int k = a->size - 1; k >= 0; k--) {
        if (a->limb[k] != b->limb[k]) return a->limb[k] < b->limb[k] ? -1 : 1;
    }
    return 0;
}

/* b = the digits in [begin, end), where the first is not 0; *dropped: the number of digits that are
 * left out. */
static void read_digits(big *b, const char *begin, const char *end, int64_t *dropped)
{
    int taken = 0;
    bool more = false;

    b->size = 0;
    *dropped = 0;
    for (const char *p = begin; p < end; p++) {
        if (*p == '.') continue;
        if (taken < DIGITS) {
            multiply(b, 10, (uint64_t)(*p - '0'));
            taken++;
        } else {
            more |= *p != '0';
            ++*dropped;
        }
    }
    if (more) { /* the digit 1 replaces the rest, which is not 0 */
        multiply(b, 10, 1);
        --*dropped;
    }
}

/* Returns the one of the neighbours low < high that is nearer to (the digits) * 10^q. */
static double nearer(double low, double high, const char *begin, const char *end, int64_t q)
{
    const uint64_t bits = to_bits(low), exponent = bits >> 52, fraction = bits & ((1ull << 52) - 1);
    const uint64_t m = exponent ? fraction | 1ull << 52 : fraction; /* low = m 2^e */
    const int64_t e = (exponent ? (int64_t)exponent : 1) - 1075;
    big left, right = {1, {2 * m + 1}}; /* the middle is (2m + 1) 2^(e-1) */
    int64_t dropped;

    read_digits(&left, begin, end, &dropped);
    q += dropped;
    multiply_by_five(&left, q);
    multiply_by_five(&right, -q);
    if (q > e - 1) {
        shift_left(&left, q - (e - 1));
    } else {
        shift_left(&right, e - 1 - q);
    }
    const int order = compare(&left, &right);
    return order < 0 || (order == 0 && m % 2 == 0) ? low : high;
}

/* --- the text of a number --------------------------------------------------------- */

typedef struct digits { /* the digits of an unsigned number, without leading zeros */
    const char *begin, *end;
    uint64_t w;     /* the first 19 */
    int64_t count;  /* the number of digits */
    int64_t places; /* the number of digits after the point, with leading zeros */
    bool any, point;
} digits;

static const char *scan_digits(const char *p, const char *end, digits *d)
{
    *d = (digits){.begin = p};
    for (; p < end && ((unsigned char)(*p - '0') < 10 || (*p == '.' && !d->point)); p++) {
        if (*p == '.') {
            d->point = true;
            continue;
        }
        d->any = true;
        d->places += d->point;
        if (d->count == 0) {
            if (*p == '0') continue;
            d->begin = p;
        }
        if (d->count++ < 19) d->w = 10 * d->w + (uint64_t)(*p - '0');
    }
    d->end = p;
    return d->any ? p : NULL;
}

/* Adds the exponent at p to *exponent and returns its end; without an exponent returns p. */
static const char *scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    const char *q = p + 1;
    bool negative = false;
    int64_t e = 0;

    if (p == end || !((*p | 32) == 'e' || (*p | 32) == 'd')) return p;
    if (q < end && (*q == '-' || *q == '+')) negative = *q++ == '-';
    if (q == end || (unsigned char)(*q - '0') >= 10) return p;
    for (; q < end && (unsigned char)(*q - '0') < 10; q++) {
        if (e < (int64_t)1 << 48) e = 10 * e + (*q - '0'); /* beyond, the value is 0 or infinite */
    }
    *exponent += negative ? -e : e;
    return q;
}

const char *gs_number_read(const char *begin, const char *end, int64_t scale, gs_real *real)
{
    const bool negative = begin < end && *begin == '-';
    const char *p = begin + (begin < end && (*begin == '-' || *begin == '+')), *mantissa_end;
    int64_t q = scale;
    double x;
    digits d;

    p = mantissa_end = scan_digits(p, end, &d);
    if (!p) return NULL;
    p = scan_exponent(p, end, &q);
    real->exponent = p != mantissa_end;
    real->integer = !d.point && !real->exponent;
    q -= d.places;
    if (d.count <= 19) {
        x = gs_decimal(d.w, q);
    } else {
        const int64_t cut = d.count - 19;
        const double high = gs_decimal_scale(d.w + 1, q + cut);
        x = gs_decimal_scale(d.w, q + cut);
        if (x != high) x = nearer(x, high, d.begin, d.end, q);
    }
    real->value = negative ? -x : x;
    return p;
}
