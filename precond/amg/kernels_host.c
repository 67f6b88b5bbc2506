/* kernels_host.c: the kernels on the CPU. */
#include "precond/amg/kernels.h"

#include <math.h>

#include "core/blocks.h"

#define INLINE static inline
#include "precond/amg/inverse_rule.h"
#include "precond/amg/mix.h"

#define GS_BODY "precond/amg/kernels_body.h"
#include "core/each_type.h"

const gs_amg_kernels gs_amg_host[GSOLVE_TYPE_COUNT] = {
    {reciprocals_f32, noise_f32, constant_f32, step_f32, dense_f32},
    {reciprocals_f64, noise_f64, constant_f64, step_f64, dense_f64}};
