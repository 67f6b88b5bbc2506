/* setup.c: allocation, set-up and release of a solver. */
#include "solver/run/run.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "solver/choose/auto_method.h"
#include "solver/resident/resident.h"

/* --- a solver --------------------------------------------------------------------------- */

typedef struct solver_and_run { /* one block of memory */
    gs_krylov solver;
    struct gs_run run;
} solver_and_run;

gsolve_status gs_solver_new(gs_krylov **k, gsolve_context *ctx, bool counting)
{
    solver_and_run *all;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, all, 1);
    memset(all, 0, sizeof *all);
    all->solver.run = &all->run;
    all->solver.ctx = all->run.profile.ctx = ctx;
    gs_profile_switch(&all->run.profile, false);
    all->run.columns.kernels = gs_columns_kernels_of(ctx);
    all->run.work.counting = counting;
    *k = &all->solver;
done:
    return status;
}

void gs_solver_free(gs_krylov **k)
{
    if (!*k) return;
    gs_profile_free(&(*k)->run->profile);
    gsolve_free((*k)->ctx, GSOLVE_HOST, *k);
    *k = NULL;
}

/* --- work space ------------------------------------------------------------------------------- */

static void release_state(gs_krylov *k)
{
    if (k->state && k->method->destroy) k->method->destroy(k);
}

static void release_work(gs_krylov *k)
{
    gs_forget_graph(k);
    if (k->method && !k->method->keeps_state) release_state(k);
    gs_work_release(k);
    memset(&k->run->least_squares, 0, sizeof k->run->least_squares);
    k->run->norm_factor = NULL;
    k->run->spectrum.record = NULL;
    k->run->columns.batch = NULL;
    k->run->columns.all_ended = NULL;
    k->width = 0;
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

/* The progress of each column on the device, and behind all of them the residuals; 0 at first. */
static gsolve_status reserve_progress(gs_krylov *k)
{
    const size_t numbers = sizeof(gs_progress) / sizeof(double) + GS_HISTORY;
    gs_progress **progress = &k->run->progress;
    gsolve_status status;

    TRY(gs_new_work(k, GSOLVE_DEVICE, (size_t)k->width, numbers * sizeof(double),
                    (void **)(void *)progress));
    if (gs_is_counting(k)) return GSOLVE_OK;
    gs_work_move_along(k, *progress, sizeof **progress);
    TRY(GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
            ->zero(k->ctx->queue, (int64_t)k->width * (int64_t)numbers, *progress));
done:
    return status;
}

/* The run's arrays with an element for each column. */
static gsolve_status reserve_columns(gs_krylov *k)
{
    struct gs_run *run = k->run;
    gsolve_status status;

    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->order));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->column));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->squares));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->fetched));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->mask));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, k->active));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->in_round));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, run->recording.active));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_DEVICE, k->flag));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_DEVICE, k->ended));
    TRY(reserve_progress(k));
    TRY(gs_new_scalar(k, &k->rr));
    if (gs_run_options_of(k)->norm == GS_NORM_PRECONDITIONED && k->M) {
        TRY(gs_new_scalar(k, &run->norm_factor));
    }
done:
    return status;
}

/* The state of the method. */
static gsolve_status reserve_state(gs_krylov *k)
{
    const gs_method *method = k->method;
    gsolve_dense *vector = k->state;
    gs_scalar *scalar = (gs_scalar *)(vector + method->vectors);
    gsolve_status status = GSOLVE_OK;

    if (!method->keeps_state) memset(k->state, 0, method->state_size);
    for (int i = 0; i < method->vectors; i++) TRY(gs_new_vector(k, k->csr.nrows, &vector[i]));
    for (int i = 0; i < method->scalars; i++) TRY(gs_new_scalar(k, &scalar[i]));
    k->period = 2;
    if (method->setup) TRY(method->setup(k));
done:
    return status;
}

