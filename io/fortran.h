/* fortran.h: numbers in fixed columns, described by a Fortran format such as (1P,4E20.12).
 *
 * Some writers declare columns in which their numbers do not lie; scipy.io.hb_write does so for
 * single precision and for exponents of three digits. A line that does not fit the format, but has
 * as many words as the format has fields, is read by words. */
#ifndef GS_IO_FORTRAN_H
#define GS_IO_FORTRAN_H

#include <stdbool.h>
#include <stdint.h>

#define GS_FORTRAN_FIELDS 256

typedef struct gs_fortran_field {
    int at, width; /* columns of the line, from 0 */
    int decimals;  /* digits after the point, for a number without one */
    int scale;     /* a number without an exponent is stored multiplied by 10^scale */
} gs_fortran_field;

typedef struct gs_fortran {
    int count;     /* fields of a line */
    bool integers; /* they are integers */
    gs_fortran_field field[GS_FORTRAN_FIELDS];
} gs_fortran;

/* The format in [begin, end), which begins with '(' and ends with ')'. It may contain I, F, E, D,
 * G, P, X, repeat counts and groups. False: it contains anything else. */
bool gs_fortran_parse(gs_fortran *format, const char *begin, const char *end);

typedef struct gs_fortran_reader {
    const gs_fortran *format;
    const char *next; /* the line after this one */
    const char *line, *line_end, *end;
    int index;               /* of the next field in the line */
    int64_t left;            /* numbers that were not read yet */
    bool by_words;           /* the fields of this line are its words */
    const char *at, *at_end; /* the last field, for error messages */
} gs_fortran_reader;

/* Begins with the line at begin, to read `count` numbers. */
gs_fortran_reader gs_fortran_begin(const gs_fortran *format, const char *begin, const char *end,
                                   int64_t count);

/* The next number; false: the text ends, or the field holds no number, or (real) one too large. */
bool gs_fortran_integer(gs_fortran_reader *r, int64_t *n);
bool gs_fortran_real(gs_fortran_reader *r, double *x);

#endif
