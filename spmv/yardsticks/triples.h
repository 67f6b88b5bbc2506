/* triples.h: entries with their row and column numbers, the engine of the formats by coordinates.
 *
 * On the CPU, where a thread sums whole rows, the row numbers are those of the rows that have
 * entries, which are multiplied as csr does.
 *
 * On a GPU there is one for each entry. Entries are sorted by rows. They are cut into intervals of
 * equal size, whatever the rows, and an interval is summed row by row. A row that begins and ends
 * in one interval goes to y at once. Of one that reaches over a border, the interval in which it
 * begins leaves its sum in tail, the later ones leave theirs in head, and a second pass adds them
 * up in their order:
 *
 *      entries   a a b b | b b b b | b c c c      tail[0] = b b
 *      interval     0         1         2         head[1] = b b b b, head[2] = b
 */
#ifndef GS_SPMV_YARDSTICKS_TRIPLES_H
#define GS_SPMV_YARDSTICKS_TRIPLES_H

#include "matrix/csr.h"

#define GS_TRIPLES_CUDA 512 /* entries of an interval: a warp's */

typedef struct gs_triples {
    gsolve_csr csr;     /* the handle's */
    int64_t skip;       /* entries at the beginning of each row that are left out */
    int64_t entries;    /* the others */
    int32_t *row;       /* ascending: entries; on the CPU left.nrows */
    const int32_t *col; /* entries; csr's where skip is 0 */
    const void *value;  /* entries; the same */
    int64_t intervals;
    void *head, *tail; /* intervals: scratch */
    gsolve_csr left;   /* on the CPU: the rows that have entries, */
    void *form;        /* ... csr's form of them, */
    void *sum;         /* ... and their sums: scratch */
} gs_triples;

typedef struct gs_triples_kernels {
    /* t's row, col, value, entries, from csr and skip; on failure what there is is the caller's */
    gsolve_status (*make)(gs_triples *t, gsolve_context *ctx);
    /* the values once more, where skip is not 0 */
    gsolve_status (*refill)(const gs_triples *t, gsolve_context *ctx);
    /* y += alpha t x; on the CPU that product is in t->sum already */
    gsolve_status (*add)(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y);
    /* *length = that of the rank-th longest row of csr, counted from 0 */
    gsolve_status (*ranked)(gsolve_context *ctx, const gsolve_csr *csr, int32_t rank,
                            int64_t *length);
    int64_t interval; /* entries of one; 0: there are none */
} gs_triples_kernels;

extern const gs_triples_kernels gs_triples_host[GSOLVE_TYPE_COUNT];
extern const gs_triples_kernels gs_triples_cuda[GSOLVE_TYPE_COUNT];

/* *t = all entries of csr but the first skip of each row. On failure nothing is left. */
gsolve_status gs_triples_make(gs_triples *t, gsolve_context *ctx, const gsolve_csr *csr,
                              int64_t entries, int64_t skip);
void gs_triples_drop(gs_triples *t, gsolve_context *ctx);

/* t's values = csr's, of the same pattern. */
gsolve_status gs_triples_update(gs_triples *t, gsolve_context *ctx, const gsolve_csr *csr);

/* y = alpha t x + beta y */
gsolve_status gs_triples_apply(const gs_triples *t, gsolve_context *ctx, double alpha,
                               gsolve_dense x, double beta, gsolve_dense y);

/* y += alpha t x */
gsolve_status gs_triples_add(const gs_triples *t, gsolve_context *ctx, double alpha, gsolve_dense x,
                             gsolve_dense y);

/* Bytes of t's own arrays, if it has so many entries: what a estimate_memory says. */
double gs_triples_bytes(const gsolve_csr *csr, double entries, bool copied);

#endif
