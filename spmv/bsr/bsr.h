/* bsr.h: the format bsr: dense blocks of b x b, 2 <= b <= 6, wherever one of their places is taken.
 * Block (I, J) holds rows I b .. I b + b - 1 and columns J b .. J b + b - 1; places that the
 * pattern lacks hold 0. One column number serves b^2 values.
 *
 * On the CPU the blocks lie block row by block row, each by columns: value[k b^2 + c b + r]. A
 * column of a block times an element of x is one operation on a vector.
 *
 * On a GPU see bsr_slices.cuh. */
#ifndef GS_SPMV_BSR_BSR_H
#define GS_SPMV_BSR_BSR_H

#include "matrix/csr.h"
#include "spmv/multi_rhs/subwarp_rows.h"
#include "vector/vector.h"

enum { GS_BSR_LEAST = 2, GS_BSR_MOST = 6 }; /* rows and columns of a block */
enum { GS_BSR_AUTO, GS_BSR_16, GS_BSR_32 }; /* the words of index= */

#define GS_BSR_TASK 8192 /* values of a task, and GS_BSR_TOLL for a block row */
#define GS_BSR_TOLL 16

typedef struct gs_bsr_options {
    int block, index;
} gs_bsr_options;

typedef struct gs_bsr {
    gsolve_csr csr; /* the handle's */
    int b, index;
    int32_t rows, cols; /* of blocks */
    int64_t entries, blocks, stored;
    size_t bytes; /* of the stored form */
    /* on the CPU */
    int64_t *first; /* rows + 1: first block of each block row */
    int32_t *col;   /* blocks: block columns, ascending in each block row; or NULL: */
    uint16_t *near; /* blocks: the same as offsets from that of the row's first block, */
    int32_t *base;  /* rows: which is this */
    void *value;
    int32_t tasks;
    int32_t *begin;               /* tasks + 1: first block row of each task */
    double *part;                 /* scratch: two sums for each task */
    struct gs_bsr_slices *slices; /* on CUDA, instead of all these: see bsr_slices.cuh */
    gs_subwarp_space space;       /* for products with many columns */
} gs_bsr;

typedef struct gs_bsr_kernels {
    /* The blocks of m->csr, and their values; sets blocks, stored and bytes. What it allocates is
     * m's, also on failure. */
    gsolve_status (*store)(gs_bsr *m, gsolve_context *ctx);
    void (*drop)(gs_bsr *m, gsolve_context *ctx);
    /* The values once more, after those of m->csr have changed. */
    gsolve_status (*refill)(gs_bsr *m, gsolve_context *ctx);
    /* y = alpha A x + beta y; dots: if not NULL, alpha is 1 and beta 0 */
    gsolve_status (*apply)(gs_queue *q, const gs_bsr *m, double alpha, const void *x, double beta,
                           void *y, const gs_product_sums *dots);
    gs_subwarp_product *multiply; /* of many columns by rows */
    /* sums that it takes for each column; NULL: none */
    int64_t (*sums)(const gs_bsr *m);
} gs_bsr_kernels;

/* Whether the stored values fit into the device's memory, m->stored and m->bytes being set; else
 * the sentence. */
gsolve_status gs_bsr_fits(const gs_bsr *m, gsolve_context *ctx);

gsolve_status gs_bsr_pattern_host(gs_bsr *m, gsolve_context *ctx);
void gs_bsr_drop_host(gs_bsr *m, gsolve_context *ctx);

extern const gs_bsr_kernels gs_bsr_host[GSOLVE_TYPE_COUNT];
extern const gs_bsr_kernels gs_bsr_cuda[GSOLVE_TYPE_COUNT];

#endif
