/* solver.c: the solver handle: set-up, runs and results. */
#include <stdio.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/csr.h"
#include "matrix/operator.h"
#include "solver/choose/auto_method.h"
#include "solver/run/run.h"

/* --- set-up ----------------------------------------------------------------------------------- */

static void destroy_with_context(void *handle)
{
    gs_krylov *k = handle;
    gsolve_solver_destroy(&k);
}

/* All ranks create a solver for one system, with one spec. */
static gsolve_status agree_on_system(gs_krylov *k, const char *spec)
{
    const uint64_t set_up[] = {gs_hash(k->ctx, spec, strlen(spec), k->csr.type), k->M != NULL};
    double others = k->csr.nrows != k->csr.ncols; /* ranks that are not square */
    int64_t before;
    gsolve_status status;

    TRY(gs_comm_sum_on_host(k->comm, &others, 1));
    k->square = others == 0;
    TRY(gs_comm_place(k->comm, k->csr.nrows, &k->first_row, &k->total_rows));
    TRY(gs_comm_place(k->comm, k->csr.ncols, &before, &k->total_cols));
    TRY(gs_comm_same(k->comm, gs_hash(k->ctx, set_up, sizeof set_up, 0),
                     "the spec of the solver, the type of the matrix or the preconditioner"));
done:
    return status;
}

gsolve_status gs_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                               const gsolve_matrix *A, const gsolve_precond *M, gs_loading *file)
{
    gsolve_matrix_info matrix = GSOLVE_INIT(gsolve_matrix_info);
    gs_krylov *k = NULL;
    gsolve_status status;

    gs_range_push(ctx, "set-up of the method");
    TRY(gs_comm_check(gs_matrix_comm(A), gs_solver_new(&k, ctx, false)));
    gs_own(ctx, k, destroy_with_context);
    k->comm = gs_matrix_comm(A);
    k->A = A;
    k->M = M;
    k->file = file;
    TRY(gs_comm_check(k->comm, gs_matrix_prepare_residual(A)));
    gsolve_matrix_describe(A, &matrix);
    k->csr.nrows = matrix.nrows;
    k->csr.ncols = matrix.ncols;
    k->csr.type = matrix.type;
    k->vector = GS_KERNELS(gs_vector, ctx, k->csr.type);
    TRY(agree_on_system(k, spec));
    if (gs_spec_is(spec, "auto")) {
        TRY(gs_auto_method_set_up(k, spec));
    } else {
        TRY(gs_solver_set_up(k, spec));
    }
    k->file = NULL;
    *S = k;
    k = NULL;
done:
    gs_range_pop(ctx);
    gsolve_solver_destroy(&k);
    return status;
}

gsolve_status gsolve_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                                   const gsolve_matrix *A, const gsolve_precond *M)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!S || !spec || !A) {
        const gsolve_status status =
            gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_create: an argument is NULL");
        return A ? gs_comm_check(gs_matrix_comm(A), status) : status;
    }
    return gs_solver_create(S, ctx, spec, A, M, NULL);
}

void gsolve_solver_destroy(gsolve_solver **S)
{
    gs_krylov *k = S ? *S : NULL;
    if (!k) return;
    GS_ENTER(k->ctx);

    gs_solver_drop(k);
    gs_auto_method_drop(k);
    gsolve_free(k->ctx, GSOLVE_HOST, k->run->explanation);
    gs_solver_free(S);
}

void gsolve_solver_set_monitor(gsolve_solver *S, gsolve_monitor *monitor, void *user)
{
    S->run->monitor.call = monitor;
    S->run->monitor.user = user;
}

void gsolve_solver_set_stopping_test(gsolve_solver *S, gsolve_stopping_test *test, void *user)
{
    S->run->monitor.test = test;
    S->run->monitor.test_user = user;
}

const char *gsolve_solver_name(const gsolve_solver *S)
{
    return S->method->plugin.name;
}

const char *gsolve_solver_note(const gsolve_solver *S)
{
    return S->note;
}

gsolve_status gsolve_solver_profile(gsolve_solver *S, bool on)
{
    if (!S) return GSOLVE_BAD_ARGUMENT;
    gs_profile_switch(&S->run->profile, on);
    return GSOLVE_OK;
}

void gsolve_solver_get_profile(const gsolve_solver *S, gsolve_profile *profile)
{
    const gsolve_profile own = gs_profile_summary(&S->run->profile);

    GS_FILL_INFO(gsolve_profile, profile, &own);
}

bool gsolve_solver_profile_at(const gsolve_solver *S, int index, gsolve_profile_class *line)
{
    return gs_profile_class_at(&S->run->profile, index, line);
}

/* --- a run ------------------------------------------------------------------------------------ */

static gsolve_result result_of(const gs_krylov *k, const gs_column *column)
{
    const bool projects = gs_projects(k) && !k->inner;

    return (gsolve_result){
        .outcome = column->outcome,
        .iterations = column->iterations,
        .products = column->products,
        .relative_residual = column->residual,
        .seconds = k->run->result.seconds,
        .product_seconds = k->run->counts.product_seconds,
        .precond_seconds = k->run->counts.precond_seconds,
        .projected_relative_residual = projects ? column->projected : column->residual,
        .removed = projects && column->norm > 0 ? column->removed / column->norm : 0,
        .relative_normal_residual =
            column->outcome == GSOLVE_CONVERGED || k->inner ? -1 : column->normal,
    };
}

