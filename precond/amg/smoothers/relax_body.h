/* relax_body.h: the passes of relax.h on the CPU for one value type. A thread owns blocks of
 * rows. */

#include "spmv/multi_rhs/row_blocks.h"

/* The arguments of a pass: y = b - A x, or the step if d is not NULL. */
typedef struct FN(relaxed) {
    const gsolve_csr *A;
    int32_t columns;
    T a, c;
    const T *d, *b, *x, *old;
    T *y;
} FN(relaxed);

/* Functions for one block of rows, for both offset types. */
#define OFFSET   int32_t
#define ON(name) GS_PASTE(FN(name), o32)
#include "precond/amg/smoothers/relax_rows.h"
#undef OFFSET
#undef ON

#define OFFSET   int64_t
#define ON(name) GS_PASTE(FN(name), o64)
#include "precond/amg/smoothers/relax_rows.h"
#undef OFFSET
#undef ON

static gsolve_status FN(relax)(gs_queue *q, const gsolve_csr *A, double mean, int32_t columns,
                               const void *x, const gs_step *s)
{
    static void (*const rows[2][2])(const FN(relaxed) *, int32_t, int32_t) = {
        {GS_PASTE(FN(rows), o32), GS_PASTE(FN(rows), o64)},
        {GS_PASTE(FN(rows_of_columns), o32), GS_PASTE(FN(rows_of_columns), o64)}};
    const FN(relaxed) v = {A, columns, (T)s->a, (T)s->c, s->d, s->b, x, s->old, s->y};
    const gs_blocks blocks = gs_blocks_of(A->nrows);
    const int threads = blocks.count > 1 ? gs_queue_threads(q) : 1;

    (void)mean;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        rows[columns > 1][A->offset == GSOLVE_O64](&v, (int32_t)gs_block_begin(&blocks, k),
                                                   (int32_t)gs_block_end(&blocks, k));
    }
    return GSOLVE_OK;
}

#undef OF
