/* number.c: decimal text to double, exactly rounded; number.h describes the methods. */
#include "io/number.h"

#include <math.h>

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

/* --- powers of five --------------------------------------------------------------- */

#define STEP  28     /* 5^27 is the largest power of five below 2^64 */
#define FIRST (-364) /* the power of the first row below */
#define LEAST (-44)  /* of usual numbers of 17 digits */

/* The leading 128 bits of 5^(STEP a), cut off, for a from -13 on: high and low word. This table and
 * the next one are printed by scripts/make_powers.py. */
static const uint64_t coarse[][2] = {
    {0xe1afa13afbd14d6du, 0x82189c09a3a1ec21u}, /* 5^-364 */
    {0xe3e27a444d8d98b7u, 0xfd1b1b2308169b25u}, /* 5^-336 */
    {0xe61acf033d1a45dfu, 0x6fb92487298e33bdu}, /* 5^-308 */
    {0xe858ad248f5c22c9u, 0xd1b3400f8f9cff68u}, /* 5^-280 */
    {0xea9c227723ee8bcbu, 0x465e15a979c1cadcu}, /* 5^-252 */
    {0xece53cec4a314ebdu, 0xa4f8bf5635246428u}, /* 5^-224 */
    {0xef340a98172aace4u, 0x86fb897116c87c34u}, /* 5^-196 */
    {0xf18899b1bc3f8ca1u, 0xdc44e6c3cb279ac1u}, /* 5^-168 */
    {0xf3e2f893dec3f126u, 0x5a89dba3c3efccfau}, /* 5^-140 */
    {0xf64335bcf065d37du, 0x4d4617b5ff4a16d5u}, /* 5^-112 */
    {0xf8a95fcf88747d94u, 0x75a44c6397ce912au}, /* 5^-84 */
    {0xfb158592be068d2eu, 0xeed6e2f0f0d56712u}, /* 5^-56 */
    {0xfd87b5f28300ca0du, 0x8bca9d6e188853fcu}, /* 5^-28 */
    {0x8000000000000000u, 0x0000000000000000u}, /* 5^0 */
    {0x813f3978f8940984u, 0x4000000000000000u}, /* 5^28 */
    {0x82818f1281ed449fu, 0xbff8f10e7a8921a4u}, /* 5^56 */
    {0x83c7088e1aab65dbu, 0x792667c6da79e0fau}, /* 5^84 */
    {0x850fadc09923329eu, 0x03e2cf6bc604ddb0u}, /* 5^112 */
    {0x865b86925b9bc5c2u, 0x0b8a2392ba45a9b2u}, /* 5^140 */
    {0x87aa9aff79042286u, 0x90fb44d2f05d0842u}, /* 5^168 */
    {0x88fcf317f22241e2u, 0x441fece3bdf81f03u}, /* 5^196 */
    {0x8a5296ffe33cc92fu, 0x82bd6b70d99aaa6fu}, /* 5^224 */
    {0x8bab8eefb6409c1au, 0x1ad089b6c2f7548eu}, /* 5^252 */
    {0x8d07e33455637eb2u, 0xdb0b487b6423e1e8u}, /* 5^280 */
    {0x8e679c2f5e44ff8fu, 0x570f09eaa7ea7648u}, /* 5^308 */
    {0x8fcac257558ee4e6u, 0x213a4f0aa5e8a7b1u}, /* 5^336 */
};

/* The leading 64 bits of 5^q, cut off, for LEAST <= q < STEP; exact for q >= 0. */
static const uint64_t fine[STEP - LEAST] = {
    0xe45c10c42a2b3b05u, 0x8eb98a7a9a5b04e3u, 0xb267ed1940f1c61cu, 0xdf01e85f912e37a3u,
    0x8b61313bbabce2c6u, 0xae397d8aa96c1b77u, 0xd9c7dced53c72255u, 0x881cea14545c7575u,
    0xaa242499697392d2u, 0xd4ad2dbfc3d07787u, 0x84ec3c97da624ab4u, 0xa6274bbdd0fadd61u,
    0xcfb11ead453994bau, 0x81ceb32c4b43fcf4u, 0xa2425ff75e14fc31u, 0xcad2f7f5359a3b3eu,
    0xfd87b5f28300ca0du, 0x9e74d1b791e07e48u, 0xc612062576589ddau, 0xf79687aed3eec551u,
    0x9abe14cd44753b52u, 0xc16d9a0095928a27u, 0xf1c90080baf72cb1u, 0x971da05074da7beeu,
    0xbce5086492111aeau, 0xec1e4a7db69561a5u, 0x9392ee8e921d5d07u, 0xb877aa3236a4b449u,
    0xe69594bec44de15bu, 0x901d7cf73ab0acd9u, 0xb424dc35095cd80fu, 0xe12e13424bb40e13u,
    0x8cbccc096f5088cbu, 0xafebff0bcb24aafeu, 0xdbe6fecebdedd5beu, 0x89705f4136b4a597u,
    0xabcc77118461cefcu, 0xd6bf94d5e57a42bcu, 0x8637bd05af6c69b5u, 0xa7c5ac471b478423u,
    0xd1b71758e219652bu, 0x83126e978d4fdf3bu, 0xa3d70a3d70a3d70au, 0xccccccccccccccccu,
    0x8000000000000000u, 0xa000000000000000u, 0xc800000000000000u, 0xfa00000000000000u,
    0x9c40000000000000u, 0xc350000000000000u, 0xf424000000000000u, 0x9896800000000000u,
    0xbebc200000000000u, 0xee6b280000000000u, 0x9502f90000000000u, 0xba43b74000000000u,
    0xe8d4a51000000000u, 0x9184e72a00000000u, 0xb5e620f480000000u, 0xe35fa931a0000000u,
    0x8e1bc9bf04000000u, 0xb1a2bc2ec5000000u, 0xde0b6b3a76400000u, 0x8ac7230489e80000u,
    0xad78ebc5ac620000u, 0xd8d726b7177a8000u, 0x878678326eac9000u, 0xa968163f0a57b400u,
    0xd3c21bcecceda100u, 0x84595161401484a0u, 0xa56fa5b99019a5c8u, 0xcecb8f27f4200f3au};

