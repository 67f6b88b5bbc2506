/* solver.c: the solver handle: a method, its work space, and the vectors of a run. */
#include "solver/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "solver/choose/auto.h"

static gsolve_status clear_progress(gs_krylov *k)
{
    const size_t numbers = sizeof(gs_progress) / sizeof(double) + GS_HISTORY;

    return GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
        ->zero(k->ctx->queue, (int64_t)k->width * (int64_t)numbers, k->progress);
}

static void release_work(gs_krylov *k)
{
    gs_forget_graph(k);
    if (k->state && k->method->destroy) k->method->destroy(k);
    while (k->nwork > 0) gsolve_free(k->ctx, GSOLVE_HOST, k->work[--k->nwork]);
    k->width = k->nmoving = 0;
    k->together = NULL;
    k->all_ended = NULL;
}

gsolve_status gs_need_rows(gs_krylov *k)
{
    return k->csr.start ? GSOLVE_OK : gsolve_matrix_csr(k->A, &k->csr);
}

static gsolve_status need_state(gs_krylov *k)
{
    if (k->state) return GSOLVE_OK;
    k->state = gsolve_alloc(k->ctx, GSOLVE_HOST, 1, k->method->state_size);
    if (!k->state) return GSOLVE_NO_MEMORY;
    memset(k->state, 0, k->method->state_size);
    return GSOLVE_OK;
}

/* What serves several columns at once, where launches cost. */
static gsolve_status reserve_together(gs_krylov *k)
{
    const gs_columns_kernels *columns = k->columns;
    void *queue, *space, *all_ended;
    gsolve_status status;

    if (k->width == 1 || !columns->open) return GSOLVE_OK;
    TRY(gs_new_work(k, GSOLVE_HOST, 1, columns->queue_size, &queue));
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, columns->space_size, &space));
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, sizeof *k->all_ended, &all_ended));
    if (k->counting) return GSOLVE_OK;
    TRY(columns->open(k->ctx->queue, queue, space));
    k->together = queue;
    k->all_ended = all_ended;
done:
    return status;
}

gsolve_status gs_solver_reserve(gs_krylov *k, int32_t width)
{
    gsolve_status status;

    if (width <= k->width) return GSOLVE_OK;
    release_work(k);
    TRY(need_state(k));
    TRY(gs_solver_fits(k, width));
    k->width = width;
    memset(k->state, 0, k->method->state_size);
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->order));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->column));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->relative));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->seen));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->mask));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->active));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->round));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->recorded_active));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_DEVICE, k->flag));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_DEVICE, k->ended));
    TRY(gs_new_work(k, GSOLVE_DEVICE, (size_t)k->width,
                    sizeof(gs_progress) + GS_HISTORY * sizeof(double),
                    (void **)(void *)&k->progress));
    if (!k->counting) {
        k->moving[k->nmoving++] =
            (struct gs_moving){k->progress, sizeof(gs_progress) / sizeof(uint32_t)};
        TRY(clear_progress(k));
    }
    TRY(gs_new_scalar(k, &k->rr));
    TRY(reserve_together(k));
    TRY(gs_outer_new(k));
    TRY(gs_guess_new(k));
    TRY(k->method->setup(k));
done:
    if (status != GSOLVE_OK) release_work(k);
    return status;
}

/* --- making and freeing ----------------------------------------------------------------------- */

gsolve_status gs_solver_check(const gs_krylov *k, int32_t n)
{
    const char *name = k->method->plugin.name;

    if (k->csr.nrows != k->csr.ncols && !k->method->any_shape) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a square matrix and this one is %d x %d; direct solves in the "
                           "least-squares sense",
                           name, k->csr.nrows, k->csr.ncols);
    }
    if (!k->M || k->method->ignores_precond) return GSOLVE_OK;
    if (n != k->csr.nrows) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the preconditioner is for %d unknowns and the matrix is %d x %d", n,
                           k->csr.nrows, k->csr.ncols);
    }
    if (gsolve_precond_is_variable(k->M) && !k->method->flexible) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "this preconditioner varies from one application to the next, which %s "
                           "does not allow; use fgmres",
                           name);
    }
    return GSOLVE_OK;
}

static void destroy_left(void *handle)
{
    gs_krylov *k = handle;
    gsolve_solver_destroy(&k);
}

