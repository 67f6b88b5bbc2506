/* polynomial_host.c: the kernels on the CPU. */
#include <math.h>

#include "precond/chebyshev/polynomial.h"
#include "vector/blocks.h"

#define INLINE static inline
#include "precond/incomplete/isai_rule.h"
#include "precond/mix.h"

#define GS_BODY "precond/chebyshev/polynomial_body.h"
#include "core/each_type.h"

const gs_polynomial_kernels gs_polynomial_host[GSOLVE_TYPE_COUNT] = {
    {reciprocals_f32, noise_f32, narrow_f32, step_f32},
    {reciprocals_f64, noise_f64, narrow_f64, step_f64}};
