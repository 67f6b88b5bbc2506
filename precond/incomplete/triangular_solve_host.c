/* triangular_solve_host.c: the solves with stored triangles on the CPU. */
#include "precond/incomplete/triangular_solve.h"

typedef struct job { /* a thread owns its share of each level of the schedule */
    const gs_triangle *t;
    const void *d, *r;
    void *z;
    int32_t columns; /* row-major */
} job;

/* The offset of the stored row `place`. wide: offsets have 64 bits. */
static inline __attribute__((always_inline)) int64_t offset_at(const gs_triangle *t,
                                                               const bool wide, int32_t place)
{
    return wide ? ((const int64_t *)t->rows.start)[place] : ((const int32_t *)t->rows.start)[place];
}

#define GS_BODY "precond/incomplete/triangular_solve_body.h"
#include "core/each_type.h"

const gs_triangle_kernels GS_LEVEL(gs_triangle_host)[GSOLVE_TYPE_COUNT] = {
    {NULL, NULL, solve_f32, false}, {NULL, NULL, solve_f64, false}};
