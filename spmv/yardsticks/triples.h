/* triples.h: entries with their row and column numbers, for the formats coo and hyb.
 *
 * On the CPU a thread sums complete rows. There the row numbers are those of the rows that have
 * entries, which csr's kernels multiply.
 *
 * On a GPU there is one row number per entry. Entries are sorted by rows and cut into intervals of
 * equal length, whatever the rows. A warp sums an interval row by row. A row that begins and ends
 * in one interval is written to y at once. If a row crosses a boundary, the interval in which it
 * begins stores its part in tail, the later intervals store their parts in head, and a second
 * launch adds them in their order:
 *
 *      entries   a a b b | b b b b | b c c c      tail[0] = b b
 *      interval     0         1         2         head[1] = b b b b, head[2] = b */
#ifndef GS_SPMV_YARDSTICKS_TRIPLES_H
#define GS_SPMV_YARDSTICKS_TRIPLES_H

#include "matrix/csr.h"

#define GS_TRIPLES_CUDA 512 /* entries of an interval, which a warp sums */

typedef struct gs_triples {
    gsolve_csr csr;      /* the handle's rows */
    int64_t skip;        /* entries at the beginning of each row that are left out */
    int64_t entries;     /* number of the other entries */
    int32_t *row;        /* row of each entry, ascending; on the CPU, of each row of nonempty */
    const int32_t *col;  /* column of each entry; csr's array if skip is 0 */
    const void *value;   /* value of each entry; csr's array if skip is 0 */
    int64_t *first;      /* on a GPU, where skip > 0, nrows + 1: own entries before each row */
    int64_t intervals;   /* on a GPU */
    void *head, *tail;   /* on a GPU: work space: a sum per interval each */
    gsolve_csr nonempty; /* on the CPU: the rows that have entries */
    void *form;          /* on the CPU: the form of csr for nonempty */
    void *sum;           /* on the CPU: work space for the sums of these rows */
} gs_triples;

typedef struct gs_triples_kernels {
    /* Makes t's arrays and entries from csr and skip. On failure the caller releases what exists.
     */
    gsolve_status (*make)(gs_triples *t, gsolve_context *ctx);
    /* Stores the values again, where skip is not 0. */
    gsolve_status (*refill)(const gs_triples *t, gsolve_context *ctx);
    /* y += alpha t x. On the CPU the product is in t->sum already. */
    gsolve_status (*add)(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y);
} gs_triples_kernels;

extern const gs_triples_kernels gs_triples_host[GSOLVE_TYPE_COUNT];
extern const gs_triples_kernels gs_triples_cuda[GSOLVE_TYPE_COUNT];

/* *t = the entries of csr except the first `skip` of each row. On failure nothing is left. */
gsolve_status gs_triples_make(gs_triples *t, gsolve_context *ctx, const gsolve_csr *csr,
                              int64_t entries, int64_t skip);
void gs_triples_drop(gs_triples *t, gsolve_context *ctx);

/* Copies the values of csr, which has the same pattern, to self, a gs_triples. */
gsolve_status gs_triples_update(void *self, gsolve_context *ctx, const gsolve_csr *csr);

/* y = alpha t x + beta y, where self is t. */
gsolve_status gs_triples_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y);

/* y += alpha t x. */
gsolve_status gs_triples_add(const gs_triples *t, gsolve_context *ctx, double alpha, gsolve_dense x,
                             gsolve_dense y);

/* Bytes of t's own arrays for that many entries of csr. */
double gs_triples_bytes(const gsolve_csr *csr, double entries, bool copied);

#endif
