/* columns.h: kernels on several columns at once, and the order of the columns. */
#ifndef GS_SOLVER_RUN_COLUMNS_H
#define GS_SOLVER_RUN_COLUMNS_H

#include "solver/run/run.h"
#include "vector/batch.h"

typedef struct gs_columns {
    const gs_columns_kernels *kernels;
    gs_queue *batch; /* batches vector kernels, see vector/batch.h; NULL: each runs at once */
    int *all_ended;  /* on the device: whether all columns have ended; NULL: nothing reads it */
} gs_columns;

/* Work space for k->width columns. */
gsolve_status gs_columns_reserve(gs_krylov *k);
void gs_columns_release(gs_krylov *k);
/* A run begins: column c is right-hand side c. */
void gs_columns_begin(gs_krylov *k);
/* A run ends: the host's arrays get the order of right-hand sides again. */
void gs_columns_end(gs_krylov *k);
/* Active columns move to the front and the others behind them. */
gsolve_status gs_columns_compact(gs_krylov *k);
/* Whether enough columns have ended before step j to move the others. */
bool gs_columns_should_compact(const gs_krylov *k, int64_t j);
/* From here on all columns of the run count as possibly active. */
void gs_columns_widen(gs_krylov *k);
/* After a step: the device finds out whether all columns have ended. */
gsolve_status gs_columns_test_ended(gs_krylov *k);
/* Column c of v. The columns of b and x do not move: for v = k->b or k->x it is the column of
 * its right-hand side. */
gsolve_dense gs_operand_column(const gs_krylov *k, gsolve_dense v, int32_t c);

#endif
