/* transform.c: scaled and permuted matrices and vectors. */
#include "factor/transform.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"

/* --- scales and permutation ------------------------------------------------------------------- */

static gsolve_status check(gsolve_context *ctx, const gs_transform_options *options, bool symmetric,
                           const char *who, const gsolve_csr *csr)
{
    if (csr->nrows != csr->ncols) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "scale and order%s%s need a square matrix and this one is %d x %d; "
                           "leave them out",
                           who[0] ? " of " : "", who, csr->nrows, csr->ncols);
    }
    if (symmetric && options->scale == GS_SCALE_ROWS) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "scale=rows of %s would make a symmetric matrix unsymmetric; write "
                           "scale=symmetric",
                           who);
    }
    return GSOLVE_OK;
}

static gsolve_status make_order(gs_transform *t, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t->order, t->n);
    ALLOC(ctx, GSOLVE_HOST, t->place, t->n);
    TRY(gs_order_rows(t->order, ctx, csr, (gs_ordering)t->used.order));
    for (int32_t k = 0; k < t->n; k++) t->place[t->order[k]] = k;
done:
    return status;
}

gsolve_status gs_transform_create(gs_transform *out, gsolve_context *ctx,
                                  const gs_transform_options *options, bool symmetric,
                                  const char *who, const gsolve_csr *csr)
{
    gs_transform t = {.n = csr->nrows, .type = csr->type, .used = *options};
    gs_scaling chosen;
    gsolve_status status;

    TRY(check(ctx, options, symmetric, who, csr));
    if (options->scale == GS_SCALE_AUTO) {
        TRY(gs_scaling_choose(&chosen, ctx, csr));
        t.used.scale = chosen == GS_SCALE_ROWS && symmetric ? GS_SCALE_SYMMETRIC : (int)chosen;
    }
    if (options->order != GS_ORDER_NONE) TRY(make_order(&t, ctx, csr));
    if (t.used.scale != GS_SCALE_NONE) {
        ALLOC(ctx, GSOLVE_HOST, t.row, t.n);
        TRY(gs_scaling_compute(t.row, ctx, csr, (gs_scaling)t.used.scale));
    }
    *out = t;
    memset(&t, 0, sizeof t);
done:
    gs_transform_destroy(&t, ctx);
    return status;
}

gsolve_status gs_transform_rescale(gs_transform *out, gsolve_context *ctx, const gs_transform *t,
                                   const gsolve_csr *csr)
{
    gs_transform fresh = *t;
    gsolve_status status = GSOLVE_OK;

    fresh.borrowed = true;
    fresh.in = fresh.out = NULL;
    fresh.row = NULL;
    if (t->row) {
        ALLOC(ctx, GSOLVE_HOST, fresh.row, t->n);
        TRY(gs_scaling_compute(fresh.row, ctx, csr, (gs_scaling)t->used.scale));
    }
    *out = fresh;
    fresh.row = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, fresh.row);
    return status;
}

gsolve_status gs_transform_replace(gs_transform *t, gsolve_context *ctx, gs_transform *fresh)
{
    gsolve_status status = GSOLVE_OK;

    if (fresh->borrowed) {
        gsolve_free(ctx, GSOLVE_HOST, t->row);
        t->row = fresh->row;
        if (t->in && t->row) status = gs_transform_prepare(t, ctx);
    } else {
        *t = *fresh;
    }
    memset(fresh, 0, sizeof *fresh);
    return status;
}

void gs_transform_destroy(gs_transform *t, gsolve_context *ctx)
{
    gsolve_matrix_destroy(&t->out);
    gsolve_matrix_destroy(&t->in);
    gsolve_free(ctx, GSOLVE_HOST, t->row);
    if (!t->borrowed) {
        gsolve_free(ctx, GSOLVE_HOST, t->place);
        gsolve_free(ctx, GSOLVE_HOST, t->order);
    }
    memset(t, 0, sizeof *t);
}

/* The diagonal element i of R; of C. */
static double row_scale(const gs_transform *t, int32_t i)
{
    return t->row ? t->row[i] : 1;
}

static double column_scale(const gs_transform *t, int32_t i)
{
    return t->used.scale == GS_SCALE_SYMMETRIC ? t->row[i] : 1;
}

