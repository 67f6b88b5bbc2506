/* gsolve_arrays.h: views of sparse matrices (CSR) and of dense vectors. A view is a struct that
 * points to arrays. Copying or dropping a view neither copies nor frees arrays. Functions that
 * return a view say who owns the arrays.
 */
#ifndef GSOLVE_ARRAYS_H
#define GSOLVE_ARRAYS_H

#include "gsolve_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- types ---------------------------------------------------------------------- */

/* The type of values: float or double. GSOLVE_TYPE_COUNT is the number of types. */
typedef enum gsolve_type { GSOLVE_F32, GSOLVE_F64, GSOLVE_TYPE_COUNT } gsolve_type;

/* The type of row offsets: int32_t or int64_t. */
typedef enum gsolve_offset { GSOLVE_O32, GSOLVE_O64 } gsolve_offset;

/* Where an array lies: in the memory of the host, or in the memory of the context's GPU. In a
 * context on the CPU only gsolve_alloc, gsolve_free and gsolve_copy accept GSOLVE_DEVICE, which
 * then means the host. Do not pass such views to other functions: most of them fail with
 * GSOLVE_UNSUPPORTED for a matrix, and with GSOLVE_BAD_ARGUMENT for a vector. */
typedef enum gsolve_location { GSOLVE_HOST, GSOLVE_DEVICE } gsolve_location;

/* The layout of several vectors: whether the elements of a column (one vector) are adjacent in
 * memory, or those of a row. */
typedef enum gsolve_layout { GSOLVE_COLUMN_MAJOR, GSOLVE_ROW_MAJOR } gsolve_layout;

/* --- views ---------------------------------------------------------------------- */

/* A sparse matrix as compressed sparse rows (CSR). The entries of row i have the positions start[i]
 * to start[i + 1] - 1 in the arrays col and value. The offsets must not decrease. Each column must
 * be at least 0 and below ncols, and each value must be finite; a value may be 0. Otherwise the
 * matrix is malformed, and a function that gets it fails with GSOLVE_BAD_MATRIX. If there are no
 * entries, col and value may be NULL.
 *
 * The entries of a row may be in any order, and several entries of a row may have the same column.
 * Such entries are duplicates; their sum is the value of the matrix there. A matrix that the
 * library returns has strictly ascending columns in each row, and so no duplicates, unless the
 * function says otherwise. */
typedef struct gsolve_csr {
    int32_t nrows, ncols;     /* numbers of rows and of columns, 0 or more */
    const void *start;        /* nrows + 1 offsets; the first is 0 */
    const int32_t *col;       /* the column of each entry */
    const void *value;        /* the value of each entry */
    gsolve_offset offset;     /* type of the elements of start; GSOLVE_O32: below 2^31 entries */
    gsolve_type type;         /* type of the elements of value */
    gsolve_location location; /* of all three arrays */
} gsolve_csr;

/* One or several dense vectors, one in each column. Element i of vector c is
 *
 *     value[i + c * stride]    column-major
 *     value[i * stride + c]    row-major
 *
 * A function writes only to vectors that its description names as results. */
typedef struct gsolve_dense {
    int32_t nrows, ncols; /* elements of a vector; number of vectors; 0 or more each */
    int64_t stride; /* elements from one column to the next (column-major), at least nrows, or from
                       one row to the next (row-major), at least ncols; unused for one column
                       (column-major) or one row (row-major) */
    void *value;
    gsolve_type type;         /* type of the elements of value */
    gsolve_location location; /* of the array value */
    gsolve_layout layout;     /* GSOLVE_ROW_MAJOR: only for gsolve_matrix_apply,
                                 gsolve_matrix_apply_transpose, gsolve_matrix_residual,
                                 gsolve_matrix_stream, gsolve_csr_stream, gsolve_solver_run,
                                 gsolve_auto_run and gsolve_solve; others fail with
                                 GSOLVE_BAD_ARGUMENT */
} gsolve_dense;

/* Returns a view of a square n x n matrix on the host, with 32-bit offsets and double values. The
 * arrays remain the caller's. */
static inline gsolve_csr gsolve_csr_view(int32_t n, const int32_t *start, const int32_t *col,
                                         const double *value)
{
    gsolve_csr csr = {n, n, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    return csr;
}

/* Returns a view of one vector of n doubles on the host. The array remains the caller's. */
static inline gsolve_dense gsolve_vector(double *value, int32_t n)
{
    gsolve_dense v = {n, 1, n, value, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return v;
}

/* Returns start[nrows], the number of entries with duplicates. csr must be on the host. */
static inline int64_t gsolve_csr_entries(const gsolve_csr *csr)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[csr->nrows]
                                     : (int64_t)((const int32_t *)csr->start)[csr->nrows];
}

#ifdef __cplusplus
}
#endif
#endif
