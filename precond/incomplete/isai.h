/* isai.h: incomplete sparse approximate inverses; isai.c describes them. */
#ifndef GS_PRECOND_INCOMPLETE_ISAI_H
#define GS_PRECOND_INCOMPLETE_ISAI_H

#include "precond/incomplete/triangular_solve.h"

/* --- isai_inverse.c --------------------------------------------------------------------------- */

/* W ~ diag(scale) (I + L)^-1, L a strict lower triangle. Row i of W has the pattern S_i and solves
 * (W (I + L))(i, j) = scale_i I(i, j) for all j in S_i. */

/* *W = an owned matrix, values unset. The pattern S_i of its row i is that of row i of (I +
 * L)^power. If this row has more than `longest` entries, the largest power, at least 1, with at
 * most longest entries replaces it. *shortened: the number of such rows. GSOLVE_NO_MEMORY. */
gsolve_status gs_isai_pattern(gsolve_csr *W, gsolve_context *ctx, gsolve_type type,
                              const gs_strict_triangle *L, int power, int32_t longest,
                              int32_t *shortened);

/* The values of W, whose pattern is a lower triangle with its diagonal. scale: n numbers, NULL:
 * ones. *fits: all values are within the range of W's type. The cost is the number of entries of L
 * in the rows j of S_i, over all i: as much as the factorisation for power 1. */
gsolve_status gs_isai_fill(const gsolve_csr *W, gsolve_context *ctx, const gs_strict_triangle *L,
                           const double *scale, bool *fits);

/* *T, owned = (I + L) diag(1 / scale), whose inverse W approximates. */
gsolve_status gs_isai_triangle(gsolve_csr *T, gsolve_context *ctx, gsolve_type type,
                               const gs_strict_triangle *L, const double *scale, bool *fits);

/* --- isai_setup.c ----------------------------------------------------------------------------- */

enum { GS_ISAI_ILU, GS_ISAI_IC };

typedef struct gs_isai_options {
    int factors, power, longest, relax;
    double shift;
} gs_isai_options;

typedef struct gs_isai_inverse {
    gsolve_matrix *W, *T; /* T, whose inverse W approximates; only for relaxation */
} gs_isai_inverse;

typedef struct gs_isai_data {
    gs_isai_options options;
    gs_schedule schedule;          /* order of the factorisation */
    double shift;                  /* that the factorisation needed */
    int32_t shortened;             /* rows with a lower power than the option says */
    gs_isai_inverse factor[2];     /* W0 and W1 */
    gs_isai_inverse transposed[2]; /* W1' and W0'; built by the first transposed application */
    gsolve_dense column;           /* work space for one column; two columns with relaxation */
    gsolve_dense
        block; /* work space for several columns; allocated by the first application to several */
} gs_isai_data;

/* The first call builds factor, schedule, shift and shortened. A later one gives factor the values
 * of a matrix of the same pattern, and frees transposed. On failure M is unchanged. */
gsolve_status gs_isai_setup(gs_isai_data *M, gsolve_context *ctx, const gsolve_csr *csr);

/* Builds transposed unless it exists; both matrices or none. */
gsolve_status gs_isai_make_transposed(gs_isai_data *M, gsolve_context *ctx);
void gs_isai_destroy_inverses(gs_isai_inverse *inverse); /* frees both of them */

#endif
