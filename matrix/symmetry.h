/* symmetry.h: tests symmetry and counts empty columns. Parts of the rows are examined in any order
 * and in parallel. */
#ifndef GS_MATRIX_SYMMETRY_H
#define GS_MATRIX_SYMMETRY_H

#include "matrix/csr.h"

typedef struct gs_symmetry { /* of some rows of a clean csr */
    bool paired;             /* the entries above the diagonal have mirror images */
    bool symmetric, skew;    /* the values of these pairs */
    int64_t above, below;    /* number of entries above and below the diagonal */
} gs_symmetry;

/* Of no rows. */
gs_symmetry gs_symmetry_of_none(const gsolve_csr *A);

/* Examines rows [from, to), on the host. Stops when an entry has no mirror image. */
void gs_symmetry_add_rows(gs_symmetry *s, const gsolve_csr *A, int32_t from, int32_t to);

/* Adds the findings about other rows. */
void gs_symmetry_add(gs_symmetry *s, const gs_symmetry *others);

/* Sets the members symmetric, skew, symmetric_pattern and symmetric_rest of t, whose number of
 * entries is known, after all rows. */
void gs_symmetry_set(const gs_symmetry *s, gsolve_statistics *t);

/* *empty = the number of columns without entries of an A on the host with that many entries. */
gsolve_status gs_count_empty_columns(int32_t *empty, gsolve_context *ctx, const gsolve_csr *A,
                                     int64_t entries);

/* *symmetric = whether the nonzero entries of A are symmetric after the removal of the rows whose
 * only nonzero entry is on the diagonal, and of their columns. A is square and on the host. Reads A
 * once more, at most up to the first asymmetry. */
gsolve_status gs_symmetry_of_rest(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A);

#endif
