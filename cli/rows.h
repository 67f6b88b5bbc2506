/* rows.h: rows of a matrix: all rows, or those of one of several ranks. */
#ifndef GS_CLI_ROWS_H
#define GS_CLI_ROWS_H

#include "gsolve_dist.h"

typedef struct cli_rows {
    gsolve_row_range rows, cols; /* the rows that are here; the elements of x that belong to them */
    const void *start;           /* rows.count + 1 offsets, the first is 0 */
    const int32_t *col; /* columns, counted over the whole matrix: one of both, else NULL */
    const int64_t *wide_col;
    const void *value;
    gsolve_offset offset;
    gsolve_type type;
} cli_rows;

/* All rows of A, which is on the host. */
static inline cli_rows cli_rows_of(const gsolve_csr *A)
{
    return (cli_rows){.rows = {0, A->nrows, A->nrows},
                      .cols = {0, A->ncols, A->ncols},
                      .start = A->start,
                      .col = A->col,
                      .value = A->value,
                      .offset = A->offset,
                      .type = A->type};
}

/* The rows of this rank. */
static inline cli_rows cli_rows_of_rank(const gsolve_dist_csr *A)
{
    return (cli_rows){.rows = A->rows,
                      .cols = A->cols.total > 0 ? A->cols : A->rows,
                      .start = A->start,
                      .wide_col = A->col,
                      .value = A->value,
                      .offset = A->offset,
                      .type = A->type};
}

/* The position of the first entry of row i, which is row rows.first + i of the matrix. */
static inline int64_t cli_row_start(const cli_rows *A, int32_t i)
{
    return A->offset == GSOLVE_O64 ? ((const int64_t *)A->start)[i]
                                   : ((const int32_t *)A->start)[i];
}

static inline int64_t cli_row_column(const cli_rows *A, int64_t k)
{
    return A->col ? A->col[k] : A->wide_col[k];
}

static inline double cli_row_value(const cli_rows *A, int64_t k)
{
    return A->type == GSOLVE_F32 ? (double)((const float *)A->value)[k]
                                 : ((const double *)A->value)[k];
}

#endif
