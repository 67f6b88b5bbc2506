/* handle.c: the matrix handle: its rows, kept clean, and the format built from them. */
#include "spmv/handle.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/statistics.h"
#include "matrix/transpose.h"
#include "vector/vector.h"

/* --- making and freeing ----------------------------------------------------------------------- */

/* So that build_seconds is the time of the conversion alone and of the whole of it. */
static gsolve_status settle(const gsolve_matrix *A)
{
    return gs_memory_synchronize(A->ctx, A->csr.location, A->csr.start);
}

static gsolve_status build(gsolve_matrix *A, bool timed)
{
    double begin;
    gsolve_status status;

    gs_range_push(A->ctx, "convert");
    if (timed) TRY(settle(A));
    begin = gs_now();
    if (!A->csr.start) TRY(gs_place_rows(&A->csr, A->ctx, &A->rows));
    if (A->entries < 0) {
        TRY(gs_csr_entries(A->ctx, A->rows.start ? &A->rows : &A->csr, &A->entries));
    }
    if (gs_location(A->ctx) == GSOLVE_DEVICE) ALLOC(A->ctx, GSOLVE_DEVICE, A->sums, 1);
    TRY(A->format->build(&A->self, A->ctx, &A->csr, A->entries, A->options));
    if (timed) TRY(settle(A));
    A->build_seconds = gs_now() - begin;
done:
    gs_range_pop(A->ctx);
    return status;
}

static void destroy_left(void *handle)
{
    gsolve_matrix *A = handle;
    gsolve_matrix_destroy(&A);
}

static gsolve_status new_matrix(gsolve_matrix **out, gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *plugin;
    gsolve_matrix *A = NULL;
    void *options = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, &ctx->formats, gs_formats(ctx), "format", spec, &plugin, &options));
    ALLOC(ctx, GSOLVE_HOST, A, 1);
    memset(A, 0, sizeof *A);
    gs_own(ctx, A, destroy_left);
    A->ctx = ctx;
    A->lazy = A;
    A->format = (const gsolve_format *)(const void *)plugin;
    A->options = options;
    A->version = 1;
    A->entries = -1; /* not known */
    options = NULL;
    ctx->handles++;
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

gsolve_status gsolve_matrix_create(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                   const gsolve_csr *csr)
{
    gsolve_matrix *A = NULL;
    gsolve_csr fetched = {0};
    gs_csr_findings seen;
    gsolve_status status;
    bool clean, known;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_matrix_create: an argument is NULL");
    }
    TRY(gs_csr_check_findings(ctx, csr, &seen, &clean));
    TRY(new_matrix(&A, ctx, spec));
    if (clean) A->entries = seen.entries;
    if (!clean && csr->location == GSOLVE_DEVICE && !gs_rows_ascend(ctx, csr)) {
        TRY(gs_csr_to_host(&csr, ctx, &fetched));
    }
    known =
        clean || csr->location == GSOLVE_DEVICE; /* how many entries are left when it is clean */
    if (known) TRY(gs_matrix_fits(A, csr, true));
    TRY(gs_csr_clean(csr->location == GSOLVE_DEVICE ? &A->csr : &A->rows, ctx, csr,
                     &A->destination));
    if (A->destination) {
        A->given = gs_start(csr, csr->nrows);
        A->given_pattern = gs_csr_pattern_hash(ctx, csr);
    }
    if (!known) TRY(gs_matrix_fits(A, &A->rows, true));
    TRY(build(A, true));
    *out = A;
    A = NULL;
done:
    gsolve_csr_free(&fetched, ctx);
    gsolve_matrix_destroy(&A);
    return status;
}

