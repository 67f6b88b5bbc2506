/* write.h: the parts of a Matrix Market file that is written, for several ranks. */
#ifndef GS_IO_WRITE_H
#define GS_IO_WRITE_H

#include "io/input.h"
#include "io/number.h"

#define GS_VALUE_LINE (GS_NUMBER_SIZE + 1) /* the most bytes of a line of gs_write_values */

/* *text, which gsolve_free frees, = banner, comment and the line with the sizes. */
gsolve_status gs_market_header(char **text, size_t *bytes, gsolve_context *ctx, const char *format,
                               const char *symmetry, const char *comment, const char *sizes);

/* Writes the elements from to to - 1 of v, column-major, one on each line; returns the end of the
 * text. */
char *gs_write_values(const gsolve_dense *v, int64_t from, int64_t to, char *text);

/* The first element of v, column-major, that is not finite, or -1. */
int64_t gs_first_not_finite(const gsolve_dense *v);

/* The error of such an element. first_row: the number of v's first row. */
gsolve_status gs_refuse_element(gsolve_context *ctx, const gsolve_dense *v, int64_t k,
                                int64_t first_row);

/* The error `code`, an errno, of writing a file. */
gsolve_status gs_write_error(gsolve_context *ctx, const char *path, int code);

bool gs_ends_in_gz(const char *path);

#endif
