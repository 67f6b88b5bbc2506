/* polynomial_host.c: the kernels of polynomial.h on the CPU. */
#include "precond/chebyshev/polynomial.h"

#include <math.h>

#include "vector/blocks.h"

#define INLINE static inline
#include "precond/chebyshev/inverse_diagonal_rule.h"
#include "precond/random.h"

#define GS_BODY "precond/chebyshev/polynomial_body.h"
#include "core/each_type.h"

const gs_polynomial_kernels GS_LEVEL(gs_polynomial_host)[GSOLVE_TYPE_COUNT] = {
    {reciprocals_f32, random_f32, step_from_f64_f32, step_f32},
    {reciprocals_f64, random_f64, step_from_f64_f64, step_f64}};
