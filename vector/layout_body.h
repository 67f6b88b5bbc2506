/* layout_body.h: transposition of a dense block on the CPU for one value type T. */

/* Elements of the longer side that are moved together, so that each cache line is loaded once. */
#define LINE 16

#define FROM     float
#define ON(name) FN(name##_f32)
#include "vector/layout_from.h"
#undef FROM
#undef ON
#define FROM     double
#define ON(name) FN(name##_f64)
#include "vector/layout_from.h"
#undef FROM
#undef ON

static gsolve_status FN(transpose)(gs_queue *q, int32_t rows, int32_t columns, gsolve_type type,
                                   const void *from, int64_t stride, void *to, int64_t step)
{
    const bool flat = rows < columns;

    if (type == GSOLVE_F32) {
        (flat ? FN(transpose_wide_f32) : FN(transpose_tall_f32))(q, rows, columns, from, stride, to,
                                                                 step);
    } else {
        (flat ? FN(transpose_wide_f64) : FN(transpose_tall_f64))(q, rows, columns, from, stride, to,
                                                                 step);
    }
    return GSOLVE_OK;
}

#undef LINE
