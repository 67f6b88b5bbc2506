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
#include "precond/amg/smoothers/gauss_seidel_columns.h"
#include "precond/amg/smoothers/gauss_seidel_rows.h"
#undef OFFSET
#undef ON

#define OFFSET   int64_t
#define ON(name) GS_PASTE(FN(name), o64)
#include "precond/amg/smoothers/gauss_seidel_columns.h"
#include "precond/amg/smoothers/gauss_seidel_rows.h"
#undef OFFSET
#undef ON

/* --- colours ---------------------------------------------------------------------------------- */

static gsolve_status FN(begin)(gs_queue *q, int64_t n, int32_t columns, const int32_t *colour,
                               int32_t which, const void *pd, const void *pb, void *px)
{
    const T *d = pd, *b = pb;
    T *x = px;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = i * columns; k < (i + 1) * columns; k++) {
            x[k] = colour[i] == which ? d[i] * b[k] : 0;
        }
    }
    return GSOLVE_OK;
}

/* x += d (b - A x) in row i. */
static void FN(relax_row)(const gsolve_csr *A, int32_t i, int32_t columns, T d, const T *b, T *x)
{
    const T *value = A->value;
    T sum[GS_AMG_COLUMNS] = {0};

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        FN(add)(columns, value[k], x, A->col[k], sum);
    }
    b += (int64_t)i * columns;
    x += (int64_t)i * columns;
    for (int32_t c = 0; c < columns; c++) x[c] += d * (b[c] - sum[c]);
}

static gsolve_status FN(colours)(gs_queue *q, const gsolve_csr *A, const gs_colours *C,
                                 int32_t columns, int32_t from, bool back, gs_sweep_vectors v)
{
    const T *d = v.d;

    for (int32_t c = from; c >= 0 && c < C->count; c += back ? -1 : 1) {
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
        for (int32_t r = C->first[c]; r < C->first[c + 1]; r++) {
            FN(relax_row)(A, C->row[r], columns, d[C->row[r]], v.b, v.x);
        }
    }
    return GSOLVE_OK;
}

/* --- blocks of rows --------------------------------------------------------------------------- */

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

/* Sweeps one block for one column. */
static void FN(sweep_one_column)(const FN(sweep_args) * v, int32_t at, int32_t end)
{
    const bool wide = v->A->offset == GSOLVE_O64;

    if (v->r) {
        (wide ? GS_PASTE(FN(transposed_block), o64) : GS_PASTE(FN(transposed_block), o32))(
            v->A, at, end, v->zero, v->back, v->d, v->r, v->x);
    } else if (v->zero) {
        (wide ? GS_PASTE(FN(sweep_block_from_zero), o64)
              : GS_PASTE(FN(sweep_block_from_zero), o32))(v->A, at, end, v->back, v->d, v->b, v->x);
    } else {
        (wide ? GS_PASTE(FN(sweep_block_from_x), o64) : GS_PASTE(FN(sweep_block_from_x), o32))(
            v->A, at, end, v->back, v->d, v->b, v->x, v->old);
    }
}

static void FN(sweep_blocks)(gs_queue *q, const FN(sweep_args) * v)
{
    const gs_blocks blocks = blocks_of(v->A->nrows);
    const bool wide = v->A->offset == GSOLVE_O64;
    void (*const sweep_columns)(const FN(sweep_args) *, int32_t, int32_t) =
        wide ? GS_PASTE(FN(block_of_columns), o64) : GS_PASTE(FN(block_of_columns), o32);
    void (*const sweep)(const FN(sweep_args) *, int32_t, int32_t) =
        v->columns > 1 ? sweep_columns : FN(sweep_one_column);

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