/* A's form from csr, which is clean and becomes A's; on failure it remains the caller's. */
static gsolve_status build_from(gsolve_matrix *A, gsolve_csr *csr, bool timed)
{
    const bool there = csr->location == GSOLVE_DEVICE;
    gsolve_status status;

    *(there ? &A->csr : &A->rows) = *csr;
    status = build(A, timed);
    if (status == GSOLVE_OK) {
        memset(csr, 0, sizeof *csr);
    } else {
        memset(&A->rows, 0, sizeof A->rows);
        if (there || A->csr.location == GSOLVE_HOST) memset(&A->csr, 0, sizeof A->csr);
    }
    return status;
}

gsolve_status gs_matrix_own(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                            gsolve_csr *csr)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    TRY(new_matrix(&A, ctx, spec));
    TRY(build_from(A, csr, false));
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    return status;
}

gsolve_status gsolve_matrix_create_owned(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                         gsolve_csr *csr)
{
    gsolve_matrix *A = NULL;
    gs_csr_findings seen;
    gsolve_status status;
    bool clean;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_owned: an argument is NULL");
    }
    TRY(gs_csr_check_findings(ctx, csr, &seen, &clean));
    if (!clean) {
        status = gsolve_matrix_create(out, ctx, spec, csr);
        if (status == GSOLVE_OK) gsolve_csr_free(csr, ctx);
        return status;
    }
    TRY(new_matrix(&A, ctx, spec));
    A->entries = seen.entries;
    TRY(gs_matrix_fits(A, csr, csr->location == GSOLVE_HOST));
    TRY(build_from(A, csr, true));
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    return status;
}

static void drop_transposed(gsolve_matrix *A)
{
    if (A->transposed_self) A->format->destroy(A->transposed_self, A->ctx);
    gsolve_free(A->ctx, GSOLVE_DEVICE, A->transposed_order);
    A->transposed_self = A->transposed_order = NULL;
    gsolve_csr_free(&A->transposed, A->ctx);
}

void gsolve_matrix_destroy(gsolve_matrix **pA)
{
    gsolve_matrix *A = pA ? *pA : NULL;
    if (!A) return;

    drop_transposed(A);
    gs_block_space_drop(&A->space, A->ctx);
    if (A->self) A->format->destroy(A->self, A->ctx);
    if (A->csr.location == GSOLVE_DEVICE) gsolve_csr_free(&A->csr, A->ctx);
    gsolve_csr_free(&A->rows, A->ctx);
    gsolve_free(A->ctx, GSOLVE_HOST, A->destination);
    gsolve_free(A->ctx, GSOLVE_DEVICE, A->sums);
    gsolve_free(A->ctx, GSOLVE_HOST, A->options);
    A->ctx->handles--;
    gsolve_free(A->ctx, GSOLVE_HOST, A);
    *pA = NULL;
}

/* --- new values ------------------------------------------------------------------------------- */

gsolve_status gs_form_update(const gsolve_format *format, void **self, gsolve_context *ctx,
                             const gsolve_csr *csr, int64_t entries, const void *options)
{
    void *fresh = NULL;
    gsolve_status status;

    if (format->update) return format->update(*self, ctx, csr);
    TRY(format->build(&fresh, ctx, csr, entries, options));
    format->destroy(*self, ctx);
    *self = fresh;
done:
    return status;
}

/* *self, A's or A''s form, from the new values of csr. */
static gsolve_status rebuild(const gsolve_matrix *A, void **self, const gsolve_csr *csr)
{
    return gs_form_update(A->format, self, A->ctx, csr, A->entries, A->options);
}

gsolve_status gs_matrix_need_form(const gsolve_matrix *constant)
{
    gsolve_matrix *A = constant->lazy;
    gsolve_status status = GSOLVE_OK;

    if (A->form_is_stale) TRY(rebuild(A, &A->self, &A->csr));
    A->form_is_stale = false;
done:
    return status;
}

