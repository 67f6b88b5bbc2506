/* outer.h: what the files of the caller's system share: outer.c says what they do. */
#ifndef GS_SOLVER_RUN_OUTER_H
#define GS_SOLVER_RUN_OUTER_H

#include "solver/method.h"

#define GS_MOST_EXPONENT 1020 /* 2^1020 and its reciprocal are numbers */

/* Column c of v, which lies in the order of right-hand sides. */
static inline gsolve_dense gs_outer_column(gsolve_dense v, const gs_krylov *k, int32_t c)
{
    return gs_column_of(v, k->order[c]);
}

static inline int gs_outer_clamp(int exponent, int most)
{
    return exponent > most ? most : exponent < -most ? -most : exponent;
}

static inline gsolve_dense gs_outer_with_columns(gsolve_dense v, int32_t ncols)
{
    v.ncols = ncols;
    return v;
}

/* to = from, a column of any type, where kernels see both. */
gsolve_status gs_outer_copy_column(gs_krylov *k, gsolve_dense from, gsolve_dense to);

/* v'v of a column. */
gsolve_status gs_outer_square(gs_krylov *k, gsolve_dense v, double *square);

/* From here on the run corrects the caller's x. Nothing has changed where that fails. */
gsolve_status gs_outer_begin_corrections(gs_krylov *k);

/* Sets up the next correction of column c, whose |b - Ax| is r. */
gsolve_status gs_outer_begin_correction(gs_krylov *k, int32_t c, double r);

/* outer_scale.c: looks once in a run whether |A M^-1 b| is out of range, and then goes on with a
 * multiple of A; or whether it was not comfortable, and then with corrections. Without memory for
 * that the run ends as it is. */
gsolve_status gs_outer_rescue(gs_krylov *k, bool *again);

#endif
