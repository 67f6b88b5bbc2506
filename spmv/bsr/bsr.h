/* bsr.h: the format bsr: dense blocks of b x b, 2 <= b <= 8. A block is stored if the pattern has
 * an entry in it. Block (I, J) holds rows I b .. I b + b - 1 and columns J b .. J b + b - 1;
 * elements that the pattern lacks are stored as 0. One column number serves b^2 values.
 *
 * The blocks are found in compressed rows, or a caller gives them. A form that was built from given
 * blocks has the caller's pattern; its csr has no arrays until the handle makes them (see
 * spmv/blocks.c).
 *
 * On the CPU the blocks are stored block row after block row, each column-major: element (r, c) of
 * block k is value[k b^2 + c b + r]. A column of a block times an element of x is one vector
 * operation.
 *
 * bsr_slices.cuh describes the blocks on a GPU. */
#ifndef GS_SPMV_BSR_BSR_H
#define GS_SPMV_BSR_BSR_H

#include "matrix/square_blocks.h"
#include "spmv/multi_rhs/subwarp_rows.h"
#include "vector/vector.h"

enum { GS_BSR_LEAST = 2, GS_BSR_MOST = 8 }; /* rows and columns of a block */
enum { GS_BSR_MOST_CHOSEN = 6 };            /* the largest that block=0 chooses */
enum { GS_BSR_AUTO, GS_BSR_16, GS_BSR_32 }; /* the words of index= */

#define GS_BSR_TASK     8192 /* work of a task: its values plus GS_BSR_ROW_WORK per block row */
#define GS_BSR_ROW_WORK 16

typedef struct gs_bsr_options {
    int block, index;
} gs_bsr_options;

typedef struct gs_bsr {
    gsolve_csr csr; /* the handle's rows; their arrays are read by store and refill only */
    int b, index;
    int32_t rows, cols; /* block rows, block columns */
    int64_t entries, blocks, stored;
    size_t bytes; /* of the stored form */
    /* on the CPU: */
    int64_t *first;   /* rows + 1 elements: first block of each block row */
    int32_t *col;     /* blocks elements: block columns, ascending in each block row; or NULL, and
                         instead: */
    uint16_t *offset; /* blocks elements: block columns relative to the base of the block row */
    int32_t *base;    /* rows elements: the first block column of the block row */
    void *value;
    int32_t tasks;
    int32_t *begin;               /* tasks + 1 elements: first block row of each task */
    double *part;                 /* work space: two sums for each task */
    struct gs_bsr_slices *slices; /* on CUDA, instead of the members above: see bsr_slices.cuh */
    gs_subwarp_space space;       /* work space for products with many columns */
} gs_bsr;

typedef struct gs_bsr_kernels {
    /* Stores the blocks of m->csr and their values, or `given` unless it is NULL; sets blocks,
     * stored and bytes. m owns what it allocates, also on failure. */
    gsolve_status (*store)(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given);
    void (*drop)(gs_bsr *m, gsolve_context *ctx);
    /* Stores the values again after those of m->csr have changed, or those of `given`, which has
     * the pattern of m, unless it is NULL. */
    gsolve_status (*refill)(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given);
    /* Sets the arrays of csr to rows with the numbers of all blocks as entries. m was built from
     * blocks with the pattern of `blocks`, whose values are not read. */
    gsolve_status (*spread)(const gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *blocks,
                            const gsolve_csr *csr);
    /* *at = the number of the first of n values that is not finite, or -1. */
    gsolve_status (*find_bad)(gsolve_context *ctx, int64_t n, const void *value, int64_t *at);
    /* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. */
    gsolve_status (*apply)(gs_queue *q, const gs_bsr *m, double alpha, const void *x, double beta,
                           void *y, const gs_product_sums *dots);
    gs_subwarp_product *multiply; /* many columns, row-major */
    /* partial sums per column that multiply needs; NULL: none */
    int64_t (*sums)(const gs_bsr *m);
} gs_bsr_kernels;

/* Fails if the stored values do not fit into the device's memory; m->stored and m->bytes are set.
 */
gsolve_status gs_bsr_fits(const gs_bsr *m, gsolve_context *ctx);

/* For spmv/blocks.c: a form of given blocks. */
gsolve_status gs_bsr_build_blocks(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                  const gs_square_blocks *blocks, const void *options);
gsolve_status gs_bsr_update_blocks(void *self, gsolve_context *ctx, const gs_square_blocks *blocks);
gsolve_status gs_bsr_spread(const void *self, gsolve_context *ctx, const gs_square_blocks *blocks,
                            const gsolve_csr *csr);
/* The option block; 0: not set. */
int32_t gs_bsr_size(const void *options);
/* Sets the option block to a size of blocks that are given. Returns false if bsr does not store
 * blocks of this size, or the option is another size. */
bool gs_bsr_take_size(void *options, int32_t size);

extern const gs_bsr_kernels GS_HOST_TABLES(gs_bsr);
extern const gs_bsr_kernels gs_bsr_cuda[GSOLVE_TYPE_COUNT];

#endif
