/* template_name_host.c: the kernels on the CPU. */
#include "spmv/template_name/template_name.h"

#define GS_BODY "spmv/template_name/template_name_body.h"
#include "core/each_type.h"

const gs_template_name_kernels GS_LEVEL(gs_template_name_host)[GSOLVE_TYPE_COUNT] = {
    {multiply_f32}, {multiply_f64}};
