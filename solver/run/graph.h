/* graph.h: the steps of a chunk, recorded as a CUDA graph. */
#ifndef GS_SOLVER_RUN_GRAPH_H
#define GS_SOLVER_RUN_GRAPH_H

#include "solver/run/run.h"

#define GS_MAX_PERIOD (GS_HISTORY / 4) /* of steps that are recorded */

typedef struct gs_recording {
    gs_graph *graph;             /* NULL: nothing is recorded */
    int products[GS_MAX_PERIOD]; /* products made by the end of each step */
    bool *active;                /* the columns that were active when it was recorded */
    int ncols;
    uint64_t A, M;   /* versions of A and M */
    int form;        /* changes of A's form */
    int64_t from;    /* steps since the start before which nothing is recorded or replayed */
    bool impossible; /* something in a step cannot be recorded */
} gs_recording;

/* The period of the method's steps; 0: they use the host. */
int gs_period(const gs_krylov *k);
/* Whether `count` steps are whole periods that can be recorded. */
bool gs_can_record(const gs_krylov *k, int count);
/* Drops the recording. */
void gs_forget_graph(gs_krylov *k);
/* Drops the recording if the number of columns, A, M or A's form has changed since. */
void gs_forget_stale_graph(gs_krylov *k);
/* Drops the recording if it leaves out a column that is active. */
void gs_forget_partial_graph(gs_krylov *k);
/* A has changed its form. */
void gs_form_changed(gs_krylov *k);
/* Steps are recorded and replayed only from step `steps` on: those before it may allocate what they
 * are the first to use. */
void gs_record_from(gs_krylov *k, int64_t steps);
/* Records the kernels and copies that are launched between begin and end. *begun is false where the
 * stream cannot be recorded. `status` is that of the steps; products[i] is the number of products
 * of steps 0 to i of `count`. A failure leaves no graph. */
void gs_record_begin(gs_krylov *k, bool *begun);
void gs_record_end(gs_krylov *k, gsolve_status status, int count, const int *products);

#endif