static uint64_t high_product(uint64_t a, uint64_t b)
{
    return (uint64_t)((gs_wide)a * b >> 64);
}

gs_wide gs_power_of_five(int64_t q)
{
    const uint64_t *a = coarse[(q - FIRST) / STEP], b = fine[(q - FIRST) % STEP - LEAST];
    const gs_wide power = (gs_wide)a[0] * b + high_product(a[1], b);
    return power >> 127 ? power : power << 1;
}

/* --- long arithmetic, for numbers near the middle between two doubles ---------------- */

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
        const gs_wide t = (gs_wide)b->limb[k] * factor + term;
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

/* Returns the one of the neighbours low < high that is nearer to left 10^q. Changes left. */
static double nearer(double low, double high, big *left, int64_t q)
{
    const uint64_t bits = to_bits(low), exponent = bits >> 52, fraction = bits & ((1ull << 52) - 1);
    const uint64_t m = exponent ? fraction | 1ull << 52 : fraction; /* low = m 2^e */
    const int64_t e = (exponent ? (int64_t)exponent : 1) - 1075;
    big right = {1, {2 * m + 1}}; /* the middle is (2m + 1) 2^(e-1) */

    multiply_by_five(left, q);
    multiply_by_five(&right, -q);
    if (q > e - 1) {
        shift_left(left, q - (e - 1));
    } else {
        shift_left(&right, e - 1 - q);
    }
    const int order = compare(left, &right);
    return order < 0 || (order == 0 && m % 2 == 0) ? low : high;
}

/* --- up to 19 digits -------------------------------------------------------------- */

/* high 2^e' to the nearest double, half-way upwards: e is e' + 1086, the exponent field of a number
 * whose highest bit is bit 62 of high; bit 62 or bit 63 is set. */
static double round_to_double(uint64_t high, int64_t e)
{
    const int top = (int)(high >> 63);
    uint64_t m = high >> (top + 9); /* 53 bits and one to round */

    e += top;
    if (e <= 0) { /* below the least normal number */
        if (e <= -63) return 0;
        m >>= 1 - e;
        return from_bits((m + (m & 1)) >> 1); /* may round up to the least normal number */
    }
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m >>= 1;
        e++;
    }
    return e >= 2047 ? INFINITY : from_bits((uint64_t)e << 52 | (m & ((1ull << 52) - 1)));
}

/* A power of five and then the product w 5^q are known up to ERROR units of their last bit: the
 * power is at most 4 units too small, and the product is cut off. The rounding is known unless the
 * interval [product - 1, product + ERROR] holds the middle between two doubles. */
#define ERROR 5

static __attribute__((noinline)) double scale_near_middle(uint64_t w, int64_t q, int zeros,
                                                          int64_t e)
{
    const gs_wide five = gs_power_of_five(q);
    const gs_wide product =
        (gs_wide)(w << zeros) * (uint64_t)(five >> 64) + high_product(w << zeros, (uint64_t)five);
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    const double below = round_to_double(high - (low == 0), e);
    const double above = round_to_double(high + (low > UINT64_MAX - ERROR), e);

    return below == above ? below : nearer(below, above, &(big){1, {w}}, q);
}

/* 64 bits of the power nearly always suffice: the last 9 bits of high only matter near a middle. */
double gs_decimal_scale(uint64_t w, int64_t q)
{
    if (w == 0 || q < -342) return 0;
    if (q > 308) return INFINITY;

    const int zeros = __builtin_clzll(w);
    const uint64_t five =
        q >= LEAST && q < STEP ? fine[q - LEAST] : (uint64_t)(gs_power_of_five(q) >> 64);
    const uint64_t high = high_product(w << zeros, five);
    const int64_t e = (217706 * q >> 16) + 63 - zeros + 1023; /* floor(q log2(10)) + ... */
    const uint64_t rest = high & 0x1ff;

    return rest > 0 && rest <= 0x1ff - ERROR ? round_to_double(high, e)
                                             : scale_near_middle(w, q, zeros, e);
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
        if (x != high) {
            big all;
            int64_t dropped;
            read_digits(&all, d.begin, d.end, &dropped);
            x = nearer(x, high, &all, q + dropped);
        }
    }
    real->value = negative ? -x : x;
    return p;
}
