/* csr.h: the format csr: the rows as they are, and a plan of who works on which.
 *
 * The rows are cut into tasks of about equal work, entries plus a row_work for each row, which
 * depend on the matrix alone: so do the partial sums, and the bits of x'Ax. A row of more than
 * GS_LONG_ROW entries is cut into parts that are summed in their order. Within a row (or part)
 * entry k is added to the (k mod 4)-th of four sums; where a row's columns lie far from those of
 * the row before, the elements of x are asked for GS_AHEAD entries before their use.
 *
 * One product moves 12 bytes an entry (8 in fp32), 4 a row, and x and y once. */
#ifndef GS_SPMV_CSR_CSR_H
#define GS_SPMV_CSR_CSR_H

#include "matrix/csr.h"
#include "matrix/irregular.h"
#include "matrix/sample.h"
#include "spmv/multi_rhs/block.h"
#include "spmv/multi_rhs/cache_windows.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "vector/vector.h"

#define GS_CSR_TASK     8192 /* work of a task: entries + GS_CSR_ROW_WORK a row */
#define GS_CSR_ROW_WORK 4
#define GS_LONG_ROW     32768 /* longer rows are cut into parts of GS_CSR_PART entries */
#define GS_CSR_PART     8192

typedef struct gs_csr_plan {
    gsolve_csr csr; /* the handle's */
    gs_rows how;    /* rows are summed */
    int32_t tasks;
    int32_t *begin; /* tasks + 1: first row of each task */
    int32_t nlong;
    int32_t *long_row;              /* nlong, ascending */
    int64_t *first_part;            /* nlong + 1: number of the first part of each long row */
    gs_column_blocks column_blocks; /* instead, where they pay; on the CPU */
    double *part;                   /* scratch: two sums for each task, then eight for each part */
    gs_block_space space;           /* scratch: x by rows, where it is not; on the CPU */
    gs_cache_windows windows;       /* of the tasks, or instead of space; on the CPU */
    struct gs_csr_tiles *tiles;     /* on CUDA, instead of all these: see csr_cuda.cu */
} gs_csr_plan;

typedef struct gs_csr_kernels {
    /* Who works on which rows of plan->csr; and that undone. statistics: on CUDA, or NULL: not yet.
     */
    gsolve_status (*plan)(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                          const gs_row_statistics *statistics);
    void (*drop)(gs_csr_plan *plan, gsolve_context *ctx);
    /* y = alpha A x + beta y; dots: if not NULL, alpha is 1 and beta 0 */
    gsolve_status (*apply)(gs_queue *q, const gs_csr_plan *plan, double alpha, const void *x,
                           double beta, void *y, const gs_product_sums *dots);
    /* the same for several columns; on the CPU x by rows, or by columns if
     * gs_cache_windows_transpose says so, and each column with the bits that it has alone; on a GPU
     * x and y of one layout */
    gsolve_status (*apply_block)(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
} gs_csr_kernels;

gsolve_status gs_csr_plan_host(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                               const gs_row_statistics *statistics);
void gs_csr_drop_host(gs_csr_plan *plan, gsolve_context *ctx);

/* build of the format csr, where so much is known of csr. */
gsolve_status gs_csr_build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const gs_row_statistics *statistics);

extern const gs_csr_kernels gs_csr_host[GSOLVE_TYPE_COUNT];
extern const gs_csr_kernels gs_csr_cuda[GSOLVE_TYPE_COUNT];

#endif
