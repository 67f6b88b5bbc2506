/* number.h: decimal text to double and back, exactly rounded, without locale.
 *
 * A decimal number is w * 10^q. Up to 19 digits fit w, which is multiplied by the leading 128 bits
 * of 5^q (Lemire, Number parsing at a gigabyte per second, 2021). More digits, and products too
 * near to the middle between two doubles, are compared with that middle in long arithmetic. */
#ifndef GS_IO_NUMBER_H
#define GS_IO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GS_NUMBER_SIZE 32 /* bytes that a number written by gs_number_write may take */

__extension__ typedef unsigned __int128 gs_wide;

extern const double gs_powers_of_ten[23]; /* those that a double holds exactly */

/* The leading 128 bits of 5^q, the first of them 1, for -364 <= q < 364; at most 4 units of the
 * last bit too small, and exact for 0 <= q < 28. */
gs_wide gs_power_of_five(int64_t q);

/* w * 10^q to the nearest double, ties to even; too large: infinity. */
double gs_decimal_scale(uint64_t w, int64_t q);

/* gs_decimal_scale, with the common cases inline (Clinger): both factors are exact doubles, so
 * there is one rounding. */
static inline double gs_decimal(uint64_t w, int64_t q)
{
    if (w >> 53 == 0 && q >= -22 && q <= 22) {
        return q < 0 ? (double)w / gs_powers_of_ten[-q] : (double)w * gs_powers_of_ten[q];
    }
    return gs_decimal_scale(w, q);
}

typedef struct gs_real { /* the result of gs_number_read */
    double value;        /* may be infinite: too large */
    bool integer;        /* neither point nor exponent */
    bool exponent;       /* it has an exponent */
} gs_real;

/* Reads [sign] digits [. digits] [e|E|d|D [sign] digits] at begin, all before end. real->value is
 * multiplied by 10^scale. Returns the end of the number, or NULL if there is none. */
const char *gs_number_read(const char *begin, const char *end, int64_t scale, gs_real *real);

/* Writes x, which is finite, as the shortest text of 15, 16 or 17 digits that reads back with the
 * same bits; returns the end. */
char *gs_number_write(char *to, double x);

/* Writes n; returns the end. */
char *gs_integer_write(char *to, int64_t n);

#endif
