/* relax_body.h: the passes for one type, see relax.h. */

#include "spmv/row_sum.h"

/* One block of rows: r = b - A x, or where d is not NULL the step to y = r. */
#define OFFSET   int32_t
#define ON(name) GS_PASTE(FN(name), o32)
#include "precond/amg/relax_rows.h"
#undef OFFSET
#undef ON

#define OFFSET   int64_t
#define ON(name) GS_PASTE(FN(name), o64)
#include "precond/amg/relax_rows.h"
#undef OFFSET
#undef ON

static gsolve_status FN(all_rows)(gs_queue *q, const gsolve_csr *A, double a, double c, const T *d,
                                  const T *b, const T *x, const T *old, T *y)
{
    const gs_blocks blocks = gs_blocks_of(A->nrows);
    const int threads = blocks.count > 1 ? gs_queue_threads(q) : 1;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const int32_t at = (int32_t)gs_block_begin(&blocks, k);
        const int32_t end = (int32_t)gs_block_end(&blocks, k);
        if (A->offset == GSOLVE_O64) {
            GS_PASTE(FN(rows), o64)(A, at, end, (T)a, (T)c, d, b, x, old, y);
        } else {
            GS_PASTE(FN(rows), o32)(A, at, end, (T)a, (T)c, d, b, x, old, y);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(residual)(gs_queue *q, const gsolve_csr *A, double mean, const void *b,
                                  const void *x, void *r)
{
    (void)mean;
    return FN(all_rows)(q, A, 1, 0, NULL, b, x, NULL, r);
}

static gsolve_status FN(relax)(gs_queue *q, const gsolve_csr *A, double mean, double a, double c,
                               const void *d, const void *b, const void *x, const void *old,
                               void *y)
{
    (void)mean;
    return FN(all_rows)(q, A, a, c, d, b, x, old, y);
}
