/* handle.c: the matrix handle: it owns clean rows and the form that a format built from them. */
#include "spmv/handle.h"

#include <string.h>

#include "core/info.h"
#include "core/try.h"

/* --- create and destroy ----------------------------------------------------------------------- */

/* Waits for the device, so that build_seconds is the time of the conversion. */
static gsolve_status synchronize(const gsolve_matrix *A)
{
    return gs_memory_synchronize(A->ctx, A->csr.location, A->csr.start);
}

static gsolve_status build(gsolve_matrix *A, bool timed)
{
    double begin;
    gsolve_status status;

    gs_range_push(A->ctx, "convert");
    if (timed) TRY(synchronize(A));
    begin = gs_now();
    if (!A->csr.start) TRY(gs_rows_on_device(&A->csr, A->ctx, &A->rows));
    if (A->entries < 0) {
        TRY(gs_csr_entries(A->ctx, A->rows.start ? &A->rows : &A->csr, &A->entries));
    }
    if (gs_location(A->ctx) == GSOLVE_DEVICE) ALLOC(A->ctx, GSOLVE_DEVICE, A->sums, 1);
    TRY(A->format->build(&A->self, A->ctx, &A->csr, A->entries, A->options, A->format->user));
    if (timed) TRY(synchronize(A));
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

gsolve_status gs_matrix_new(gsolve_matrix **out, gsolve_context *ctx, const gsolve_format *format)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, A, 1);
    memset(A, 0, sizeof *A);
    gs_own(ctx, A, destroy_left);
    A->ctx = ctx;
    A->lazy = A;
    A->format = format;
    A->version = 1;
    A->entries = -1; /* unknown */
    ctx->handles++;
    *out = A;
done:
    return status;
}

gsolve_status gs_matrix_new_in_format(gsolve_matrix **out, gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *plugin;
    void *options = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, &ctx->formats, gs_formats(ctx), "format", spec, &plugin, &options));
    TRY(gs_matrix_new(out, ctx, gs_format_of(plugin)));
    (*out)->options = options;
    options = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

gsolve_status gsolve_matrix_create(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                   const gsolve_csr *csr)
{
    gsolve_matrix *A = NULL;
    gsolve_csr fetched = {0};
    gs_csr_findings findings;
    gsolve_status status;
    bool clean, known;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_matrix_create: an argument is NULL");
    }
    TRY(gs_csr_inspect(ctx, csr, &findings, &clean));
    TRY(gs_matrix_new_in_format(&A, ctx, spec));
    if (clean) A->entries = findings.entries;
    if (!findings.ascending) TRY(gs_csr_to_host(&csr, ctx, &fetched));
    known = clean ||
            csr->location == GSOLVE_DEVICE; /* the number of entries is known before cleaning */
    if (known) TRY(gs_matrix_fits(A, csr, true));
    TRY(gs_csr_clean(csr->location == GSOLVE_DEVICE ? &A->csr : &A->rows, ctx, csr,
                     findings.ascending, &A->destination));
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

/* Builds A's form from csr, which is clean, and takes ownership of csr. On failure csr remains the
 * caller's. */
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

gsolve_status gs_matrix_create_unchecked(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                         gsolve_csr *csr)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    TRY(gs_matrix_new_in_format(&A, ctx, spec));
    TRY(build_from(A, csr, false));
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    return status;
}

/* gsolve_matrix_create_owned of a clean csr with that many entries. known: its statistics, or NULL.
 */
static gsolve_status create_clean(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                  gsolve_csr *csr, int64_t entries, const gs_statistics *known)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    TRY(gs_matrix_new_in_format(&A, ctx, spec));
    A->entries = entries;
    if (known) A->statistics = *known;
    TRY(gs_matrix_fits(A, csr, csr->location == GSOLVE_HOST));
    TRY(build_from(A, csr, true));
    *out = A;
    A = NULL;
done:
    gsolve_matrix_destroy(&A);
    return status;
}

gsolve_status gsolve_matrix_create_owned(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                                         gsolve_csr *csr)
{
    gs_csr_findings findings;
    gsolve_status status;
    bool clean;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_owned: an argument is NULL");
    }
    TRY(gs_csr_inspect(ctx, csr, &findings, &clean));
    if (clean) return create_clean(out, ctx, spec, csr, findings.entries, NULL);
    TRY(gsolve_matrix_create(out, ctx, spec, csr));
    gsolve_csr_free(csr, ctx);
done:
    return status;
}

/* *known: the statistics of an inspection, which must be of a matrix with the sizes of csr. */
static gsolve_status take_inspection(gs_statistics *known, gsolve_context *ctx,
                                     const gsolve_csr *csr, const gsolve_inspection *inspection)
{
    gsolve_inspection own = {.size = sizeof own};
    const gsolve_statistics *t = &own.statistics;
    gsolve_status status;

    TRY(gs_csr_need_host(ctx, csr));
    gs_fill_info(&own, inspection, inspection->size, GS_LEAST_gsolve_inspection);
    if (csr->nrows != t->nrows || csr->ncols != t->ncols || !csr->start ||
        gs_start(csr, csr->nrows) != t->entries) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_inspected: the inspection is that of a matrix of "
                           "%d x %d with %lld entries, and csr is another",
                           t->nrows, t->ncols, (long long)t->entries);
    }
    *known = (gs_statistics){.known = true, .t = *t, .pattern = own.pattern};
    known->t.size = sizeof known->t;
