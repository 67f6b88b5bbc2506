/* vector_host.c: the vector kernels on the CPU, for every type. */
#include "vector/vector.h"

#include <math.h>
#include <string.h>

#include "vector/batch.h"
#include "vector/blocks.h"

static double ratio_value(gs_ratio r)
{
    const double num = r.num ? *r.num : 1, den = r.den ? *r.den : 1;
    const double num2 = r.num2 ? *r.num2 : 1, den2 = r.den2 ? *r.den2 : 1;
    const double value = r.sign * (num / den) * (num2 / den2);

    if (isfinite(value) && !(r.positive && (den < 0 || num < 0))) return value;
    if (r.flag && !*r.flag) *r.flag = r.flaw;
    return 0;
}

#define SMALL static
#include "vector/convergence_body.h"
#include "vector/norm_body.h"

#define GS_BODY "vector/vector_body.h"
#include "core/each_type.h"

#define TABLE(t)                                                                            \
    {zero_##t,           copy_##t,     scale_##t,     dot_##t,           dot2_##t,          \
     axpby_##t,          axpbypcz_##t, axpy_norm_##t, residual_step_##t, solution_step_##t, \
     direction_step_##t, dots_##t,     combine_##t,   pipe_step_##t,     sum_##t,           \
     shift_##t}

const gs_vector_kernels GS_LEVEL(gs_vector_host)[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