gsolve_status gs_solver_set_up(gs_krylov *k, const char *named)
{
    const gsolve_plugin *plugin;
    gsolve_precond_info info = {0};
    gsolve_status status;

    TRY(gs_plugin_parse(k->ctx, NULL, gs_methods, "method", named, &plugin, &k->options));
    k->method = (const gs_method *)(const void *)plugin;
    if (k->M) gsolve_precond_describe(k->M, &info);
    TRY(gs_solver_check(k, info.n));
    TRY(gs_solver_reserve(k, 1));
    TRY(gs_resident_new(k));
done:
    return status;
}

void gs_solver_drop(gs_krylov *k)
{
    gs_resident_drop(k);
    release_work(k);
    gsolve_free(k->ctx, GSOLVE_HOST, k->state);
    gsolve_free(k->ctx, GSOLVE_HOST, k->options);
    k->state = k->options = NULL;
    if (k->own_M) k->M = NULL;
    gsolve_precond_destroy(&k->own_M);
}

gsolve_status gsolve_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                                   const gsolve_matrix *A, const gsolve_precond *M)
{
    gsolve_matrix_info matrix;
    gs_krylov *k = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!S || !spec || !A) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_create: an argument is NULL");
    }
    gs_range_push(ctx, "set-up of the method");
    ALLOC(ctx, GSOLVE_HOST, k, 1);
    memset(k, 0, sizeof *k);
    gs_own(ctx, k, destroy_left);
    k->ctx = k->profile.ctx = ctx;
    k->A = A;
    k->M = M;
    gsolve_matrix_describe(A, &matrix);
    k->csr.nrows = matrix.nrows;
    k->csr.ncols = matrix.ncols;
    k->csr.type = matrix.type;
    k->vector = GS_KERNELS(gs_vector, ctx, k->csr.type);
    k->small = gs_on_gpu(ctx) ? &gs_scalar_cuda : &gs_scalar_host;
    k->columns = gs_columns_kernels_of(ctx);
    if (gs_spec_is(spec, "auto")) {
        TRY(gs_auto_set_up(k, spec));
    } else {
        TRY(gs_solver_set_up(k, spec));
    }
    *S = k;
    k = NULL;
done:
    gs_range_pop(ctx);
    gsolve_solver_destroy(&k);
    return status;
}

void gsolve_solver_destroy(gsolve_solver **S)
{
    gs_krylov *k = S ? *S : NULL;
    if (!k) return;

    gs_solver_drop(k);
    gs_profile_free(&k->profile);
    gsolve_free(k->ctx, GSOLVE_HOST, k->explanation);
    gsolve_free(k->ctx, GSOLVE_HOST, k);
    *S = NULL;
}

void gsolve_solver_set_monitor(gsolve_solver *S, gsolve_monitor *monitor, void *user)
{
    S->monitor = monitor;
    S->user = user;
}

const char *gsolve_solver_name(const gsolve_solver *S)
{
    return S->method->plugin.name;
}

const char *gsolve_solver_note(const gsolve_solver *S)
{
    return S->note;
}

/* --- a run --------------------------------------------------------------------------------------
 */

/* Whether columns of u and v share memory. */
static bool overlap(gsolve_dense u, gsolve_dense v)
{
    const size_t of_u = (size_t)u.nrows * gs_type_size(u.type);
    const size_t of_v = (size_t)v.nrows * gs_type_size(v.type);

    for (int32_t c = 0; c < u.ncols; c++) {
        const uintptr_t at_u = (uintptr_t)gs_column_of(u, c).value;
        for (int32_t d = 0; d < v.ncols; d++) {
            const uintptr_t at_v = (uintptr_t)gs_column_of(v, d).value;
            if (at_u < at_v + of_v && at_v < at_u + of_u) return true;
        }
    }
    return false;
}

