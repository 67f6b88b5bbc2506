/* incomplete.h: incomplete factorisations of level 0, A ~ (I + L) D (I + U) with strict triangles L
 * and U, computed on the host for ilu, ic and isai. */
#ifndef GS_PRECOND_INCOMPLETE_INCOMPLETE_H
#define GS_PRECOND_INCOMPLETE_INCOMPLETE_H

#include "precond/incomplete/triangular_solve.h"

#define GS_MIN_SHIFT 1e-3 /* the first shift after a breakdown, relative to the diagonal */
#define GS_MAX_SHIFT 1e3  /* the largest shift that is tried */
#define GS_MIN_PIVOT \
    1e-10 /* a pivot below this share of its row, or diagonal entry, counts as breakdown */

/* The shift to try after one that failed. */
static inline double gs_next_shift(double shift)
{
    return shift > 0 ? 2 * shift : GS_MIN_SHIFT;
}

typedef struct gs_incomplete_args {
    const char *who;             /* names the caller in messages */
    const gs_schedule *schedule; /* of L's rows */
    bool allow_zero_diagonal;    /* LU only: if a_ii is missing or 0, d[i] = 0, so that M^-1 leaves
                                    unknown i alone; else this is an error */
    const int32_t *row_number;   /* of the rows in messages; NULL: their own */
} gs_incomplete_args;

/* On entry L and U are the strict triangles of csr. They become the factors of csr + shift S (see
 * factorisation.c), and d[i] = 1 / D_ii. *shift: the least shift to try
 * on entry, then the one that succeeded. All values are within the range of csr's type.
 * GSOLVE_ZERO_PIVOT: a diagonal entry that cannot be used, or breakdown even with GS_MAX_SHIFT. */
gsolve_status gs_incomplete_lu(gs_strict_triangle *L, gs_strict_triangle *U, double *d,
                               gsolve_context *ctx, const gsolve_csr *csr,
                               const gs_incomplete_args *args, double *shift);

/* Incomplete Cholesky, from L alone: U = L'. */
gsolve_status gs_incomplete_cholesky(gs_strict_triangle *L, double *d, gsolve_context *ctx,
                                     const gsolve_csr *csr, const gs_incomplete_args *args,
                                     double *shift);

/* --- stored factors --------------------------------------------------------------------------- */

/* M = (I + L) D (I + U), stored for solves. */
typedef struct gs_factors {
    gs_triangle lower, upper;
    gs_triangle lower_transposed,
        upper_transposed; /* solves with U' and L'; built by the first transposed application */
    void *d;              /* n reciprocals of D, in the type of the factors */
    const int32_t *row_number; /* while factors are computed: see gs_incomplete_args */
} gs_factors;

/* Computes the factors of csr by incomplete Cholesky if symmetric, else by incomplete LU, and
 * stores them. The structures of an earlier call are used again. who, allow_zero_diagonal: see
 * gs_incomplete_args; shift: as above. */
gsolve_status gs_factors_compute(gs_factors *f, gsolve_context *ctx, const gsolve_csr *csr,
                                 const char *who, bool symmetric, bool allow_zero_diagonal,
                                 double *shift);

/* The bytes that an application to one column moves. */
size_t gs_factors_bytes(const gs_factors *f);
void gs_factors_destroy(gs_factors *f, gsolve_context *ctx);

/* z = M^-1 r, or M^-T r. */
gsolve_status gs_factors_apply(gs_factors *f, gsolve_context *ctx, bool transposed, gsolve_dense r,
                               gsolve_dense z);

#endif
