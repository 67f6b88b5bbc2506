/* steps_host.c: the steps of steps.h on the CPU. */
#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"
#include "precond/amg/coarsening/classical/classical_rules.h"
#include "precond/amg/coarsening/pairwise_rules.h"

static gsolve_status root(gs_queue *q, gs_root_step step, int64_t n, const gs_root_search *s)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t I = 0; I < n; I++) gs_do_root_step(step, s, (int32_t)I);
    return GSOLVE_OK;
}

static gsolve_status pair(gs_queue *q, gs_pairing_step step, int64_t n, const gs_pairing *p)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t g = 0; g < n; g++) gs_do_pairing_step(step, p, (int32_t)g);
    return GSOLVE_OK;
}

static gsolve_status point(gs_queue *q, gs_point_step step, int64_t n, const gs_point_arrays *p)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) gs_do_point_step(step, p, (int32_t)i);
    return GSOLVE_OK;
}

const gs_step_kernels GS_LEVEL(gs_step_host)[GSOLVE_TYPE_COUNT] = {{root, pair, point},
                                                                   {root, pair, point}};
