/* residual.c: |b - Ax| / |b| from the rows of A, in double whatever the types, for one column after
 * the other. Shares no code with the formats, so that it can judge them. */
#include <math.h>

#include "core/blocks.h"
#include "core/stage.h"
#include "core/try.h"
#include "spmv/matrix.h"

const gs_residual_kernels gs_residual_host[GSOLVE_TYPE_COUNT];

static inline double element(const gsolve_dense *v, int64_t at)
{
    return v->type == GSOLVE_F32 ? (double)((const float *)v->value)[at]
                                 : ((const double *)v->value)[at];
}

/* r = b - Ax in the rows [from, to), its squares and those of b, each scaled. */
static void rows_residual(const gsolve_csr *A, int64_t from, int64_t to, const gsolve_dense *b,
                          int64_t bat, const gsolve_dense *x, int64_t xat, double scale, double *rr,
                          double *bb)
{
    double r2 = 0, b2 = 0;

    for (int64_t i = from; i < to; i++) {
        const int64_t end = gs_start(A, (int32_t)i + 1);
        const double bi = element(b, bat + i);
        double r = bi;
        for (int64_t k = gs_start(A, (int32_t)i); k < end; k++) {
            r -= gs_value(A, k) * element(x, xat + A->col[k]);
        }
        r *= scale;
        r2 += r * r;
        b2 += bi * scale * (bi * scale);
    }
    *rr = r2;
    *bb = b2;
}

/* 1 / max|b|, to a power of two, so that squares neither overflow nor vanish. */
static double scale_of(const gsolve_dense *b, int64_t at)
{
    double most = 0;
    int exponent;

    for (int64_t i = 0; i < b->nrows; i++) most = fmax(most, fabs(element(b, at + i)));
    if (!(most > 0) || !isfinite(most)) return 1;
    frexp(most, &exponent);
    return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

static gsolve_status on_host(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                             double *relative)
{
    const gs_blocks blocks = gs_blocks_of(A->csr.nrows);
    gsolve_status status;

    TRY(gs_matrix_need_rows(A));
    for (int32_t j = 0; j < b.ncols; j++) {
        const double scale = scale_of(&b, j * b.stride);
        double rr[GS_MAX_BLOCKS], bb[GS_MAX_BLOCKS];
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(A->ctx))
        for (int k = 0; k < blocks.count; k++) {
            rows_residual(&A->rows, gs_block_begin(&blocks, k), gs_block_end(&blocks, k), &b,
                          j * b.stride, &x, j * x.stride, scale, &rr[k], &bb[k]);
        }
        const double r = sqrt(gs_sum(blocks.count, rr)), norm = sqrt(gs_sum(blocks.count, bb));
        relative[j] = norm > 0 ? r / norm : r / scale;
    }
done:
    return status;
}

/* By the device's own kernel, where b and x lie there; *done: false where it cannot judge a column,
 * whose squares are beyond the range. */
static gsolve_status by_kernel(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                               double *relative, bool *done)
{
    const gs_residual_kernels *kernels = GS_KERNELS(gs_residual, A->ctx, A->csr.type);
    double square[2];
    gsolve_status status = GSOLVE_OK;

    *done = true;
    for (int32_t j = 0; j < b.ncols && *done; j++) {
        TRY(kernels->squares(A->ctx->queue, &A->csr, gs_column_of(b, j).value,
                             gs_column_of(x, j).value, A->squares));
        TRY(gsolve_copy(A->ctx, square, GSOLVE_HOST, A->squares, GSOLVE_DEVICE, sizeof square));
        *done = isfinite(square[0]) && isfinite(square[1]) && square[1] > 1e-280;
        relative[j] = *done ? sqrt(square[0] / square[1]) : 0;
    }
done:
    return status;
}

/* Where the kernel can do it; what it cannot (other types, squares beyond the range) on the host.
 */
static gsolve_status anywhere(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                              double *relative)
{
    const bool able = GS_KERNELS(gs_residual, A->ctx, A->csr.type)->squares &&
                      b.type == A->csr.type && x.type == A->csr.type;
    gs_stage of_b = {0}, of_x = {0};
    bool judged = false;
    gsolve_status status = GSOLVE_OK;

    if (able) {
        TRY(gs_stage_in(&of_b, A->ctx, GSOLVE_DEVICE, b, true));
        TRY(gs_stage_in(&of_x, A->ctx, GSOLVE_DEVICE, x, true));
        TRY(by_kernel(A, of_b.used, of_x.used, relative, &judged));
        gs_stage_drop(&of_b, A->ctx);
        gs_stage_drop(&of_x, A->ctx);
    }
    if (!judged) {
        TRY(gs_stage_in(&of_b, A->ctx, GSOLVE_HOST, b, true));
        TRY(gs_stage_in(&of_x, A->ctx, GSOLVE_HOST, x, true));
        TRY(on_host(A, of_b.used, of_x.used, relative));
    }
done:
    gs_stage_drop(&of_b, A->ctx);
    gs_stage_drop(&of_x, A->ctx);
    return status;
}

gsolve_status gsolve_matrix_residual(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                     double *relative)
{
    if (!A) return GSOLVE_BAD_ARGUMENT;
    if (b.nrows != A->csr.nrows || x.nrows != A->csr.ncols || b.ncols != x.ncols || !relative) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "a matrix of %d x %d takes x of %d rows to b of %d, not x of %d x %d to "
                           "b of %d x %d",
                           A->csr.nrows, A->csr.ncols, A->csr.ncols, A->csr.nrows, x.nrows, x.ncols,
                           b.nrows, b.ncols);
    }
    if (b.layout != GSOLVE_BY_COLUMNS) return gs_need_columns(A->ctx, b, "b");
    if (x.layout != GSOLVE_BY_COLUMNS) return gs_need_columns(A->ctx, x, "x");
    if (b.place == GSOLVE_HOST && x.place == GSOLVE_HOST && A->rows.start) {
        return on_host(A, b, x, relative);
    }
    return anywhere(A, b, x, relative);
}
