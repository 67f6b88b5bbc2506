/* tentative_host.c: the tentative prolongator on the CPU. */
#include <math.h>

#include "precond/amg/coarsening/aggregation.h"

static double element(gsolve_dense v, int64_t i, int64_t c)
{
    return v.type == GSOLVE_F32 ? (double)((const float *)v.value)[i + c * v.stride]
                                : ((const double *)v.value)[i + c * v.stride];
}

static void set_element(gsolve_dense v, int64_t i, int64_t c, double x)
{
    if (v.type == GSOLVE_F32) {
        ((float *)v.value)[i + c * v.stride] = (float)x;
    } else {
        ((double *)v.value)[i + c * v.stride] = x;
    }
}

#define GS_BODY "precond/amg/transfer/tentative_body.h"
#include "core/each_type.h"

const gs_tentative_kernels gs_tentative_host[GSOLVE_TYPE_COUNT] = {{factor_f32}, {factor_f64}};