done:
    return status;
}

gsolve_status gsolve_matrix_create_inspected(gsolve_matrix **out, gsolve_context *ctx,
                                             const char *spec, gsolve_csr *csr,
                                             const gsolve_inspection *inspection)
{
    gs_statistics known;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_create_inspected: an argument is NULL");
    }
    TRY(GS_CHECK_INFO(ctx, gsolve_inspection, inspection));
    if (!inspection || !inspection->clean) return gsolve_matrix_create_owned(out, ctx, spec, csr);
    TRY(take_inspection(&known, ctx, csr, inspection));
    TRY(create_clean(out, ctx, spec, csr, known.t.entries, &known));
done:
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
    GS_ENTER(A->ctx);

    drop_transposed(A);
    gs_matrix_drop_null_spaces(A);
    gs_block_space_drop(&A->space, A->ctx);
    if (A->self) A->format->destroy(A->self, A->ctx);
    gs_dist_drop(&A->dist, A->ctx);
    if (A->csr.location == GSOLVE_DEVICE) gsolve_csr_free(&A->csr, A->ctx);
    gsolve_csr_free(&A->rows, A->ctx);
    gsolve_csr_free(&A->blocks.csr, A->ctx);
    gsolve_free(A->ctx, GSOLVE_HOST, A->destination);
    gsolve_free(A->ctx, GSOLVE_DEVICE, A->sums);
    gsolve_free(A->ctx, GSOLVE_HOST, A->copies);
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
    TRY(format->build(&fresh, ctx, csr, entries, options, format->user));
    format->destroy(*self, ctx);
    *self = fresh;
done:
    return status;
}

/* Updates *self, the form of A or of A', to the new values of csr. */
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

/* Writes the new values to A', whose pattern stays. */
static gsolve_status refill_transposed(gsolve_matrix *A)
{
    gsolve_status status;

    TRY(gs_transpose_refill(&A->transposed, A->transposed_order, A->ctx, &A->csr));
    TRY(rebuild(A, &A->transposed_self, &A->transposed));
done:
    return status;
}

/* Builds A' and its form in A's format. The caller's handle is const, since the matrix that it
 * represents does not change. */
gsolve_status gs_matrix_need_transposed(const gsolve_matrix *constant)
{
    gsolve_matrix *A = constant->lazy;
    gsolve_status status;

    if (A->transposed_self && !A->transposed_is_stale) return GSOLVE_OK;
    if (A->transposed_self && A->transposed_order) {
        TRY(refill_transposed(A));
    } else {
        drop_transposed(A);
        TRY(gs_matrix_need_csr(A));
        TRY(gs_transpose_make(&A->transposed, &A->transposed_order, A->ctx, &A->csr, A->entries));
        TRY(A->format->build(&A->transposed_self, A->ctx, &A->transposed, A->entries, A->options,
                             A->format->user));
    }
    A->transposed_is_stale = false;
done:
    if (status != GSOLVE_OK) drop_transposed(A);
    return status;
}

gsolve_status gsolve_matrix_update(gsolve_matrix *A, const gsolve_csr *csr)
{
    gs_csr_findings findings;
    gsolve_status status;
    bool same;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    if (A->is_operator) {
        return gsolve_fail(A->ctx, GSOLVE_UNSUPPORTED,
                           "an operator has no values that gsolve_matrix_update can replace; when "
                           "its function computes other products, call "
                           "gsolve_matrix_update_operator");
    }
    if (A->dist) {
        return gsolve_fail(A->ctx, GSOLVE_UNSUPPORTED,
                           "the rows of this matrix are distributed over ranks; update it by "
                           "gsolve_matrix_update_dist");
    }
    TRY(gs_csr_inspect(A->ctx, csr, &findings, NULL));
    TRY(gs_matrix_need_csr(A));
    TRY(gs_matrix_copy_values(A, csr, findings.entries, &same));
    if (!same) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_MATRIX,
                           "the new matrix (%d x %d, %lld entries) has another pattern or type "
                           "than the matrix to update; create a new handle for it",
                           csr->nrows, csr->ncols, (long long)findings.entries);
    }
    TRY(gs_matrix_update_form(A));
    TRY(gs_memory_synchronize(A->ctx, csr->location,
                              csr->value)); /* the caller may change csr afterwards */
done:
    return status;
}

gsolve_status gs_matrix_update_form(gsolve_matrix *A)
{
    A->version++;
    A->statistics.known = false;
    A->transposed_is_stale = A->form_is_stale = true;
    return gs_matrix_need_form(A);
}

gsolve_status gsolve_matrix_adapt(const gsolve_matrix *A, const gsolve_run_estimate *run,
                                  gsolve_adaptation *adaptation)
{
    gsolve_adaptation made = {false, true};
    gsolve_status status = GSOLVE_OK;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    if (!run) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_adapt: the run estimate is NULL");
    }
    if (A->format == &gs_auto_format) {
        TRY(gs_matrix_need_form(A));
        TRY(gs_auto_adapt(A->self, A->ctx, run, &made));
    }
    if (adaptation) *adaptation = made;
done:
    return status;
}