gsolve_status gsolve_matrix_update(gsolve_matrix *A, const gsolve_csr *csr)
{
    gs_csr_findings seen;
    gsolve_status status;
    bool same;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    TRY(gs_csr_check_findings(A->ctx, csr, &seen, NULL));
    TRY(gs_matrix_new_values(A, csr, seen.entries, &same));
    if (!same) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_MATRIX,
                           "the new matrix (%d x %d, %lld entries) has another pattern or type "
                           "than the one to update; make a new matrix from it",
                           csr->nrows, csr->ncols, (long long)seen.entries);
    }
    TRY(gs_matrix_renew(A));
    TRY(gs_memory_synchronize(A->ctx, csr->location, csr->value)); /* has been read */
done:
    return status;
}

gsolve_status gs_matrix_renew(gsolve_matrix *A)
{
    A->version++;
    A->transposed_is_stale = A->form_is_stale = true;
    return gs_matrix_need_form(A);
}

gsolve_status gsolve_matrix_adapt(const gsolve_matrix *A, const gsolve_run_estimate *outlook,
                                  gsolve_adaptation *turn)
{
    gsolve_adaptation made = {false, true};
    gsolve_status status = GSOLVE_OK;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    if (!outlook) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_matrix_adapt: there is no outlook");
    }
    if (A->format->adapt) {
        TRY(gs_matrix_need_form(A));
        TRY(A->format->adapt(A->self, A->ctx, outlook, &made));
    }
    if (turn) *turn = made;
done:
    return status;
}

/* --- products --------------------------------------------------------------------------------- */

static gsolve_status check_vectors(const gsolve_matrix *A, gsolve_dense x, int32_t xrows,
                                   gsolve_dense y, int32_t yrows)
{
    if ((unsigned)x.layout > GSOLVE_ROW_MAJOR || (unsigned)y.layout > GSOLVE_ROW_MAJOR) {
        return gsolve_fail(
            A->ctx, GSOLVE_BAD_ARGUMENT,
            "x and y are of layouts %d and %d; there are 0 (by columns) and 1 (by rows)",
            (int)x.layout, (int)y.layout);
    }
    if (x.nrows != xrows || y.nrows != yrows || x.ncols != y.ncols || x.ncols < 0 ||
        !gs_stride_fits(x) || !gs_stride_fits(y)) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "the product takes x of %d rows to y of %d, not x of %d x %d to y of "
                           "%d x %d (strides %lld and %lld)",
                           xrows, yrows, x.nrows, x.ncols, y.nrows, y.ncols, (long long)x.stride,
                           (long long)y.stride);
    }
    if (x.type != A->csr.type || y.type != A->csr.type || !gs_reachable(A->ctx, x.location) ||
        !gs_reachable(A->ctx, y.location)) {
        return gsolve_fail(
            A->ctx, GSOLVE_BAD_ARGUMENT,
            "vectors must be of the matrix's type, and on its device or on the host");
    }
    if ((!x.value && (int64_t)xrows * x.ncols > 0) || (!y.value && (int64_t)yrows * y.ncols > 0)) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT, "a vector of the product has no values");
    }
    return GSOLVE_OK;
}

static gs_block_space *space_of(const gsolve_matrix *A)
{
    return &A->lazy->space;
}

static gsolve_status forward(const gsolve_matrix *A, void *self, double alpha, gsolve_dense x,
                             double beta, gsolve_dense y)
{
    const gs_block_products by = gs_block_products_of(A->format);

    return gs_block_multiply(&by, self, A->ctx, space_of(A), alpha, x, beta, y);
}

/* y = alpha A x + beta y, or with A', where kernels see x and y. */
static gsolve_status multiply(const gsolve_matrix *A, bool transposed, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y);

/* The same wherever x and y lie. */
static gsolve_status multiply_staged(const gsolve_matrix *A, bool transposed, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    gs_stage in = {0}, out = {0};
    gsolve_status status;

    TRY(gs_stage_in(&in, A->ctx, gs_location(A->ctx), x, true));
    TRY(gs_stage_in(&out, A->ctx, gs_location(A->ctx), y, beta != 0));
    TRY(multiply(A, transposed, alpha, in.used, beta, out.used));
    TRY(gs_stage_out(&out, A->ctx));
done:
    gs_stage_drop(&in, A->ctx);
    gs_stage_drop(&out, A->ctx);
    return status;
}