/* Work space for k->width columns. */
static gsolve_status reserve_all(gs_krylov *k)
{
    gsolve_status status;

    TRY(reserve_columns(k));
    TRY(gs_columns_reserve(k));
    TRY(gs_outer_reserve(k));
    TRY(gs_guess_reserve(k));
    TRY(reserve_state(k));
done:
    return status;
}

/* Counts the work space for k->width columns, and refuses what does not fit into the device's
 * memory. */
static gsolve_status check_memory(gs_krylov *k)
{
    gs_work *work = &k->run->work;
    char what[100];
    gsolve_status status;

    if (work->counting || !k->ctx->device->memory) return GSOLVE_OK;
    work->counting = true;
    work->counted = 0;
    status = reserve_all(k);
    work->counting = false;
    /* where the rest depends on values, what was counted is needed at least */
    if (status != GSOLVE_OK && status != GSOLVE_UNSUPPORTED) return status;
    snprintf(what, sizeof what, "the work space of %.40s for %d column%s", k->method->plugin.name,
             k->width, k->width == 1 ? "" : "s");
    return gs_memory_need(k->ctx, (double)work->counted, what);
}

gsolve_status gs_solver_reserve(gs_krylov *k, int32_t width)
{
    gsolve_status status;

    if (width <= k->width) return GSOLVE_OK;
    release_work(k);
    TRY(need_state(k));
    k->width = width;
    TRY(check_memory(k));
    TRY(reserve_all(k));
done:
    status = gs_comm_check(k->comm, status);
    if (status != GSOLVE_OK) release_work(k);
    return status;
}

/* --- the method ------------------------------------------------------------------------------- */

gsolve_status gs_solver_set_method(gs_krylov *k, const char *spec)
{
    const gsolve_plugin *plugin;
    gsolve_status status;

    TRY(gs_plugin_parse(k->ctx, NULL, gs_methods, "method", spec, &plugin, &k->options));
    k->method = (const gs_method *)(const void *)plugin;
done:
    return status;
}

/* Checks that k->M suits A and the method. */
static gsolve_status check_precond(const gs_krylov *k)
{
    const int32_t n = k->method->normal ? k->csr.ncols : k->csr.nrows;
    const char *name = k->method->plugin.name;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    gsolve_precond_describe(k->M, &info);
    if (!k->method->normal && gs_precond_is_of_normal(k->M)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a preconditioner of A, and %s approximates A^T A; use it with "
                           "lsqr or lsmr",
                           name, info.spec);
    }
    if (gs_precond_comm(k->M) && gs_precond_comm(k->M) != k->comm) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the preconditioner %s is of a matrix that is distributed over ranks, "
                           "and this matrix is not",
                           info.spec);
    }
    if (info.n != n) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the preconditioner is for %d unknowns and the matrix is %d x %d",
                           info.n, k->csr.nrows, k->csr.ncols);
    }
    if (info.type != k->csr.type) {
        return gsolve_fail(
            k->ctx, GSOLVE_BAD_ARGUMENT,
            "the preconditioner %s is in %s and the matrix in %s; create both in the "
            "same type",
            info.spec, info.type == GSOLVE_F32 ? "f32" : "f64",
            k->csr.type == GSOLVE_F32 ? "f32" : "f64");
    }
    if (gsolve_precond_is_variable(k->M) && !k->method->flexible) {
        return gsolve_fail(
            k->ctx, GSOLVE_BAD_ARGUMENT,
            "the preconditioner %s changes from one application to the next, and %s needs a fixed "
            "one; use fgmres",
            info.spec, name);
    }
    return GSOLVE_OK;
}

/* Fails if the method does not work over several ranks. */
static gsolve_status check_ranks(const gs_krylov *k)
{
    if (!k->comm || !k->method->one_rank) return GSOLVE_OK;
    return gsolve_fail(k->ctx, GSOLVE_UNSUPPORTED,
                       "%s does not work with a matrix that is distributed over %d ranks; %s",
                       k->method->plugin.name, k->comm->ranks, k->method->one_rank);
}

