/* triangular_solve_body.h: the solve on the CPU for one value type. triangular_solve_rows.h has the
 * code for each offset type. */

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "precond/incomplete/triangular_solve_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "precond/incomplete/triangular_solve_rows.h"
#undef OFFSET
#undef ON

static gsolve_status FN(solve)(gs_queue *q, const gs_triangle *t, const void *d, const void *r,
                               void *z)
{
    const job j = {t, d, r, z};

    (void)q; /* the schedule has the number of threads */
    run(&j, t->rows.offset == GSOLVE_O64 ? FN(one_o64) : FN(one_o32));
    return GSOLVE_OK;
}

static gsolve_status FN(solve_columns)(gs_queue *q, const gs_triangle *t, const void *d,
                                       int32_t columns, int32_t stride, const void *r, void *z)
{
    const job j = {t, d, r, z};
    const bool wide = t->rows.offset == GSOLVE_O64;

    (void)q, (void)columns; /* columns = stride: nothing is padded */
    switch (stride) {
    case 2: run(&j, wide ? FN(two_o64) : FN(two_o32)); break;
    case 4: run(&j, wide ? FN(four_o64) : FN(four_o32)); break;
    default: run(&j, wide ? FN(eight_o64) : FN(eight_o32)); break;
    }
    return GSOLVE_OK;
}
