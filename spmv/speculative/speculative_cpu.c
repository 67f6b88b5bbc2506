/* speculative_cpu.c: the format speculative on the CPU, see speculative_host.c. */
#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/speculative/speculative.h"

const gsolve_option gs_speculative_option_table[] = {
    {"width",
     "only on a GPU: W: a tile has 32 W consecutive entries; each thread of a warp takes W of them",
     GSOLVE_CHOICE, offsetof(gs_speculative_options, width), GS_WIDTH_8, 0, 0, "4|8"},
    {"steps",
     "only on a GPU: S: a bunch has S consecutive tiles; one warp computes a bunch. 0: the "
     "smallest S with which all bunches run at the same time, at most 16",
     GSOLVE_INT, offsetof(gs_speculative_options, steps), 0, 0, 31, NULL},
    {"bunches", "only on a GPU: B: a thread block computes B bunches. 0: 8", GSOLVE_INT,
     offsetof(gs_speculative_options, bunches), 0, 0, 8, NULL},
    {0},
};

static void destroy(void *self, gsolve_context *ctx)
{
    gs_tiles *s = self;

    gsolve_free(ctx, GSOLVE_HOST, s->first);
    gsolve_free(ctx, GSOLVE_HOST, s->head);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    const gs_speculative_options *o = chosen;
    gs_tiles *s = NULL;
    gsolve_status status;

    (void)user;
    if (o->width != GS_WIDTH_8 || o->steps != 0 || o->bunches != 0) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "the options width, steps and bunches of speculative work on a GPU only");
    }
    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = (gs_tiles){.csr = *csr,
                    .entries = entries,
                    .how = gs_rows_of(csr),
                    .count = (int32_t)(entries / GS_SPECULATIVE_TILE) + 1};
    ALLOC(ctx, GSOLVE_HOST, s->first, (size_t)s->count + 1);
    ALLOC(ctx, GSOLVE_HOST, s->head, 2 * (size_t)s->count);
    s->tail = s->head + s->count;
    for (int32_t t = 0, i = 0; t < s->count; t++) {
        while (i < csr->nrows && gs_start(csr, i) < (int64_t)t * GS_SPECULATIVE_TILE) i++;
        s->first[t] = i;
    }
    s->first[s->count] = csr->nrows;
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return GS_HOST_KERNELS(gs_speculative, ctx, x.type)->apply(self, ctx, alpha, x, beta, y);
}

static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    (void)user, (void)chosen;
    return ((size_t)(gs_start(csr, csr->nrows) / GS_SPECULATIVE_TILE) + 2) *
           (sizeof(int32_t) + 2 * sizeof(double));
}

const gsolve_format gs_speculative_host_format = {
    .plugin = GS_SPECULATIVE_PLUGIN,
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .update = gs_update_nothing,
    .memory = estimate_memory,
};
