/* gauss_seidel_body.h: sweeps of Gauss-Seidel on the CPU for one value type, see gauss_seidel.h. A
 * thread owns blocks of rows. A sweep reads A's rows, b and d once, and reads and writes x. */

/* The arguments of a sweep. */
typedef struct FN(sweep_args) {
    const gsolve_csr *A;
    int32_t columns;
    bool zero, back;
    const T *d, *b, *old;
    T *x, *r; /* r is set for a sweep with A'; b and old are NULL then */
} FN(sweep_args);

/* sum += value times row j of x, for all columns. */
static inline __attribute__((always_inline)) void FN(add)(const int32_t columns, T value,
                                                          const T *x, int32_t j, T *sum)
{
    x += (int64_t)j * columns;
#pragma omp simd
    for (int32_t c = 0; c < columns; c++) sum[c] += value * x[c];
}

#define OFFSET   int32_t
#define ON(name) GS_PASTE(FN(name), o32)
#include "precond/amg/smoothers/gauss_seidel_blocks.h"
#undef OFFSET
#undef ON

#define OFFSET   int64_t
#define ON(name) GS_PASTE(FN(name), o64)
#include "precond/amg/smoothers/gauss_seidel_blocks.h"
#undef OFFSET
#undef ON

static gsolve_status FN(block_diagonal)(gs_queue *q, const gsolve_csr *A, void *pd)
{
    const gs_blocks blocks = blocks_of(A->nrows);
    const T *value = A->value;
    T *d = pd;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t at = i / blocks.size * blocks.size, end = at + blocks.size;
        double outside = 0, diagonal = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const double a = (double)value[k];
            if (A->col[k] < at || A->col[k] >= end) outside += fabs(a);
            if (A->col[k] == i) diagonal = a;
        }
        const bool present = diagonal != 0;
        if (fabs(diagonal) < GS_GAUSS_SEIDEL_LARGE * outside)
            diagonal += copysign(outside / 2, diagonal);
        d[i] = present ? (T)(1 / diagonal) : 0;
    }
    return GSOLVE_OK;
}

static void FN(sweep_blocks)(gs_queue *q, const FN(sweep_args) * v)
{
    const gs_blocks blocks = blocks_of(v->A->nrows);
    void (*const sweep)(const FN(sweep_args) *, int32_t, int32_t) =
        v->A->offset == GSOLVE_O64 ? GS_PASTE(FN(block), o64) : GS_PASTE(FN(block), o32);

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int k = 0; k < blocks.count; k++) {
        sweep(v, (int32_t)gs_block_begin(&blocks, k), (int32_t)gs_block_end(&blocks, k));
    }
}

static gsolve_status FN(blocks)(gs_queue *q, const gsolve_csr *A, int32_t columns, bool zero,
                                bool back, gs_sweep_vectors v)
{
    const FN(sweep_args) args = {A, columns, zero, back, v.d, v.b, v.work, v.x, NULL};

    if (!zero && blocks_of(A->nrows).count > 1) {
        gs_copy_host(gs_queue_threads(q), v.work, v.x,
                     (size_t)A->nrows * (size_t)columns * sizeof(T));
    }
    FN(sweep_blocks)(q, &args);
    return GSOLVE_OK;
}

static gsolve_status FN(transposed_blocks)(gs_queue *q, const gsolve_csr *A, int32_t columns,
                                           bool zero, bool back, gs_sweep_vectors v)
{
    FN(sweep_blocks)
    (q, &(FN(sweep_args)){A, columns, zero, back, v.d, NULL, NULL, v.x, v.work});
    return GSOLVE_OK;
}
