/* small_host.c: the functions of small_body.h on the host: the columns that go on, in turn. */
#include "solver/small.h"

#include <math.h>

#define SMALL static
#include "core/judge_body.h"
#include "solver/small_body.h"

#define EACH_COLUMN(name)                                               \
    static gsolve_status name##_columns(gs_queue *q, const gs_small *a) \
    {                                                                   \
        (void)q;                                                        \
        for (int c = 0; c < a->ncols; c++) {                            \
            if (!a->judge.ended[c]) name(a, c);                         \
        }                                                               \
        return GSOLVE_OK;                                               \
    }
GS_SMALL_LIST(EACH_COLUMN)

#define MEMBER(name) .name = name##_columns,
const gs_small_kernels gs_small_host = {GS_SMALL_LIST(MEMBER)};
