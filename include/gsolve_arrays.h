/* gsolve_arrays.h: views of compressed rows and of dense vectors. A view points to arrays and does
 * not own them. */
#ifndef GSOLVE_ARRAYS_H
#define GSOLVE_ARRAYS_H

#include "gsolve_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- types ---------------------------------------------------------------------- */

/* The type of values: float or double. */
typedef enum gsolve_type { GSOLVE_F32, GSOLVE_F64, GSOLVE_TYPE_COUNT } gsolve_type;

/* The type of row offsets: int32_t or int64_t. */
typedef enum gsolve_offset { GSOLVE_O32, GSOLVE_O64 } gsolve_offset;

/* Where an array lies: in the memory of the host or of the context's device. */
typedef enum gsolve_location { GSOLVE_HOST, GSOLVE_DEVICE } gsolve_location;

/* Whether the elements of a column or those of a row are adjacent in memory. */
typedef enum gsolve_layout { GSOLVE_COLUMN_MAJOR, GSOLVE_ROW_MAJOR } gsolve_layout;

/* --- views ---------------------------------------------------------------------- */

/* A sparse matrix as compressed rows (CSR). The entries of row i are numbers start[i] to
 * start[i + 1] - 1. */
typedef struct gsolve_csr {
    int32_t nrows, ncols;
    const void *start;        /* nrows + 1 offsets; the first is 0 */
    const int32_t *col;       /* the column of each entry */
    const void *value;        /* the value of each entry */
    gsolve_offset offset;     /* the type of start's elements */
    gsolve_type type;         /* the type of value's elements */
    gsolve_location location; /* of all three arrays */
} gsolve_csr;

/* One or several dense vectors, one in each column. */
typedef struct gsolve_dense {
    int32_t nrows, ncols;
    int64_t stride; /* elements from one column to the next (column-major) or from one row to the
                       next (row-major) */
    void *value;
    gsolve_type type;         /* the type of value's elements */
    gsolve_location location; /* of the array value */
    gsolve_layout layout;     /* only products with a matrix accept GSOLVE_ROW_MAJOR */
} gsolve_dense;

/* Returns a view of a square n x n matrix on the host, with 32-bit offsets and double values. */
static inline gsolve_csr gsolve_csr_view(int32_t n, const int32_t *start, const int32_t *col,
                                         const double *value)
{
    gsolve_csr csr = {n, n, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    return csr;
}

/* Returns a view of one vector of n doubles on the host. */
static inline gsolve_dense gsolve_vector(double *value, int32_t n)
{
    gsolve_dense v = {n, 1, n, value, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return v;
}

/* Returns the number of entries of csr, which is on the host: start[nrows]. */
static inline int64_t gsolve_csr_entries(const gsolve_csr *csr)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[csr->nrows]
                                     : (int64_t)((const int32_t *)csr->start)[csr->nrows];
}

#ifdef __cplusplus
}
#endif
#endif
