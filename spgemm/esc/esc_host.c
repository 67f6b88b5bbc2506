/* esc_host.c: instances of esc_body.h: the compression on the CPU. */
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "spgemm/esc/esc_segments.h"

#define GS_BODY "spgemm/esc/esc_body.h"
#include "core/each_type.h"

const gs_esc_kernels gs_esc_host[GSOLVE_TYPE_COUNT] = {
    {multiply_f32, update_f32, gs_esc_drop_host},
    {multiply_f64, update_f64, gs_esc_drop_host},
};