static gsolve_status check_run(const gs_krylov *k, gsolve_dense b, gsolve_dense x)
{
    if (b.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(k->ctx, b, "b");
    if (x.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(k->ctx, x, "x");
    if (b.nrows != k->csr.nrows || x.nrows != k->csr.ncols || b.ncols != x.ncols || b.ncols < 0) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix is %d x %d, so b must have %d rows and x %d, with as many "
                           "columns; b is %d x %d and x is %d x %d",
                           k->csr.nrows, k->csr.ncols, k->csr.nrows, k->csr.ncols, b.nrows, b.ncols,
                           x.nrows, x.ncols);
    }
    if (b.ncols > 1 && (b.stride < b.nrows || x.stride < x.nrows)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the columns of b or x overlap: their strides are %lld and %lld",
                           (long long)b.stride, (long long)x.stride);
    }
    if ((!b.value && (int64_t)b.nrows * b.ncols > 0) ||
        (!x.value && (int64_t)x.nrows * x.ncols > 0)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT, "b or x has no values");
    }
    if ((unsigned)b.type >= GSOLVE_TYPE_COUNT || (unsigned)x.type >= GSOLVE_TYPE_COUNT ||
        (gs_location(k->ctx) == GSOLVE_HOST &&
         (b.location != GSOLVE_HOST || x.location != GSOLVE_HOST))) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "b and x must lie on the host, as all vectors of the device cpu");
    }
    if (overlap(b, x)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "b and x share memory; x must be an array of its own");
    }
    return GSOLVE_OK;
}

static gsolve_result result_of(const gs_krylov *k, const gs_column *column)
{
    const gsolve_result result = {column->outcome,   column->iterations, column->products,
                                  column->residual,  k->result.seconds,  k->product_seconds,
                                  k->precond_seconds};
    return result;
}

/* Of the columns that did not converge, or else of all, the one of the largest residual. */
static const gs_column *worst_column(const gs_krylov *k)
{
    const gs_column *worst = &k->column[0];

    for (int32_t c = 1; c < k->ncols; c++) {
        const gs_column *column = &k->column[c];
        const bool failed = column->outcome != GSOLVE_CONVERGED;
        const bool worst_failed = worst->outcome != GSOLVE_CONVERGED;
        if (failed != worst_failed ? failed : !(column->residual <= worst->residual))
            worst = column;
    }
    return worst;
}

/* Drops what was recorded of a run of other columns, or before A or M were changed. */
static void forget_stale(gs_krylov *k)
{
    gsolve_matrix_info A;
    gsolve_precond_info M = {0};

    gsolve_matrix_describe(k->A, &A);
    if (k->M) gsolve_precond_describe(k->M, &M);
    if (k->recorded_ncols != k->ncols || k->recorded_A != A.version || k->recorded_M != M.version ||
        k->recorded_form != A.changes) {
        gs_forget_graph(k);
    }
    k->recorded_form = A.changes;
    k->recorded_ncols = k->ncols;
    k->recorded_A = A.version;
    k->recorded_M = M.version;
}

gsolve_status gsolve_solver_run(gsolve_solver *k, gsolve_dense b, gsolve_dense x,
                                gsolve_result *result)
{
    const double begin = gs_now();
    gsolve_status status;

    if (!k) return GSOLVE_BAD_ARGUMENT;
    if (!result) return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT, "result is NULL");
    gs_range_push(k->ctx, "solve");
    gs_profile_clear(&k->profile);
    k->ncols = 0;
    TRY(check_run(k, b, x));
    TRY(gs_solver_reserve(k, b.ncols));
    gsolve_free(k->ctx, GSOLVE_HOST, k->explanation);
    k->explanation = NULL;
    k->note[0] = 0;
    k->ncols = b.ncols;
    memset(&k->result, 0, sizeof k->result);
    if (b.ncols > 0) {
        TRY(gs_auto_update(k));
        forget_stale(k);
        if (k->M) gsolve_precond_begin_solve(k->M, b.ncols);
        TRY(gs_krylov_run(k, b, x));
        k->result.seconds = gs_now() - begin;
        k->result = result_of(k, worst_column(k));
        k->result.iterations = k->iteration;
        k->result.products = k->products;
    }
    gs_auto_note(k);
    *result = k->result;
done:
    gs_range_pop(k->ctx);
    if (status != GSOLVE_OK) k->ncols = 0;
    return status;
}

gsolve_status gsolve_solver_column(const gsolve_solver *S, int32_t column, gsolve_result *result)
{
    if (!S) return GSOLVE_BAD_ARGUMENT;
    if (column < 0 || column >= S->ncols || !result) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "column %d of a run of %d columns", column,
                           S->ncols);
    }
    *result = result_of(S, &S->column[column]);
    return GSOLVE_OK;
}
