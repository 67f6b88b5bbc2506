/* outer.h: the caller's system, and the system that the run iterates on; see outer.c. */
#ifndef GS_SOLVER_RUN_OUTER_H
#define GS_SOLVER_RUN_OUTER_H

#include "core/staging.h"
#include "matrix/residual.h"
#include "solver/run/run.h"

#define GS_MOST_EXPONENT 1020 /* 2^1020 and 2^-1020 are normal numbers */

typedef struct gs_outer {
    gsolve_dense b, x;         /* the caller's */
    gs_stage at_b, at_x;       /* copies that the device can read, while correcting */
    gsolve_dense own_b, own_x; /* vectors for the run's b, if it is not the caller's, and x */
    bool examined;             /* the size of A was computed in this run */
    gsolve_dense kept[2];      /* kept x of each column; the second where the host reads |r| late */
    gsolve_dense formed[GSOLVE_TYPE_COUNT]; /* space for x in each type, while correcting */
    gs_norms *norms;                        /* one for each column */
} gs_outer;

/* Work space. */
gsolve_status gs_outer_reserve(gs_krylov *k);
/* Sets k->b, k->x and each column's target from the caller's b and x. */
gsolve_status gs_outer_begin(gs_krylov *k, gsolve_dense b, gsolve_dense x);
/* A round begins. */
void gs_outer_begin_round(gs_krylov *k);
/* Copies x to the caller's vector, unless `status` is a failure. Must follow each gs_outer_begin.
 */
gsolve_status gs_outer_end(gs_krylov *k, gsolve_status status);
/* A start: keeps x of all active columns. */
gsolve_status gs_outer_keep_first(gs_krylov *k);
/* Keeps x of the columns whose residual has halved since. The device may be `chunks` (0 or 1)
 * chunks of steps ahead of the progress that the host has read. */
gsolve_status gs_outer_keep(gs_krylov *k, int chunks);
/* Computes the true residual of the columns of this round and decides. *again: some start again. */
gsolve_status gs_outer_verify(gs_krylov *k, bool *again);
/* Whether every column converged, or would have without the rounding of x to the caller's type, and
 * there is a column of the second kind. */
bool gs_outer_rounded(const gs_krylov *k);

/* to = from, of one type, column by column, each on the host or on the device. */
gsolve_status gs_copy_columns(gsolve_context *ctx, gsolve_dense from, gsolve_dense to);

/* --- shared by outer.c, outer_answer.c and outer_scale.c -------------------------------------- */

/* Column c of v, whose columns are in the order of right-hand sides. */
static inline gsolve_dense gs_outer_column(gsolve_dense v, const gs_krylov *k, int32_t c)
{
    return gs_column_of(v, k->run->order[c]);
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

/* to = from: one column, of any types, both readable by kernels. */
gsolve_status gs_outer_copy_column(gs_krylov *k, gsolve_dense from, gsolve_dense to);
/* *square = v'v for one column. */
gsolve_status gs_outer_square(gs_krylov *k, gsolve_dense v, double *square);
/* From here on the run corrects the caller's x. Changes nothing where it fails. */
gsolve_status gs_outer_begin_corrections(gs_krylov *k);
/* Sets up the next correction of column c, whose |b - Ax| is r. */
gsolve_status gs_outer_begin_correction(gs_krylov *k, int32_t c, double r);
/* outer_scale.c: once in a run, checks whether |A M^-1 b| is out of range. If so, columns that
 * failed start again with a multiple of A; if it is close to that, with corrections. Without memory
 * for that, the run ends as it is. */
gsolve_status gs_outer_rescue(gs_krylov *k, bool *again);

#endif