gsolve_status gsolve_matrix_apply(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y)
{
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    TRY(check_vectors(A, x, A->csr.ncols, y, A->csr.nrows));
    TRY(multiply_staged(A, false, alpha, x, beta, y));
done:
    return status;
}

/* The new values into A', of which the pattern stays. */
static gsolve_status refill_transposed(gsolve_matrix *A)
{
    gsolve_status status;

    TRY(gs_transpose_refill(&A->transposed, A->transposed_order, A->ctx, &A->csr));
    TRY(rebuild(A, &A->transposed_self, &A->transposed));
done:
    return status;
}

/* A' in A's format. */
static gsolve_status need_transposed(const gsolve_matrix *constant)
{
    gsolve_matrix *A = constant->lazy;
    gsolve_status status;

    if (A->transposed_self && !A->transposed_is_stale) return GSOLVE_OK;
    if (A->transposed_self && A->transposed_order) {
        TRY(refill_transposed(A));
    } else {
        drop_transposed(A);
        TRY(gs_transpose_make(&A->transposed, &A->transposed_order, A->ctx, &A->csr, A->entries));
        TRY(A->format->build(&A->transposed_self, A->ctx, &A->transposed, A->entries, A->options));
    }
    A->transposed_is_stale = false;
done:
    if (status != GSOLVE_OK) drop_transposed(A);
    return status;
}

static gsolve_status multiply(const gsolve_matrix *A, bool transposed, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y)
{
    const gs_block_products back = {A->format->apply_transpose, NULL, false};
    gsolve_status status;

    TRY(gs_matrix_need_form(A));
    if (!transposed) return forward(A, A->self, alpha, x, beta, y);
    if (back.one) return gs_block_multiply(&back, A->self, A->ctx, space_of(A), alpha, x, beta, y);
    TRY(need_transposed(A));
    TRY(forward(A, A->transposed_self, alpha, x, beta, y));
done:
    return status;
}

gsolve_status gsolve_matrix_apply_transpose(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                            double beta, gsolve_dense y)
{
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    TRY(check_vectors(A, x, A->csr.nrows, y, A->csr.ncols));
    TRY(multiply_staged(A, true, alpha, x, beta, y));
done:
    return status;
}

static double *number_of(double *of_columns, int32_t j)
{
    return of_columns ? of_columns + j : NULL;
}

/* y = A x and the sums, where kernels see all of them. */
static gsolve_status multiply_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                  gsolve_dense w, double *wy, double *yy)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, A->ctx, x.type);
    gsolve_status status = GSOLVE_OK;

    TRY(gs_matrix_need_form(A));
    if (!A->format->apply_dot) TRY(forward(A, A->self, 1, x, 0, y));
    for (int32_t j = 0; j < x.ncols; j++) { /* the bits of a column do not depend on others */
        const gsolve_dense xj = gs_column_of(x, j), yj = gs_column_of(y, j);
        const gsolve_dense wj = gs_column_of(w, j);
        const gs_product_sums sums = {wj.value, &wy[j], number_of(yy, j)};
        if (A->format->apply_dot) {
            TRY(A->format->apply_dot(A->self, A->ctx, xj, yj, wj, sums.wy, sums.yy));
        } else {
            TRY(gs_sum_product(vector, A->ctx->queue, y.nrows, yj.value, &sums));
        }
    }
done:
    return status;
}

