/* auto.c: the format auto: csr at first, and another format when the conversion pays.
 *
 * The format may change when a solver calls gsolve_matrix_adapt (see switch.c): between two
 * iterations, outside recorded CUDA graphs. The form of csr is a plan. If a conversion is possible,
 * the first product with csr makes the plan: a solve that is known to be long converts before its
 * first product and does not need it. Making the plan takes 70 us on an H200, and 170 us if the
 * lengths of rows differ much. The form of csr stays after a conversion, for products with several
 * columns in layouts that the other form does not support. A' has a form of its own in the handle,
 * which is not converted. */
#include "spmv/auto/auto.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "vector/vector.h"

static const gsolve_option options[] = {
    {"expect", "expected number of matrix-vector products; 0: estimated during a solve", GSOLVE_INT,
     offsetof(gs_auto_options, expect), 0, 0, 2147483647, NULL},
    {"trial",
     "1: time products with the converted matrix and keep csr if csr is not slower; two runs may "
     "then choose differently and differ in the last bits",
     GSOLVE_FLAG, offsetof(gs_auto_options, trial), 0, 0, 1, NULL},
    {0},
};

/* --- making and freeing ----------------------------------------------------------------------- */

static void destroy(void *self, gsolve_context *ctx)
{
    gs_auto *a = self;

    gs_auto_drop_other(a, ctx);
    gs_block_space_drop(&a->space, ctx);
    if (a->rows) gs_csr_format.destroy(a->rows, ctx);
    gsolve_free(ctx, GSOLVE_HOST, a);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *given, void *user)
{
    gs_auto *a = NULL;
    gsolve_status status;

    (void)user;
    ALLOC(ctx, GSOLVE_HOST, a, 1);
    memset(a, 0, sizeof *a);
    a->csr = *csr;
    a->options = *(const gs_auto_options *)given;
    a->entries = entries;
    if (!gs_auto_may_adapt(a, ctx)) TRY(gs_auto_need_csr(a, ctx));
    *self = a;
    a = NULL;
done:
    if (a) destroy(a, ctx);
    return status;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *given, void *user)
{
    (void)user, (void)given;
    return gs_csr_format.memory(csr, NULL, NULL);
}

/* --- products --------------------------------------------------------------------------------- */

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    gs_auto *a = self;
    gsolve_status status;

    if (a->other) return a->other->apply(a->other_self, ctx, alpha, x, beta, y);
    TRY(gs_auto_need_csr(a, ctx));
    TRY(gs_csr_format.apply(a->rows, ctx, alpha, x, beta, y));
done:
    return status;
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_auto *a = self;
    const bool other = a->other && a->other->apply_block;
    const gs_block_products by = gs_block_products_of(other ? a->other : &gs_csr_format);
    gsolve_status status;

    if (!other) TRY(gs_auto_need_csr(a, ctx));
    TRY(gs_block_multiply(&by, other ? a->other_self : a->rows, ctx, &a->space, alpha, x, beta, y));
done:
    return status;
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, x.type);
    const gs_product_sums sums = {w.value, wy, yy};
    gs_auto *a = self;
    gsolve_status status;

    if (a->other && a->other->apply_dot) {
        return a->other->apply_dot(a->other_self, ctx, x, y, w, wy, yy);
    }
    if (!a->other) {
        TRY(gs_auto_need_csr(a, ctx));
        return gs_csr_format.apply_dot(a->rows, ctx, x, y, w, wy, yy);
    }
    TRY(a->other->apply(a->other_self, ctx, 1, x, 0, y));
    TRY(gs_sum_product(vector, ctx->queue, y.nrows, y.value, &sums));
done:
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

/* Without memory for the other form, the matrix stays csr from now on. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_auto *a = self;
    gsolve_status status;

    if (a->rows) TRY(gs_csr_format.update(a->rows, ctx, csr));
    if (!a->other) return GSOLVE_OK;
    status = gs_form_update(a->other, &a->other_self, ctx, &a->csr, a->entries, a->other_options);
    if (!gs_auto_refused(status)) return status;
    snprintf(a->reason, sizeof a->reason, "%.40s: %.70s", a->chosen.spec, ctx->error);
    gs_auto_drop_other(a, ctx);
    a->changes++;
    a->count = 0;
    status = GSOLVE_OK;
done:
    return status;
}

/* --- description ------------------------------------------------------------------------------ */

/* Says what was chosen, what it cost, and whether the runs that have ended repaid the cost. */
static void describe_other(const gs_auto *a, gsolve_matrix_info *info)
{
    const double repaid = rint(a->chosen.build / (1 - a->chosen.product));
    const bool done = (double)(a->before - a->since) >= repaid;

    snprintf(info->note, sizeof info->note,
             "csr for the first %lld products, then %.63s; the conversion took %.3g ms and %s "
             "about %.0f products later",
             (long long)a->since, a->chosen.spec, 1e3 * a->convert_seconds,
             done ? "was repaid" : "is repaid", repaid);
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_auto *a = self;

    snprintf(info->form, sizeof info->form, "%s", a->other ? a->chosen.spec : "csr");
    info->changes = a->changes;
    info->convert_seconds = a->convert_seconds;
    if (a->other) {
        if (a->other->describe) a->other->describe(a->other_self, info);
        describe_other(a, info);
    } else if (a->reason[0]) {
        snprintf(info->note, sizeof info->note, "csr: %s", a->reason);
    } else if (a->has_candidates) {
        snprintf(info->note, sizeof info->note, "csr: %s",
                 a->count ? "converting to another format would take longer than it saves"
                          : "no format is expected to be faster than csr");
    }
}

const gsolve_format gs_auto_format = {
    .plugin = {"auto",
               "starts with csr and converts to another format during a solve if the faster "
               "products repay the conversion",
               options, sizeof(gs_auto_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_block = apply_block,
    .row_major = true,
    .apply_dot = apply_dot,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
