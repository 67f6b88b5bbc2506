/* binary.h: arrays of numbers in binary files, and matrices made of them.
 *
 * An array lies in the mapped file or in inflated memory, at any address. Its elements are
 * converted in pieces that stay in the first-level cache. */
#ifndef GS_IO_BINARY_H
#define GS_IO_BINARY_H

#include "io/input.h"
#include "matrix/csr.h"

typedef struct gs_array {
    const char *data;
    int64_t count;
    char kind;        /* 'f': float, 'i': signed, 'u': unsigned, 'b': bool, as in NumPy */
    int size;         /* bytes of an element: 1, 2, 4 or 8 */
    bool swapped;     /* the bytes of an element have the other order than on this machine */
    const char *what; /* its name in error messages: "indices.npy" */
} gs_array;

/* Records the error "NAME:WHAT: message", or "NAME: message" if what is NULL; returns
 * GSOLVE_BAD_FILE. */
__attribute__((format(printf, 3, 4))) gsolve_status gs_binary_fail(const gs_input *in,
                                                                   const char *what,
                                                                   const char *format, ...);

/* Puts "NAME: " before the error that a check of the matrix has recorded; returns GSOLVE_BAD_FILE.
 * A status other than GSOLVE_BAD_MATRIX is returned as it is. */
gsolve_status gs_binary_rephrase(const gs_input *in, const char *what, gsolve_status status);

/* to[k * step] = element first + k of a, for 0 <= k < count. Values must be finite, integers must
 * lie from 0 to most. */
gsolve_status gs_array_values(double *to, int64_t step, const gs_array *a, int64_t first,
                              int64_t count, const gs_input *in);
gsolve_status gs_array_indices(int32_t *to, const gs_array *a, int64_t count, int64_t most,
                               const gs_input *in);
gsolve_status gs_array_offsets(int64_t *to, const gs_array *a, int64_t count, int64_t most,
                               const gs_input *in);

/* As gs_array_offsets, for integers of any sign. */
void gs_array_signed(int64_t *to, const gs_array *a, int64_t count);

/* Whether a holds whole numbers. */
static inline bool gs_array_is_integer(const gs_array *a)
{
    return a->kind == 'i' || a->kind == 'u';
}

/* Sets in->source: the kind of the file, and the field of its values. */
void gs_binary_source(gs_input *in, const char *kind, const gs_array *values, int64_t stored);

/* Refuses sizes that an int32_t cannot hold or that are absurd for the size of the file. */
gsolve_status gs_binary_sizes(const gs_input *in, const char *what, int64_t nrows, int64_t ncols);

/* A compressed matrix: rows, or columns of a file of compressed columns. */
typedef struct gs_lines {
    int64_t nrows, ncols;
    gs_array start, index, value; /* start: nrows + 1 offsets (ncols + 1 by columns) */
    bool by_columns;
} gs_lines;

/* Makes the rows: checks everything, sorts columns, sums duplicates. */
gsolve_status gs_lines_matrix(gsolve_csr *csr, const gs_lines *l, gs_input *in);

/* As gs_lines_matrix, from offsets that are in memory, begin with 0 and do not decrease. */
gsolve_status gs_lines_matrix_at(gsolve_csr *csr, const gs_lines *l, const int64_t *start,
                                 gs_input *in);

/* *pattern, owned, = offsets and columns in the order of the file. Its values are not set. */
gsolve_status gs_lines_pattern(gsolve_csr *pattern, int64_t nrows, int64_t ncols,
                               const gs_array *start, const gs_array *index, const gs_input *in);

/* *A, owned, of a file: checked, with ascending columns and without duplicates; on failure it is
 * freed. what: for error messages. */
gsolve_status gs_lines_clean(gsolve_csr *A, gs_input *in, const char *what);

/* The rows of the values of a dense matrix that are not 0. */
gsolve_status gs_dense_rows(gsolve_csr *csr, const gsolve_dense *v, gs_input *in);

#endif
