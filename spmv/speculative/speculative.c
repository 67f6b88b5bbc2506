/* speculative.c: the format speculative, see speculative.h. */
#include "spmv/speculative/speculative.h"

#include <stddef.h>
#include <string.h>

#include "core/try.h"
#include "matrix/irregular.h"

static const gsolve_option options[] = {
    {"width",
     "W: a tile has 32 W consecutive entries; on a GPU each thread of a warp takes W of them",
     GSOLVE_CHOICE, offsetof(gs_speculative_shape, width), GS_WIDTH_8, 0, 0, "4|8"},
    {"steps",
     "S: a bunch has S consecutive tiles; one warp (on the CPU one thread) computes a bunch. 0 "
     "chooses: on a GPU the smallest S with which all bunches run at the same time, at most 16; on "
     "the CPU 31",
     GSOLVE_INT, offsetof(gs_speculative_shape, steps), 0, 0, 31, NULL},
    {"bunches",
     "B: on a GPU a thread block computes B bunches; on the CPU a thread takes B bunches at a "
     "time. 0 chooses: on a GPU 8; on the CPU the whole share of a thread",
     GSOLVE_INT, offsetof(gs_speculative_shape, bunches), 0, 0, 8, NULL},
    {0},
};

/* --- the plan on the CPU ---------------------------------------------------------------------- */

/* The first row that begins at or after entry k. */
static int32_t row_from(const gsolve_csr *A, int64_t k)
{
    int32_t low = 0, high = A->nrows;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(A, middle) < k) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void gs_speculative_drop_host(gs_speculative_plan *plan, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, plan->first);
    gsolve_free(ctx, GSOLVE_HOST, plan->head);
    gsolve_free(ctx, GSOLVE_HOST, plan->tail);
    gsolve_free(ctx, GSOLVE_HOST, plan->part);
    gs_column_blocks_drop(&plan->column_blocks, ctx);
}

static int width_of(const gs_speculative_shape *shape)
{
    return shape->width == GS_WIDTH_4 ? 4 : 8;
}

gsolve_status gs_speculative_plan_host(gs_speculative_plan *plan, gsolve_context *ctx)
{
    gsolve_status status;

    if (plan->shape.steps == 0) plan->shape.steps = 31;
    plan->size = (int64_t)plan->shape.steps * plan->shape.width * GS_SPECULATIVE_T;
    plan->count = (int32_t)((plan->entries + plan->size - 1) / plan->size);
    plan->how = gs_rows_of(&plan->csr);
    ALLOC(ctx, GSOLVE_HOST, plan->first, (size_t)plan->count + 1);
    ALLOC(ctx, GSOLVE_HOST, plan->head, plan->count);
    ALLOC(ctx, GSOLVE_HOST, plan->tail, plan->count);
    ALLOC(ctx, GSOLVE_HOST, plan->part, 2 * (size_t)plan->count);
    for (int32_t b = 0; b < plan->count; b++) plan->first[b] = row_from(&plan->csr, b * plan->size);
    plan->first[plan->count] = row_from(&plan->csr, plan->entries);
    TRY(gs_column_blocks_make(&plan->column_blocks, ctx, &plan->csr));
done:
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static void destroy(void *self, gsolve_context *ctx)
{
    gs_speculative_plan *plan = self;

    GS_KERNELS(gs_speculative, ctx, plan->csr.type)->drop(plan, ctx);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen)
{
    gs_speculative_plan *plan = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, plan, 1);
    memset(plan, 0, sizeof *plan);
    plan->csr = *csr;
    plan->shape = *(const gs_speculative_shape *)chosen;
    plan->shape.width = width_of(&plan->shape);
    plan->entries = entries;
    TRY(GS_KERNELS(gs_speculative, ctx, csr->type)->plan(plan, ctx));
    *self = plan;
    plan = NULL;
done:
    if (plan) destroy(plan, ctx);
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const gs_speculative_kernels *kernels = GS_KERNELS(gs_speculative, ctx, x.type);
    return kernels->apply(ctx->queue, self, alpha, x.value, beta, y.value, NULL);
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    const gs_speculative_kernels *kernels = GS_KERNELS(gs_speculative, ctx, x.type);
    const gs_product_sums dots = {w.value, wy, yy};
    return kernels->apply(ctx->queue, self, 1, x.value, 0, y.value, &dots);
}

/* The plan depends on the pattern only, and the values are read where they lie. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    return GSOLVE_OK;
}

/* A row number per tile; the synchronizer's numbers for groups of the smallest size; the speculator
 * array. */
static size_t estimate_memory(const gsolve_csr *csr, const void *chosen)
{
    const gs_speculative_shape *shape = chosen;
    const int tile = width_of(shape) * GS_SPECULATIVE_T;
    const int steps = shape->steps > 0 ? shape->steps : 1;
    const int bunches = shape->bunches > 0 ? shape->bunches : 8;
    const size_t tiles = (size_t)(gs_start(csr, csr->nrows) / tile) + 2;
    const size_t groups = tiles / (size_t)(steps * bunches) + 3;

    return tiles * sizeof(int32_t) + groups * (4 * sizeof(double) + 5 * sizeof(int32_t)) +
           (size_t)csr->nrows / 64 + 128;
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_speculative_plan *plan = self;
    const int tile = plan->shape.width * GS_SPECULATIVE_T;
    info->bytes += ((size_t)(plan->entries / tile) + 1) * sizeof(int32_t);
}

const gsolve_format gs_speculative_format = {
    .plugin =
        {"speculative",
         "compressed sparse rows in tiles with equal numbers of entries, summed as if no row were "
         "empty and corrected afterwards (Liu and Vinter); no conversion; the "
         "last bits depend on the GPU unless steps is set",
         options, sizeof(gs_speculative_shape)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_dot = apply_dot,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
