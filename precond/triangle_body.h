/* triangle_body.h: the solve on the CPU for one type; triangle_rows.h holds what reads offsets. */

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "precond/triangle_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "precond/triangle_rows.h"
#undef OFFSET
#undef ON

/* The rows stored at places [from, to), for one column or for COLUMNS. */
static void FN(solve_rows)(const job *j, int32_t columns, int32_t from, int32_t to)
{
    const bool wide = j->t->rows.offset == GSOLVE_O64;

    if (columns == 1) {
        (wide ? FN(one_o64) : FN(one_o32))(j, from, to);
    } else {
        (wide ? FN(several_o64) : FN(several_o32))(j, from, to);
    }
}

static gsolve_status FN(solve)(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                               const void *r, int64_t rstride, void *z, int64_t zstride)
{
    const gs_schedule *s = &t->schedule;

    (void)q; /* the schedule says how many threads */
    for (int32_t c = 0, step; c < columns; c += step) {
        const job j = {t, d, (const T *)r + c * rstride, (T *)z + c * zstride, rstride, zstride};
        step = columns - c >= COLUMNS ? COLUMNS : 1;
        if (s->threads <= 1) {
            FN(solve_rows)(&j, step, 0, t->rows.nrows);
            continue;
        }
        gs_barrier barrier = {0};
#pragma omp parallel num_threads(s->threads)
        for (int32_t level = 0; level < s->levels; level++) {
            const int team = omp_get_num_threads();
            for (int share = omp_get_thread_num(); share < s->threads; share += team) {
                const int32_t *begin = &s->begin[(int64_t)level * s->threads + share];
                FN(solve_rows)(&j, step, begin[0], begin[1]);
            }
            gs_barrier_wait(&barrier, team);
        }
    }
    return GSOLVE_OK;
}
