/* csr.c: the format csr, see csr.h. */
#include "spmv/csr/csr.h"

#include <string.h>

#include "core/try.h"
#include "matrix/irregular.h"
#include "vector/layout.h"

/* The work of the rows before row i. */
static int64_t work(const gsolve_csr *A, int32_t i)
{
    return gs_start(A, i) + (int64_t)GS_CSR_ROW_WORK * i;
}

/* The first row before which there is work of at least w. */
static int32_t row_at_work(const gsolve_csr *A, int64_t w)
{
    int32_t low = 0, high = A->nrows;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (work(A, middle) < w) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void gs_csr_drop_host(gs_csr_plan *plan, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, plan->begin);
    gsolve_free(ctx, GSOLVE_HOST, plan->dot);
    gs_row_parts_drop(&plan->long_rows, ctx);
    gs_column_blocks_drop(&plan->column_blocks, ctx);
}

gsolve_status gs_csr_plan_host(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                               const gs_row_statistics *statistics)
{
    const gsolve_csr *csr = &plan->csr;
    gsolve_status status;

    (void)entries, (void)statistics;
    plan->how = gs_rows_of(csr);
    plan->tasks = (int32_t)((work(csr, csr->nrows) + GS_CSR_TASK - 1) / GS_CSR_TASK);
    ALLOC(ctx, GSOLVE_HOST, plan->begin, (size_t)plan->tasks + 1);
    for (int32_t t = 0; t < plan->tasks; t++) {
        plan->begin[t] = row_at_work(csr, (int64_t)t * GS_CSR_TASK);
    }
    plan->begin[plan->tasks] = csr->nrows;
    TRY(gs_row_parts_make(&plan->long_rows, ctx, csr, GS_LONG_ROW));
    /* column blocks give the same bits */
    if (plan->long_rows.count == 0) TRY(gs_column_blocks_make(&plan->column_blocks, ctx, csr));
    ALLOC(ctx, GSOLVE_HOST, plan->dot, 2 * (size_t)plan->tasks);
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_csr_plan *plan = self;

    GS_KERNELS(gs_csr, ctx, plan->csr.type)->drop(plan, ctx);
    gs_block_space_drop(&plan->space, ctx);
    gs_cache_windows_drop(&plan->windows, ctx);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

gsolve_status gs_csr_build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const gs_row_statistics *statistics)
{
    gs_csr_plan *plan = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, plan, 1);
    memset(plan, 0, sizeof *plan);
    plan->csr = *csr;
    TRY(GS_KERNELS(gs_csr, ctx, csr->type)->plan(plan, ctx, entries, statistics));
    *self = plan;
    plan = NULL;
done:
    if (plan) destroy(plan, ctx);
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    (void)user, (void)options;
    return gs_csr_build(self, ctx, csr, entries, NULL);
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const gs_csr_kernels *csr = GS_KERNELS(gs_csr, ctx, x.type);
    return csr->apply(ctx->queue, self, alpha, x.value, beta, y.value, NULL);
}

/* *x becomes row-major, or stays column-major where cache windows pay. Long rows read all of x, so
 * they have no windows. */
static gsolve_status prepare_x(gs_csr_plan *plan, gsolve_context *ctx, gsolve_dense *x)
{
    gsolve_status status;

    if (x->layout == GSOLVE_COLUMN_MAJOR && !plan->windows.of && plan->long_rows.count == 0) {
        TRY(gs_cache_windows_find(&plan->windows, ctx, &plan->csr, plan->tasks, plan->begin, NULL));
    }
    TRY(gs_cache_windows_prepare(&plan->windows, &plan->space, ctx, *x, x));
done:
    return status;
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_csr_plan *plan = self; /* its work space and windows may grow */
    gsolve_dense out = y;
    gsolve_status status;

    if (!gs_on_gpu(ctx)) {
        TRY(prepare_x(plan, ctx, &x));
    } else if (x.ncols > plan->most_in_place) {
        TRY(gs_block_convert(&plan->space, 0, ctx, GSOLVE_ROW_MAJOR, x, true, &x));
        TRY(gs_block_convert(&plan->space, 1, ctx, GSOLVE_ROW_MAJOR, y, beta != 0, &out));
    }
    TRY(GS_KERNELS(gs_csr, ctx, x.type)->apply_block(ctx->queue, plan, alpha, x, beta, out));
    if (out.value != y.value) TRY(gs_change_layout(ctx, out, y));
done:
    return status;
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    const gs_csr_kernels *csr = GS_KERNELS(gs_csr, ctx, x.type);
    const gs_product_sums dots = {w.value, wy, yy};
    return csr->apply(ctx->queue, self, 1, x.value, 0, y.value, &dots);
}

/* The plan depends on the pattern only, and the values are read where they lie. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    return GSOLVE_OK;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *options, void *user)
{
    (void)user, (void)options;
    return (size_t)(work(csr, csr->nrows) / GS_CSR_TASK + 1) *
           (sizeof(int32_t) + 2 * sizeof(double));
}

#define FORMAT(object, name, summary)       \
    const gsolve_format object = {          \
        .plugin = {name, summary, NULL, 0}, \
        .build = build,                     \
        .destroy = destroy,                 \
        .apply = apply,                     \
        .apply_block = apply_block,         \
        .row_major = true,                  \
        .apply_dot = apply_dot,             \
        .update = update,                   \
        .memory = estimate_memory,          \
    }

FORMAT(gs_csr_format, "csr",
       "compressed sparse rows; each thread gets the same number of entries; no conversion");

/* These formats differ in how the threads of a GPU share the rows. On the CPU a thread has complete
 * rows, so they are csr there. */
FORMAT(gs_csr_scalar_host_format, "csr_scalar",
       "on a GPU csr with one thread per row; on the CPU the same as csr");
FORMAT(gs_csr_vector_host_format, "csr_vector",
       "on a GPU csr with one warp per row; on the CPU the same as csr");
FORMAT(gs_ps_host_format, "ps",
       "on a GPU first the products of all entries, then the row sums (product-sum); on the CPU "
       "the same as csr");
FORMAT(gs_coo_host_format, "coo",
       "on a GPU coordinate format: each entry is stored with its row and column; on the CPU the "
       "same as csr");
