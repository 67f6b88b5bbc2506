/* sliced_restore_host.c: rows out of slices on the CPU, and what is the same on every device. */
#include "spmv/sliced/sliced_restore.h"

#include "core/try.h"
#include "spmv/sliced/sliced_host.h"

/* The column number in column j, lane `lane` of slice at. */
static int32_t column(const gs_sliced *s, const gs_slice *slice, int32_t at, int64_t j,
                      int64_t lane)
{
    const gs_sliced_head head = s->narrow ? s->head[at] : (gs_sliced_head){0, 0};
    const int64_t slot = j * s->lanes + lane;

    if (!s->narrow) return s->col[slice->first * s->lanes + slot];
    if (head.at < 0) {
        return ((const int32_t *)(const void *)(s->unit + (int64_t)~head.at * s->lanes))[slot];
    }
    return (head.base < 0 ? s->base[~head.base + j] : head.base) +
           s->unit[(int64_t)head.at * s->lanes + slot];
}

static double number(const gs_sliced *s, int64_t slot)
{
    return s->light || s->csr.type == GSOLVE_F32 ? (double)((const float *)s->value_of)[slot]
                                                 : ((const double *)s->value_of)[slot];
}

static void restore_row(const gs_sliced *s, const gs_slice *slice, int32_t at, int32_t r,
                        int32_t *col, void *value)
{
    const int32_t i = gs_slice_row(s, slice, r), length = gs_slice_length(s, i);
    const int32_t lanes = 1 << slice->share, first = r << slice->share;
    const int64_t from = i < 0 ? 0 : gs_start(&s->csr, i);

    for (int32_t k = 0; k < length; k++) {
        const int64_t j = k >> slice->share, lane = first + (k & (lanes - 1));
        const double v = number(s, (slice->first + j) * s->lanes + lane);
        col[from + k] = column(s, slice, at, j, lane);
        if (s->csr.type == GSOLVE_F32) {
            ((float *)value)[from + k] = (float)v;
        } else {
            ((double *)value)[from + k] = v;
        }
    }
}

static gsolve_status restore(gs_queue *q, const gs_sliced *s, int32_t *col, void *value)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t at = 0; at < s->slices; at++) {
        const gs_slice slice = gs_slice_at(s, at);
        for (int32_t r = 0; r < slice.rows; r++) restore_row(s, &slice, at, r, col, value);
    }
    return GSOLVE_OK;
}

const gs_sliced_restore_kernels gs_sliced_restore_host[GSOLVE_TYPE_COUNT] = {{restore}, {restore}};

/* --- on any device ------------------------------------------------------------------------------
 */

bool gs_sliced_holds_all(const void *self)
{
    const gs_sliced *s = self;

    return s->nlong == 0 && s->keep == INT32_MAX;
}

gsolve_status gs_sliced_restore(const void *self, gsolve_context *ctx, gsolve_csr *csr)
{
    const gs_sliced *s = self;
    gs_sliced here = *s;
    int32_t *col = NULL;
    void *value = NULL;
    gsolve_status status;

    here.csr = *csr;
    ALLOC(ctx, csr->location, col, s->entries);
    value = gsolve_alloc(ctx, csr->location, (size_t)s->entries, gs_type_size(csr->type));
    TRY(value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(GS_KERNELS(gs_sliced_restore, ctx, csr->type)->restore(ctx->queue, &here, col, value));
    csr->col = col;
    csr->value = value;
    col = NULL;
    value = NULL;
done:
    gsolve_free(ctx, csr->location, col);
    gsolve_free(ctx, csr->location, value);
    return status;
}
