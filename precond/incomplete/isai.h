/* isai.h: incomplete sparse approximate inverse, see isai.c for what it computes. */
#ifndef GS_PRECOND_INCOMPLETE_ISAI_H
#define GS_PRECOND_INCOMPLETE_ISAI_H

#include "precond/incomplete/triangle.h"

/* --- isai_inverse.c: W ~ diag(scale) (I + L)^-1, L a strict lower triangle
 * --------------------------
 *
 * Row i of W has the pattern S_i and solves (W (I + L))(i, j) = scale_i I(i, j) for all j in S_i.
 */

/* An owned W, values unset, with S_i that of row i of (I + L)^power; where that has more than
 * longest entries, of the highest power, at least the first, that has not. *shortened: in how many
 * rows. GSOLVE_NO_MEMORY. */
gsolve_status gs_isai_pattern(gsolve_csr *W, gsolve_context *ctx, gsolve_type type,
                              const gs_strict *L, int power, int32_t longest, int32_t *shortened);

/* The values of W, whose pattern is that of a lower triangle with its diagonal; scale: n numbers,
 * NULL: ones. *fits: all of them are within the range of W's type. Costs the entries of L in the
 * rows j of S_i, over all i: as much as the factorisation did where power is 1. */
gsolve_status gs_isai_fill(const gsolve_csr *W, gsolve_context *ctx, const gs_strict *L,
                           const double *scale, bool *fits);

/* An owned T = (I + L) diag(1 / scale), of which W approximates the inverse. */
gsolve_status gs_isai_triangle(gsolve_csr *T, gsolve_context *ctx, gsolve_type type,
                               const gs_strict *L, const double *scale, bool *fits);

/* --- isai_setup.c ----------------------------------------------------------------------------- */

enum { GS_ISAI_ILU, GS_ISAI_IC };

typedef struct gs_isai_options {
    int factors, power, longest, relax;
    double shift;
} gs_isai_options;

typedef struct gs_isai_inverse {
    gsolve_matrix *W, *T; /* T, which W is near the inverse of, for relaxation only */
} gs_isai_inverse;

typedef struct gs_isai_self {
    gs_isai_options options;
    gs_schedule schedule;          /* of the factorisation */
    double shift;                  /* that it needed */
    int32_t shortened;             /* rows of a lower power than asked for */
    gs_isai_inverse factor[2];     /* W0 and W1 */
    gs_isai_inverse transposed[2]; /* W1' and W0', made when first asked for */
    gsolve_dense column;           /* work space for one column; with relaxation as much again */
    gsolve_dense strip;            /* of several, and r; made when first asked for */
} gs_isai_self;

/* Makes factor, schedule, shift and shortened as options want; or gives factor, which there is
 * already, the values of a matrix of the same pattern and drops transposed: on failure all stays as
 * it was. */
gsolve_status gs_isai_setup(gs_isai_self *M, gsolve_context *ctx, const gsolve_csr *csr);

/* Makes transposed where it is missing: both or none. */
gsolve_status gs_isai_need_transposed(gs_isai_self *M, gsolve_context *ctx);
void gs_isai_drop(gs_isai_inverse *inverse); /* two of them */

#endif
