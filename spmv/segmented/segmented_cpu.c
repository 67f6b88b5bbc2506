/* segmented_cpu.c: the format segmented on the CPU, see segmented_host.c. */
#include <stdio.h>

#include "core/try.h"
#include "matrix/irregular.h"
#include "spmv/handle.h"
#include "spmv/segmented/segmented.h"

const gsolve_option gs_segmented_option_table[] = {
    {"length",
     "entries per segment, rounded up to a power of two; 0: the smallest power of two that holds "
     "the mean row length; on a GPU twice that number if this holds the longest row, and at most "
     "32 where lengths differ more",
     GSOLVE_INT, offsetof(gs_segmented_options, length), 0, 0, GS_SEGMENT_MOST, NULL},
    {"sum",
     "only on a GPU: how a segment is summed; thread: by one thread, from a padded copy (segSpMV); "
     "reduce: by several threads, without a copy (segSpMV-r); auto: thread unless it needs much "
     "padding",
     GSOLVE_CHOICE, offsetof(gs_segmented_options, sum), GS_SUM_AUTO, 0, 0, "auto|thread|reduce"},
    {"order",
     "only on a GPU: order of the segments; rows: as in the matrix; length: by length; columns: "
     "long segments that read the same part of x are neighbours; auto: chosen from the matrix",
     GSOLVE_CHOICE, offsetof(gs_segmented_options, order), GS_ORDER_AUTO, 0, 0,
     "auto|rows|length|columns"},
    {0},
};

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    const gs_segmented_options *o = chosen;
    gs_row_segments *s = NULL;
    gsolve_status status;

    (void)user;
    if (o->sum != GS_SUM_AUTO || o->order != GS_ORDER_AUTO) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the options sum and order of segmented work on a GPU only");
    }
    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = (gs_row_segments){*csr, entries, gs_rows_of(csr),
                       gs_segment_length(o->length, entries, csr->nrows)};
    *self = s;
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return GS_HOST_KERNELS(gs_segmented, ctx, x.type)->apply(self, ctx, alpha, x, beta, y);
}

static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    (void)user, (void)csr, (void)chosen;
    return sizeof(gs_row_segments);
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_row_segments *s = self;
    snprintf(info->note, sizeof info->note, "segments of up to %d entries", s->length);
}

const gsolve_format gs_segmented_host_format = {
    .plugin = GS_SEGMENTED_PLUGIN,
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .update = gs_update_nothing,
    .memory = estimate_memory,
    .describe = describe,
};
