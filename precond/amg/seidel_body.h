/* seidel_body.h: sweeps for one type, see seidel.h. */

#define OFFSET   int32_t
#define ON(name) GS_PASTE(FN(name), o32)
#include "precond/amg/seidel_rows.h"
#undef OFFSET
#undef ON

#define OFFSET   int64_t
#define ON(name) GS_PASTE(FN(name), o64)
#include "precond/amg/seidel_rows.h"
#undef OFFSET
#undef ON

/* --- colours ---------------------------------------------------------------------------------- */

static gsolve_status FN(begin)(gs_queue *q, int64_t n, const int32_t *colour, int32_t which,
                               const void *pd, const void *pb, void *px)
{
    const T *d = pd, *b = pb;
    T *x = px;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) x[i] = colour[i] == which ? d[i] * b[i] : 0;
    return GSOLVE_OK;
}

static gsolve_status FN(colours)(gs_queue *q, const gsolve_csr *A, const gs_colours *C,
                                 int32_t from, bool back, const void *pd, const void *pb, void *px)
{
    const T *value = A->value, *d = pd, *b = pb;
    T *x = px;

    for (int32_t c = from; c >= 0 && c < C->count; c += back ? -1 : 1) {
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
        for (int32_t r = C->first[c]; r < C->first[c + 1]; r++) {
            const int32_t i = C->row[r];
            T sum = 0;
            for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
                sum += value[k] * x[A->col[k]];
            }
            x[i] += d[i] * (b[i] - sum);
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
        if (fabs(diagonal) < GS_SEIDEL_LARGE * outside) diagonal += copysign(outside / 2, diagonal);
        d[i] = present ? (T)(1 / diagonal) : 0;
    }
    return GSOLVE_OK;
}

static gsolve_status FN(blocks)(gs_queue *q, const gsolve_csr *A, bool zero, bool back,
                                const void *d, const void *b, void *px, void *old)
{
    const gs_blocks blocks = blocks_of(A->nrows);
    const bool wide = A->offset == GSOLVE_O64;
    T *x = px;

    if (!zero && blocks.count > 1) {
        gs_copy_host(gs_queue_threads(q), old, x, (size_t)A->nrows * sizeof *x);
    }
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int k = 0; k < blocks.count; k++) {
        const int32_t at = (int32_t)gs_block_begin(&blocks, k);
        const int32_t end = (int32_t)gs_block_end(&blocks, k);
        if (zero) {
            (wide ? GS_PASTE(FN(first), o64) : GS_PASTE(FN(first), o32))(A, at, end, back, d, b, x);
        } else {
            (wide ? GS_PASTE(FN(next), o64) : GS_PASTE(FN(next), o32))(A, at, end, back, d, b, x,
                                                                       old);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(turned_blocks)(gs_queue *q, const gsolve_csr *A, bool zero, bool back,
                                       const void *d, void *r, void *x)
{
    const gs_blocks blocks = blocks_of(A->nrows);
    const bool wide = A->offset == GSOLVE_O64;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int k = 0; k < blocks.count; k++) {
        const int32_t at = (int32_t)gs_block_begin(&blocks, k);
        const int32_t end = (int32_t)gs_block_end(&blocks, k);
        (wide ? GS_PASTE(FN(turned), o64) : GS_PASTE(FN(turned), o32))(A, at, end, zero, back, d, r,
                                                                       x);
    }
    return GSOLVE_OK;
}