/* Fails because A is not square, or its rows and columns are not distributed alike. */
static gsolve_status refuse_shape(const gs_krylov *k)
{
    const char *name = k->method->plugin.name;

    if (k->total_rows == k->total_cols) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "this rank has %d rows of the matrix and %d elements of x; over several "
                           "ranks %s needs rows and columns that are distributed alike",
                           k->csr.nrows, k->csr.ncols, name);
    }
    return gsolve_fail(
        k->ctx, GSOLVE_BAD_ARGUMENT,
        "%s needs a square matrix and this one is %lld x %lld; lsmr, lsqr%s solve in "
        "the least-squares sense",
        name, (long long)k->total_rows, (long long)k->total_cols, k->comm ? "" : " and direct");
}

gsolve_status gs_solver_check(const gs_krylov *k)
{
    gsolve_status status;

    if (!k->square && !k->method->any_shape) return refuse_shape(k);
    TRY(check_ranks(k));
    TRY(gs_projection_check(k));
    if (k->M && !k->method->ignores_precond) TRY(check_precond(k));
done:
    return status;
}

/* The kind "none" has A's number of rows, and lsqr and lsmr would apply it to columns. */
static void leave_out_none(gs_krylov *k)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    if (!k->M || !k->method->normal) return;
    gsolve_precond_describe(k->M, &info);
    if (strcmp(info.kind, "none") == 0) k->M = NULL;
}

static gsolve_status set_up_method(gs_krylov *k, const char *spec)
{
    gsolve_status status;

    TRY(gs_solver_set_method(k, spec));
    leave_out_none(k);
    TRY(gs_solver_check(k));
done:
    return status;
}

gsolve_status gs_solver_set_up(gs_krylov *k, const char *spec)
{
    gsolve_status status;

    TRY(gs_comm_check(k->comm, set_up_method(k, spec)));
    TRY(gs_solver_reserve(k, 1));
    TRY(gs_resident_new(k));
done:
    return status;
}

void gs_solver_drop(gs_krylov *k)
{
    gs_resident_drop(k);
    gs_row_major_release(&k->run->row_major, k->ctx);
    gs_projection_drop(k);
    release_work(k);
    if (k->method && k->method->keeps_state) release_state(k);
    gsolve_free(k->ctx, GSOLVE_HOST, k->state);
    gsolve_free(k->ctx, GSOLVE_HOST, k->options);
    k->state = k->options = NULL;
}

/* --- gsolve_solver_memory ---------------------------------------------------------------------
 * The set-up of a method with work space that is counted and not allocated, so that the estimate is
 * exactly what the set-up asks for. */

static gsolve_status count(gs_krylov *k, const char *spec, int32_t columns)
{
    char named[256];
    gsolve_status status;

    TRY(gs_auto_method_name(k->ctx, spec, &k->csr, named, sizeof named));
    TRY(gs_solver_set_method(k, named));
    TRY(gs_solver_check(k));
    TRY(gs_solver_reserve(k, columns));
done:
    return status;
}

gsolve_status gsolve_solver_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   int32_t columns, size_t *bytes)
{
    gs_krylov *k = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!spec || !csr || !bytes || columns < 1) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_solver_memory: an argument is NULL, or columns is below 1");
    }
    TRY(gs_solver_new(&k, ctx, true));
    k->csr = *csr;
    k->total_rows = csr->nrows;
    k->total_cols = csr->ncols;
    k->square = csr->nrows == csr->ncols;
    status = count(k, spec, columns);
    if (status == GSOLVE_UNSUPPORTED && k->method) { /* else "auto" cannot read csr */
        gsolve_fail(ctx, status, "the work space of %s depends on more than the size of the matrix",
                    k->method->plugin.name);
    }
    if (status != GSOLVE_OK) goto done;
    *bytes = k->run->work.counted;
done:
    if (k) gs_solver_drop(k);
    gs_solver_free(&k);
    return status;
}
