/* dependence_host.c: strong connections on the CPU. */
#include <math.h>

#include "precond/amg/coarsening/classical/classical.h"

#define SMALL static inline
#include "precond/amg/coarsening/classical/classical_rules.h"

static bool is_zero(const gsolve_dense *v, int32_t i, int32_t c)
{
    const int64_t at = i + c * v->stride;

    return v->type == GSOLVE_F32 ? ((const float *)v->value)[at] == 0
                                 : ((const double *)v->value)[at] == 0;
}

static gsolve_status components(gsolve_context *ctx, int32_t n, int32_t block,
                                const gsolve_dense *near_null, uint8_t *component)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) {
        int32_t c = block > 1 ? i % block : 0;
        while (block == 1 && c < near_null->ncols - 1 && is_zero(near_null, i, c)) c++;
        component[i] = (uint8_t)c;
    }
    return GSOLVE_OK;
}

#define GS_BODY "precond/amg/coarsening/classical/dependence_body.h"
#include "core/each_type.h"

const gs_classical_dependence_kernels gs_classical_dependence_host[GSOLVE_TYPE_COUNT] = {
    {components, connect_f32, diagonal_f32, indicate_f32},
    {components, connect_f64, diagonal_f64, indicate_f64}};
