/* vector_host.c: the vector kernels on the CPU, for every type and for several columns. */
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

const gs_vector_kernels gs_vector_host[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};

/* --- batch.h: columns are processed one after the other ------------------------------------- */

static gsolve_status swap(gs_queue *q, int64_t words, void *a, void *b)
{
    enum { PIECE = 1024 };
    uint32_t piece[PIECE], *x = a, *y = b;

    (void)q;
    for (int64_t i = 0; i < words; i += PIECE) {
        const size_t bytes = (size_t)(words - i < PIECE ? words - i : PIECE) * sizeof *x;
        memcpy(piece, x + i, bytes);
        memcpy(x + i, y + i, bytes);
        memcpy(y + i, piece, bytes);
    }
    return GSOLVE_OK;
}

const gs_columns_kernels gs_columns_host = {.swap = swap};
