/* symmetry.h: tests symmetry and counts empty columns. Parts of the rows are examined in any order
 * and in parallel. */
#ifndef GS_MATRIX_SYMMETRY_H
#define GS_MATRIX_SYMMETRY_H

#include "matrix/csr.h"

typedef struct gs_symmetry { /* of some rows of a clean csr on the host */
    bool paired;             /* the entries above the diagonal have mirror images */
    bool symmetric, skew;    /* the values of these pairs */
    int64_t above, below;    /* number of entries above and below the diagonal */
} gs_symmetry;

/* Whether the difference of a_ij and a_ji, of which `most` is the larger magnitude, is a rounding
 * error in this type, where aii and ajj are the diagonal entries. */
bool gs_is_rounding(gsolve_type type, double difference, double most, double aii, double ajj);

/* Of no rows. */
gs_symmetry gs_symmetry_of_none(const gsolve_csr *A);

/* Examines rows [from, to). Stops when an entry has no mirror image. */
void gs_symmetry_add_rows(gs_symmetry *s, const gsolve_csr *A, int32_t from, int32_t to);

/* Adds the findings about other rows. */
void gs_symmetry_add(gs_symmetry *s, const gs_symmetry *others);

/* Sets the members symmetric, skew, symmetric_pattern and empty_cols of t, whose other members are
 * known, after all rows. If the pattern is not symmetric, it reads all columns once more. */
gsolve_status gs_symmetry_set(const gs_symmetry *s, gsolve_context *ctx, const gsolve_csr *A,
                              gsolve_statistics *t);

/* *symmetric = whether the nonzero entries of A are symmetric after the removal of the rows whose
 * only nonzero entry is on the diagonal, and of their columns. A is square. Reads A once more, at
 * most up to the first asymmetry. */
gsolve_status gs_symmetry_of_rest(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A);

#endif
