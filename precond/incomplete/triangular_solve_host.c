/* triangular_solve_host.c: the triangular solve on the CPU. A thread owns its share of each level;
 * all threads meet at a barrier after each level. */
#include <omp.h>

#include "precond/incomplete/triangular_solve.h"
#include "precond/spin_barrier.h"

typedef struct job {
    const gs_triangle *t;
    const void *d, *r;
    void *z;
} job;

typedef void range(const job *j, int32_t from,
                   int32_t to); /* solves the rows at the positions [from, to) */

/* Solves all rows in the order of the schedule. */
static void run(const job *j, range *rows)
{
    const gs_schedule *s = &j->t->schedule;
    gs_spin_barrier barrier = {0};

    if (s->threads <= 1) {
        rows(j, 0, j->t->rows.nrows);
        return;
    }
#pragma omp parallel num_threads(gs_usable_threads(s->threads))
    for (int32_t level = 0; level < s->levels; level++) {
        const int threads = omp_get_num_threads();
        for (int share = omp_get_thread_num(); share < s->threads; share += threads) {
            const int32_t *begin = &s->begin[(int64_t)level * s->threads + share];
            rows(j, begin[0], begin[1]);
        }
        gs_spin_barrier_wait(&barrier, threads);
    }
}

#define GS_BODY "precond/incomplete/triangular_solve_body.h"
#include "core/each_type.h"

const gs_triangle_kernels gs_triangle_host[GSOLVE_TYPE_COUNT] = {
    {NULL, NULL, solve_f32, solve_columns_f32, false},
    {NULL, NULL, solve_f64, solve_columns_f64, false}};
