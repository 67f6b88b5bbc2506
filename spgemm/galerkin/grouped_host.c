/* grouped_host.c: groups of rows of R A P on the CPU; instances of grouped_body.h. */
#include "spgemm/galerkin/grouped.h"

#define GS_BODY "spgemm/galerkin/grouped_body.h"
#include "core/each_type.h"

const gs_grouped_kernels GS_LEVEL(gs_grouped_host)[GSOLVE_TYPE_COUNT] = {{sum_f32, put_f32},
                                                                         {sum_f64, put_f64}};
