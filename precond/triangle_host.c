/* triangle_host.c: the triangular solve on the CPU. */
#include <omp.h>

#include "precond/barrier.h"
#include "precond/triangle.h"

#define COLUMNS 4 /* solved at once, so that T is read once for them */

typedef struct job {
    const gs_triangle *t;
    const void *d, *r;
    void *z;
    int64_t rstride, zstride;
} job;

#define GS_BODY "precond/triangle_body.h"
#include "core/each_type.h"

const gs_triangle_kernels gs_triangle_host[GSOLVE_TYPE_COUNT] = {{NULL, NULL, solve_f32},
                                                                 {NULL, NULL, solve_f64}};
