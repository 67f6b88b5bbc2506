/* number_parse.c: the fast way through the common numbers: eight digits at a time. */
#include "io/number.h"

#include <math.h>

typedef struct decimal {
    uint64_t w;  /* the first 19 significant digits */
    int64_t q;   /* times 10^q */
    int count;   /* of the digits in w */
    bool more;   /* digits were left out that are not all zero */
} decimal;

/* Whether the 8 bytes at p are all digits, and their value (Lemire 2018). */
static inline bool eight_digits(const char *p, uint64_t *value)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    if (((word & 0xf0f0f0f0f0f0f0f0u) | ((word + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) !=
        0x3333333333333333u) {
        return false;
    }
    word -= 0x3030303030303030u;
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000ff000000ffu) * (100 + (1000000ull << 32)) +
            ((word >> 16) & 0x000000ff000000ffu) * (1 + (10000ull << 32))) >>
           32;
    *value = (uint32_t)word;
    return true;
}

static inline void take_digit(decimal *d, unsigned digit, bool fraction)
{
    if (d->count < 19) {
        d->w = d->w * 10 + digit;
        d->count += d->w > 0;
        d->q -= fraction;
    } else {
        d->more = d->more || digit > 0;
        d->q += !fraction;
    }
}

/* Digits at p; returns where they end. */
static inline const char *take_digits(const char *p, decimal *d, bool fraction)
{
    uint64_t eight;
    unsigned digit;

    while (d->count <= 11 && eight_digits(p, &eight)) {
        if (d->w > 0) {
            d->count += 8;
        } else { /* counted from the first that is not 0 */
            for (uint64_t rest = eight; rest; rest /= 10) d->count++;
        }
        d->w = d->w * 100000000 + eight;
        d->q -= fraction ? 8 : 0;
        p += 8;
    }
    for (; (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) take_digit(d, digit, fraction);
    return p;
}

/* The exponent at p, if there is one; returns where it ends. */
static inline const char *take_exponent(const char *p, decimal *d)
{
    const char *e = p + 1;
    int64_t exponent = 0;

    if ((*p | 32) != 'e' && (*p | 32) != 'd') return p;
    const bool negative = *e == '-';
    e += *e == '-' || *e == '+';
    if (*e < '0' || *e > '9') return p;
    for (; *e >= '0' && *e <= '9'; e++) {
        if (exponent < (int64_t)1 << 48) exponent = exponent * 10 + (*e - '0');
    }
    d->q += negative ? -exponent : exponent;
    return e;
}

bool gs_parse_double(const char **text, double *value)
{
    const bool negative = **text == '-';
    const char *first = *text + (negative || **text == '+'), *p;
    decimal d = {0};
    gs_real real;

    p = take_digits(first, &d, false);
    if (*p == '.') p = take_digits(p + 1, &d, true);
    if (p == first || (p == first + 1 && *first == '.')) return false;
    p = take_exponent(p, &d);
    if (!d.more) {
        *value = gs_decimal(d.w, d.q);
        *value = negative ? -*value : *value;
    } else {
        gs_number_read(*text, p, 0, &real);
        *value = real.value;
    }
    *text = p;
    return isfinite(*value);
}
