/* adapt_matrix.h: A's form ("auto", see spmv/auto/) changes while a run uses it. */
#ifndef GS_SOLVER_RUN_ADAPT_MATRIX_H
#define GS_SOLVER_RUN_ADAPT_MATRIX_H

#include "solver/run/run.h"

typedef struct gs_adapting {
    bool on;         /* A's form may still change */
    int64_t next_at; /* iterations of the run after which A gets the next estimate */
} gs_adapting;

/* A run begins; its active columns are known. */
gsolve_status gs_adapt_begin(gs_krylov *k);
/* Steps of the first chunk: fewer than `chunk` if A gets its first estimate before the end of it.
 */
int gs_adapt_first(const gs_krylov *k, int chunk);
/* Whether A gets an estimate after j steps since the start. */
bool gs_adapt_due(const gs_krylov *k, int64_t j);
/* Gives A the estimate; the host has read the progress of all j steps. */
gsolve_status gs_adapt_matrix(gs_krylov *k, int64_t j, int chunk);
/* A run ends: A gets the products made, and the estimate that none are left. */
gsolve_status gs_adapt_end(gs_krylov *k);

#endif
