/* scaling.h: row and column scales that bring the entries of a matrix near 1. */
#ifndef GS_MATRIX_SCALING_H
#define GS_MATRIX_SCALING_H

#include "matrix/csr.h"

/* How A becomes R A C. All scales are powers of two, so that scaled values are exact, unless they
 * become too small, see gs_scaling_compute. */
typedef enum gs_scaling {
    GS_SCALE_NONE,
    GS_SCALE_ROWS,      /* C = I; the largest magnitude of each row of R A is in [0.5, 1) */
    GS_SCALE_SYMMETRIC, /* R = C; the largest magnitude of each row and column of R A R is near 1;
                           if A is symmetric, so is R A R */
    GS_SCALE_AUTO       /* by gs_scaling_choose */
} gs_scaling;

#define GS_SCALE_WORDS "none|rows|symmetric|auto"

/* The scaling that `auto` stands for: none if the largest magnitudes of the rows of csr differ by a
 * factor of less than GS_SCALING_WANTED, else symmetric if A is symmetric, else rows. csr is clean
 * and on the host. */
#define GS_SCALING_WANTED 100
gsolve_status gs_scaling_choose(gs_scaling *scale, gsolve_context *ctx, const gsolve_csr *csr);

/* scale[i] for the rows of csr, which is clean and on the host: GS_SCALE_ROWS or, for a square csr,
 * GS_SCALE_SYMMETRIC. A row (symmetric: a row and column) of zeros has the scale 1. Symmetric: the
 * iteration of Ruiz (2001) in the maximum norm. No scaled value leaves the range of csr's type
 * upwards; values below 2^-120 (single) or 2^-1000 (double) of the largest in their row may become
 * 0. Allocates csr->nrows doubles for a while. */
gsolve_status gs_scaling_compute(double *scale, gsolve_context *ctx, const gsolve_csr *csr,
                                 gs_scaling kind);

#endif
