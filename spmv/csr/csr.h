/* csr.h: the format csr: compressed sparse rows, and a plan that divides the rows among the
 * threads.
 *
 * On the CPU the rows are cut into tasks of about equal work, where a row has the work of its
 * entries plus GS_CSR_ROW_WORK. Tasks depend on the matrix alone, and so do the partial sums and
 * the bits of x'Ax. A row of more than GS_LONG_ROW entries is cut into parts, whose sums are added
 * in their order. Within a row or part, entry k is added to the (k mod 4)-th of four sums. Where
 * the columns of a row lie far from those of the row before, elements of x are prefetched GS_AHEAD
 * entries before their use.
 *
 * One product moves 12 bytes per entry (8 in single precision), 4 per row, and x and y once. */
#ifndef GS_SPMV_CSR_CSR_H
#define GS_SPMV_CSR_CSR_H

#include "matrix/csr.h"
#include "matrix/irregular.h"
#include "matrix/sample.h"
#include "spmv/multi_rhs/block.h"
#include "spmv/multi_rhs/cache_windows.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "spmv/multi_rhs/long_rows.h"
#include "vector/vector.h"

#define GS_CSR_TASK     8192 /* work of a task: its entries + GS_CSR_ROW_WORK per row */
#define GS_CSR_ROW_WORK 4
#define GS_LONG_ROW     32768 /* longer rows are cut into parts */

typedef struct gs_csr_plan {
    gsolve_csr csr; /* the handle's rows */
    gs_rows how;    /* how rows are summed */
    int32_t tasks;
    int32_t *begin;                 /* tasks + 1 elements: first row of each task */
    gs_row_parts long_rows;         /* on the CPU */
    gs_column_blocks column_blocks; /* used instead of tasks where count > 0; on the CPU */
    double *dot;                    /* work space: two sums for each task */
    int32_t most_in_place;          /* on CUDA: most column-major columns that are not converted */
    gs_block_space space;           /* work space: x and y row-major where the caller's are not */
    gs_cache_windows windows;       /* of the tasks, or instead of space; on the CPU */
    struct gs_csr_tiles *tiles;     /* on CUDA, instead of the members above: see csr_tiles.cuh */
} gs_csr_plan;

typedef struct gs_csr_kernels {
    /* Makes and releases the plan for plan->csr. statistics: of the rows, or NULL if not computed
     * yet; used on CUDA only. */
    gsolve_status (*plan)(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                          const gs_row_statistics *statistics);
    void (*drop)(gs_csr_plan *plan, gsolve_context *ctx);
    /* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. */
    gsolve_status (*apply)(gs_queue *q, const gs_csr_plan *plan, double alpha, const void *x,
                           double beta, void *y, const gs_product_sums *dots);
    /* y = alpha A x + beta y with several columns. Each column has the same bits as alone. On the
     * CPU, x is in the layout that gs_cache_windows_prepare chooses. On a GPU, x and y have the
     * same layout, and row-major columns may have other bits than alone. */
    gsolve_status (*apply_block)(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
} gs_csr_kernels;

gsolve_status gs_csr_plan_host(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                               const gs_row_statistics *statistics);
void gs_csr_drop_host(gs_csr_plan *plan, gsolve_context *ctx);

/* The member build of the format csr where the number of entries and the row statistics (or NULL)
 * are known. */
gsolve_status gs_csr_build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const gs_row_statistics *statistics);

extern const gs_csr_kernels GS_HOST_TABLES(gs_csr);
extern const gs_csr_kernels gs_csr_cuda[GSOLVE_TYPE_COUNT];

#endif