/* Drops the recorded steps if the number of columns, A, M or A's form has changed since. */
static void forget_stale_graph(gs_krylov *k)
{
    gs_recording *r = &k->run->recording;
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_precond_info M = GSOLVE_INIT(gsolve_precond_info);

    gsolve_matrix_describe(k->A, &A);
    if (k->M) gsolve_precond_describe(k->M, &M);
    if (r->ncols != k->ncols || r->A != A.version || r->M != M.version || r->form != A.changes) {
        gs_forget_graph(k);
    }
    r->form = A.changes;
    r->ncols = k->ncols;
    r->A = A.version;
    r->M = M.version;
}

/* Says so if "converged" rests on a residual in single precision. */
static void note_residual(gs_krylov *k)
{
    const size_t length = strlen(k->note);

    if (!gs_matrix_is_operator(k->A) || k->csr.type != GSOLVE_F32) return;
    snprintf(k->note + length, sizeof k->note - length,
             "%sThe operator computed the true residual in single precision.", length ? " " : "");
}

/* What a run needs before it communicates: *given_b and *given_x are the columns of b and x. */
static gsolve_status prepare_run(gs_krylov *k, gsolve_dense b, gsolve_dense x,
                                 const gsolve_result *result, gsolve_dense *given_b,
                                 gsolve_dense *given_x)
{
    gsolve_status status;

    if (!result)
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_run: result is NULL");
    TRY(GS_CHECK_INFO(k->ctx, gsolve_result, result));
    TRY(gs_check_vectors(k->ctx, k->csr.nrows, k->csr.ncols, b, x));
    TRY(gs_columns_from(&k->run->row_major, k->ctx, 0, b, given_b));
    TRY(gs_columns_from(&k->run->row_major, k->ctx, 1, x, given_x));
done:
    return status;
}

/* All ranks make the same run: as many columns, of the same types, with the same tolerances. */
static gsolve_status agree_on_run(gs_krylov *k, gsolve_dense b, gsolve_dense x,
                                  gsolve_status prepared)
{
    const gs_run_options *run = gs_run_options_of(k);
    const double set_up[] = {b.ncols,   (double)b.type, (double)x.type, run->rtol,
                             run->atol, run->dtol,      run->maxit,     run->stall};
    gsolve_status status;

    TRY(gs_comm_defer(k->comm, prepared));
    TRY(gs_comm_same(k->comm, gs_hash(k->ctx, set_up, sizeof set_up, 0),
                     "the number of columns, the types of b and x, or the tolerances of the run"));
done:
    return status;
}

gsolve_status gsolve_solver_run(gsolve_solver *k, gsolve_dense b, gsolve_dense x,
                                gsolve_result *result)
{
    const double begin = gs_now();
    gsolve_dense given_b, given_x;
    gsolve_status status;

    if (!k) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(k->ctx);
    gs_range_push(k->ctx, "solve");
    gs_profile_clear(&k->run->profile);
    k->ncols = 0;
    status = prepare_run(k, b, x, result, &given_b, &given_x);
    TRY(k->comm ? agree_on_run(k, b, x, status) : status);
    TRY(gs_solver_reserve(k, b.ncols));
    gsolve_free(k->ctx, GSOLVE_HOST, k->run->explanation);
    k->run->explanation = NULL;
    k->note[0] = 0;
    k->run->passes = 0;
    k->ncols = b.ncols;
    k->run->last = *gs_run_options_of(k);
    memset(&k->run->result, 0, sizeof k->run->result);
    if (b.ncols > 0) {
        TRY(gs_auto_method_update(k));
        forget_stale_graph(k);
        if (k->M) gsolve_precond_begin_solve(k->M, b.ncols);
        TRY(gs_krylov_run(k, given_b, given_x));
        TRY(gs_comm_check(k->comm, gs_columns_to(k->ctx, given_x, x)));
        k->run->result.seconds = gs_now() - begin;
        k->run->result = result_of(k, gs_worst_column(k));
        k->run->result.iterations = k->run->counts.iteration;
        k->run->result.products = k->run->counts.products;
    }
    note_residual(k);
    if (k->note[0]) gs_log(k->ctx, "%s: %s", gsolve_solver_name(k), k->note);
    gs_auto_method_note(k);
    GS_FILL_INFO(gsolve_result, result, &k->run->result);
done:
    gs_range_pop(k->ctx);
    if (status != GSOLVE_OK) k->ncols = 0;
    return status;
}

gsolve_status gsolve_solver_column(const gsolve_solver *S, int32_t column, gsolve_result *result)
{
    if (!S) return GSOLVE_BAD_ARGUMENT;
    if (column < 0 || column >= S->ncols || !result) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT,
                           "there is no column %d (counted from 0): the run had %d columns", column,
                           S->ncols);
    }
    const gsolve_result own = result_of(S, &S->run->column[column]);
    const gsolve_status status = GS_CHECK_INFO(S->ctx, gsolve_result, result);
    if (status == GSOLVE_OK) GS_FILL_INFO(gsolve_result, result, &own);
    return status;
}

gsolve_status gs_inner_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                           gsolve_result *result)
{
    gsolve_status status;

    inner->run->profile.on = k->run->profile.on;
    TRY(gsolve_solver_run(inner, b, x, result));
    gs_profile_merge(&k->run->profile, &inner->run->profile);
    k->run->counts.products += result->products;
    k->run->counts.product_seconds += result->product_seconds;
    k->run->counts.precond_seconds += result->precond_seconds;
done:
    return status;
}