void gs_transform_describe(const gs_transform *t, char *text, size_t size)
{
    static const char *const scale[] = {"", "scaled rows", "symmetric scaling", ""};
    static const char *const order[] = {"", "rcm order", "amd order", "nd order"};
    const bool both = t->row && t->order;

    snprintf(text, size, "%s%s%s", scale[t->used.scale], both ? ", " : "", order[t->used.order]);
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* Row k of B, whose columns ascend only if P = I. */
static void fill_row(const gs_transform *t, const gs_csr_arrays *B, const gsolve_csr *A, int32_t k)
{
    const int32_t i = t->order ? t->order[k] : k;
    const double scale = row_scale(t, i);
    int64_t at = gs_start(&B->csr, k);

    for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++, at++) {
        const int32_t j = A->col[e];
        B->col[at] = t->place ? t->place[j] : j;
        gs_put_value(B->value, t->type, at, gs_value(A, e) * scale * column_scale(t, j));
    }
}

gsolve_status gs_transform_rows(const gs_transform *t, gsolve_context *ctx, gsolve_csr *out,
                                const gsolve_csr *A)
{
    gsolve_csr B = {0};
    int64_t at = 0;
    gsolve_status status;

    TRY(gs_csr_new(&B, ctx, t->n, t->n, gs_start(A, t->n), t->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &B);
    for (int32_t k = 0; k < t->n; k++) {
        const int32_t i = t->order ? t->order[k] : k;
        gs_set_start(&to, k, at);
        at += gs_start(A, i + 1) - gs_start(A, i);
    }
    gs_set_start(&to, t->n, at);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t k = 0; k < t->n; k++) fill_row(t, &to, A, k);
    if (t->order) {
        TRY(gs_csr_clean(out, ctx, &B, false, NULL));
    } else {
        *out = B;
        memset(&B, 0, sizeof B);
    }
done:
    gsolve_csr_free(&B, ctx);
    return status;
}

/* --- vectors ---------------------------------------------------------------------------------- */

void gs_transform_in_host(const gs_transform *t, const double *from, double *to)
{
    for (int32_t k = 0; k < t->n; k++) {
        const int32_t i = t->order ? t->order[k] : k;
        to[k] = from[i] * row_scale(t, i);
    }
}

void gs_transform_out_host(const gs_transform *t, const double *from, double *to)
{
    for (int32_t i = 0; i < t->n; i++) {
        to[i] = from[t->place ? t->place[i] : i] * column_scale(t, i);
    }
}

/* *S = a matrix with one entry in each row: P R, or C P' if out. */
static gsolve_status make_rows(const gs_transform *t, gsolve_context *ctx, bool out, gsolve_csr *S)
{
    const int32_t *col = out ? t->place : t->order;
    gsolve_status status;

    TRY(gs_csr_new(S, ctx, t->n, t->n, t->n, t->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, S);
    for (int32_t k = 0; k < t->n; k++) {
        const int32_t j = col ? col[k] : k;
        gs_set_start(&to, k, k);
        to.col[k] = j;
        gs_put_value(to.value, t->type, k, out ? column_scale(t, k) : row_scale(t, j));
    }
    gs_set_start(&to, t->n, t->n);
done:
    return status;
}

static gsolve_status set_matrix(const gs_transform *t, gsolve_context *ctx, bool out,
                                gsolve_matrix **S)
{
    gsolve_csr rows = {0};
    gsolve_status status;

    TRY(make_rows(t, ctx, out, &rows));
    TRY(*S ? gsolve_matrix_update(*S, &rows) : gsolve_matrix_create_owned(S, ctx, "csr", &rows));
done:
    gsolve_csr_free(&rows, ctx);
    return status;
}

gsolve_status gs_transform_prepare(gs_transform *t, gsolve_context *ctx)
{
    gsolve_status status;

    TRY(set_matrix(t, ctx, false, &t->in));
    TRY(set_matrix(t, ctx, true, &t->out));
done:
    return status;
}

/* Without scale=rows, in' = out. */
gsolve_status gs_transform_in(const gs_transform *t, bool transposed, gsolve_dense from,
                              gsolve_dense to)
{
    if (transposed && t->used.scale == GS_SCALE_ROWS) {
        return gsolve_matrix_apply_transpose(t->out, 1, from, 0, to);
    }
    return gsolve_matrix_apply(t->in, 1, from, 0, to);
}

gsolve_status gs_transform_out(const gs_transform *t, bool transposed, gsolve_dense from,
                               gsolve_dense to)
{
    if (transposed && t->used.scale == GS_SCALE_ROWS) {
        return gsolve_matrix_apply_transpose(t->in, 1, from, 0, to);
    }
    return gsolve_matrix_apply(t->out, 1, from, 0, to);
}
