/* symmetry.h: tests symmetry and counts empty columns while the rows ascend. */
#ifndef GS_MATRIX_SYMMETRY_H
#define GS_MATRIX_SYMMETRY_H

#include "matrix/csr.h"

typedef struct gs_symmetry {
    bool symmetric, skew; /* of the values of the matched rows */
    int32_t matched;      /* the rows before it have partners for all their entries */
    int64_t *next;        /* for each row, its first entry without a partner; NULL: not square */
    char *used;           /* for each column, whether a row from `matched` on has an entry there */
} gs_symmetry;

gsolve_status gs_symmetry_begin(gs_symmetry *s, gsolve_context *ctx, const gsolve_csr *A);
void gs_symmetry_end(gs_symmetry *s, gsolve_context *ctx);

/* Reads rows [from, to), after all rows before them. */
void gs_symmetry_add_rows(gs_symmetry *s, const gsolve_csr *A, int32_t from, int32_t to);

/* Sets the members symmetric, skew, symmetric_pattern and empty_cols of t, whose other members are
 * known, after all rows. */
void gs_symmetry_set(const gs_symmetry *s, const gsolve_csr *A, gsolve_statistics *t);

#endif