gsolve_status gsolve_matrix_apply_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                      gsolve_dense w, double *wy, double *yy)
{
    enum { X, W, Y, WY, YY };
    gs_stage stage[5];
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    const gsolve_dense sums = {
        x.ncols, 1, x.ncols, wy, GSOLVE_F64, x.location, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense squares = {
        x.ncols, 1, x.ncols, yy, GSOLVE_F64, x.location, GSOLVE_COLUMN_MAJOR};
    memset(stage, 0, sizeof stage);
    TRY(check_vectors(A, x, A->csr.ncols, y, A->csr.nrows));
    TRY(check_vectors(A, x, A->csr.ncols, w, A->csr.nrows));
    TRY(gs_need_columns(A->ctx, x, "x of a product with sums"));
    TRY(gs_need_columns(A->ctx, y, "y of a product with sums"));
    TRY(gs_need_columns(A->ctx, w, "w of a product with sums"));
    if (!wy && x.ncols > 0) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT, "there is nowhere to put w'y");
    }
    TRY(gs_stage_in(&stage[X], A->ctx, gs_location(A->ctx), x, true));
    TRY(gs_stage_in(&stage[W], A->ctx, gs_location(A->ctx), w, true));
    TRY(gs_stage_in(&stage[Y], A->ctx, gs_location(A->ctx), y, false));
    TRY(gs_stage_in(&stage[WY], A->ctx, gs_location(A->ctx), sums, false));
    if (yy) TRY(gs_stage_in(&stage[YY], A->ctx, gs_location(A->ctx), squares, false));
    TRY(multiply_dot(A, stage[X].used, stage[Y].used, stage[W].used, stage[WY].used.value,
                     stage[YY].used.value));
    for (int s = Y; s <= YY; s++) TRY(gs_stage_out(&stage[s], A->ctx));
done:
    for (int s = X; s <= YY; s++) gs_stage_drop(&stage[s], A->ctx);
    return status;
}

/* --- what it would hold ----------------------------------------------------------------------- */

gsolve_status gsolve_matrix_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   size_t *bytes)
{
    const gsolve_plugin *plugin;
    const gsolve_format *format;
    void *options = NULL;
    gsolve_status status;
    bool clean;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!spec || !csr || !bytes || csr->location != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_memory: an argument is NULL, or csr not on the host");
    }
    TRY(gs_csr_check(ctx, csr, &clean));
    TRY(gs_plugin_parse(ctx, &ctx->formats, gs_formats(ctx), "format", spec, &plugin, &options));
    format = (const gsolve_format *)(const void *)plugin;
    if (!format->memory) {
        status =
            gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                        "the format %s does not foretell the memory that it takes", plugin->name);
        goto done;
    }
    *bytes = (size_t)gs_csr_bytes(csr, gs_start(csr, csr->nrows)) + format->memory(csr, options);
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

/* --- what it is ------------------------------------------------------------------------------- */

gsolve_status gsolve_matrix_csr(const gsolve_matrix *A, gsolve_csr *csr)
{
    gsolve_status status;

    if (!A || !csr) return GSOLVE_BAD_ARGUMENT;
    TRY(gs_matrix_need_rows(A));
    *csr = A->rows;
done:
    return status;
}

void gsolve_matrix_device_csr(const gsolve_matrix *A, gsolve_csr *csr)
{
    *csr = A->csr;
}

void gsolve_matrix_describe(const gsolve_matrix *A, gsolve_matrix_info *info)
{
    const int64_t entries = A->entries;
    const size_t value = gs_type_size(A->csr.type);
    const gsolve_matrix_info plain = {
        .format = A->format->plugin.name,
        .nrows = A->csr.nrows,
        .ncols = A->csr.ncols,
        .type = A->csr.type,
        .entries = entries,
        .stored = entries,
        .bytes = (size_t)entries * (value + sizeof(int32_t)) +
                 ((size_t)A->csr.nrows + 1) * gs_offset_size(A->csr.offset) +
                 ((size_t)A->csr.nrows + (size_t)A->csr.ncols) * value,
        .build_seconds = A->build_seconds,
        .version = A->version,
    };

    *info = plain;
    snprintf(info->form, sizeof info->form, "%s", info->format);
    if (A->format->describe) A->format->describe(A->self, info);
}
