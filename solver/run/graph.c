/* graph.c: steps recorded as a CUDA graph: when they can be, and when a recording is stale. */
#include "solver/run/run.h"

#include <string.h>

bool gs_can_record(const gs_krylov *k, int count)
{
    const int period = k->period;

    return k->ctx->device->record && !k->run->recording.impossible && period > 0 &&
           period <= GS_MAX_PERIOD && count % period == 0;
}

void gs_forget_graph(gs_krylov *k)
{
    gs_recording *r = &k->run->recording;

    if (r->graph) k->ctx->device->forget(r->graph);
    r->graph = NULL;
}

void gs_forget_stale_graph(gs_krylov *k)
{
    gs_recording *r = &k->run->recording;
    gsolve_matrix_info A;
    gsolve_precond_info M = {0};

    gsolve_matrix_describe(k->A, &A);
    if (k->M) gsolve_precond_describe(k->M, &M);
    if (r->ncols != k->ncols || r->A != A.version || r->M != M.version || r->form != A.changes) {
        gs_forget_graph(k);
    }
    r->form = A.changes;
    r->ncols = k->ncols;
    r->A = A.version;
    r->M = M.version;
}

void gs_forget_partial_graph(gs_krylov *k)
{
    const gs_recording *r = &k->run->recording;

    for (int32_t c = 0; c < k->ncols; c++) {
        if (r->graph && k->active[c] && !r->active[c]) gs_forget_graph(k);
    }
}
