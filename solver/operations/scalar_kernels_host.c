/* scalar_kernels_host.c: the functions of scalar_kernels_body.h on the host: one column that has
 * not ended after another. */
#include "solver/operations/scalar_kernels.h"

#include <math.h>

#define SMALL static
#include "vector/convergence_body.h"

/* after convergence_body.h, whose functions it calls */
#include "solver/operations/scalar_kernels_body.h"

#define EACH_COLUMN(name)                                                          \
    static gsolve_status name##_columns(gs_queue *q, const gs_scalar_arguments *a) \
    {                                                                              \
        (void)q;                                                                   \
        for (int c = 0; c < a->ncols; c++) {                                       \
            if (!a->convergence.ended[c]) name(a, c);                              \
        }                                                                          \
        return GSOLVE_OK;                                                          \
    }
GS_SCALAR_LIST(EACH_COLUMN)

#define MEMBER(name) .name = name##_columns,
const gs_scalar_kernels gs_scalar_host = {GS_SCALAR_LIST(MEMBER)};
