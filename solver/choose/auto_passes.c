/* auto_passes.c: a run of an automatic solver with scale or order. A pass iterates on
 *
 *     B y = P R r,   B = P R A C P',   x = x + C P' y,   r = b - A x,
 *
 * beginning with the caller's x. The true residual of the caller's system, in double precision,
 * decides. Where it does not meet the tolerance although that of the transformed system does,
 * another pass solves for a correction, with a smaller tolerance. A column takes part while it is
 * open; its right-hand side is 0 afterwards.
 *
 * A choice that minimises |b - A x| runs on the caller's system: with scales the minimiser is
 * another one, and the tolerance of a pass says nothing about |A'r|. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "solver/choose/auto_transform.h"

#define MOST_PASSES 10
#define GAIN        0.5 /* a pass that leaves more than this share of a residual is its last */

/* --- monitors --------------------------------------------------------------------------------- */

/* The residuals of a pass, relative to its right-hand side, as shares of the true residual that it
 * began with. The last iterate of a pass is the first of the next, which is not reported again. */
static bool follow(int iteration, double residual, void *user)
{
    const gs_auto_transform *t = user;
    const int before = t->total.iterations;

    if (iteration == 0 && before > 0) return true;
    return t->S->monitor(before + iteration, residual * t->worst, t->S->monitor_user);
}

static gsolve_decision test(int iteration, int32_t column, double residual, double norm, void *user)
{
    const gs_auto_transform *t = user;
    const gs_norms *norms = &t->column[column].norms;
    const double share = norm > 0 ? residual / norm : 0;

    return t->S->test(t->total.iterations + iteration, column, share * norms->r, norms->b,
                      t->S->test_user);
}

/* The callbacks of a pass, or those of the caller. */
static void set_callbacks(gs_auto_transform *t, bool of_pass)
{
    const gsolve_auto *S = t->S;

    gsolve_solver_set_monitor(S->S, of_pass && S->monitor ? follow : S->monitor,
                              of_pass ? (void *)t : S->monitor_user);
    gsolve_solver_set_stopping_test(S->S, of_pass && S->test ? test : S->test,
                                    of_pass ? (void *)t : S->test_user);
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* The residual that column c needs. */
static double target(const gs_auto_transform *t, int32_t c)
{
    return fmax(t->asked.rtol * t->column[c].norms.b, t->asked.atol);
}

static bool is_done(const gs_auto_transform *t, int32_t c)
{
    const gs_norms *norms = &t->column[c].norms;

    return norms->r <= target(t, c) || (norms->b > 0 && norms->relative <= t->asked.rtol);
}

static bool any_open(const gs_auto_transform *t)
{
    for (int32_t c = 0; c < t->x.ncols; c++) {
        if (t->column[c].open) return true;
    }
    return false;
}

static gsolve_status norms_of(gs_auto_transform *t, int32_t c, gs_norms *norms)
{
    const gs_tolerance tolerance = {t->asked.rtol, t->asked.atol};

    return gs_matrix_norms(t->S->original, gs_column_of(t->b, c), gs_column_of(t->x, c), &tolerance,
                           norms);
}

/* rhs = P R r, y = 0; r is scaled to about 1, and 0 in columns that are not open. */
static gsolve_status set_rhs(gs_auto_transform *t)
{
    gsolve_context *ctx = t->S->ctx;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, t->r.type);
    const int32_t n = t->r.nrows;
    gsolve_status status = GSOLVE_OK;

    t->worst = 0;
    for (int32_t c = 0; c < t->x.ncols; c++) {
        gs_pass_column *column = &t->column[c];
        const gsolve_dense r = gs_column_of(t->r, c);
        TRY(vector->zero(ctx->queue, n, gs_column_of(t->y, c).value));
        if (!column->open) {
            TRY(vector->zero(ctx->queue, n, r.value));
            continue;
        }
        frexp(column->norms.r, &column->exponent);
        column->exponent =
            gs_outer_clamp(column->exponent, t->x.type == GSOLVE_F32 ? 120 : GS_MOST_EXPONENT);
        TRY(gs_matrix_residual_vector(t->S->original, gs_column_of(t->b, c), gs_column_of(t->x, c),
                                      -column->exponent, column->norms.doubled, r));
        t->worst = fmax(t->worst, column->norms.relative);
    }
    TRY(gs_transform_in(&t->t, false, gs_first_columns(t->r, t->x.ncols),
                        gs_first_columns(t->rhs, t->x.ncols)));
done:
    return status;
}

/* The options of a pass. The first one takes the share of the residual that is wanted; the later
 * ones a tenth of it, because the norm of the transformed system is another one. */
static gs_run_options pass_options(const gs_auto_transform *t)
{
    gs_run_options o = t->asked;
    double share = 0.5;

    for (int32_t c = 0; c < t->x.ncols; c++) {
        if (t->column[c].open) share = fmin(share, target(t, c) / t->column[c].norms.r);
    }
    o.rtol = fmax(t->passes == 0 ? share : 0.1 * share, t->r.type == GSOLVE_F32 ? 1e-6 : 1e-13);
    o.atol = 0;
    o.maxit = t->asked.maxit - t->total.iterations;
    return o;
}

static void add_result(gs_auto_transform *t, const gsolve_result *pass)
{
    for (int32_t c = 0; c < t->x.ncols; c++) {
        t->column[c].iterations += t->S->S->run->column[c].iterations;
        t->column[c].products += t->S->S->run->column[c].products;
    }
    t->total.iterations += pass->iterations;
    t->total.products += pass->products;
    t->total.seconds += pass->seconds;
    t->total.product_seconds += pass->product_seconds;
    t->total.precond_seconds += pass->precond_seconds;
}

/* x_c += 2^exponent C P' y_c, unless the residual does not become smaller. *gained: it has become
 * at most GAIN times as large. */
static gsolve_status correct(gs_auto_transform *t, int32_t c, bool *gained)
{
    gsolve_context *ctx = t->S->ctx;
    gs_pass_column *column = &t->column[c];
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, t->x.type);
    const gs_ratio scale = {.sign = ldexp(1, column->exponent)}, one = {.sign = 1};
    void *x = gs_column_of(t->x, c).value, *before = t->before.value, *change = t->change.value;
    const int32_t n = t->x.nrows;
    gs_norms norms;
    gsolve_status status;

    TRY(vector->copy(ctx->queue, n, t->x.type, x, before));
    TRY(vector->copy(ctx->queue, n, t->r.type, gs_column_of(t->r, c).value, change));
    TRY(vector->axpby(ctx->queue, n, scale, change, one, x));
    TRY(norms_of(t, c, &norms));
    *gained = norms.r <= GAIN * column->norms.r;
    if (norms.r < column->norms.r) {
        column->norms = norms;
    } else {
        TRY(vector->copy(ctx->queue, n, t->x.type, before, x));
    }
done:
    return status;
}

/* Sets the outcome of column c after a pass, and whether it takes part in another one. gained: as
 * correct found it. */
static void decide(gs_auto_transform *t, int32_t c, bool gained)
{
    const struct gs_run *run = t->S->S->run;
    gs_pass_column *column = &t->column[c];

    column->outcome = run->column[c].outcome;
    column->open = false;
    if (is_done(t, c)) {
        column->outcome = GSOLVE_CONVERGED;
    } else if (!run->monitor.stopped && t->total.iterations < t->asked.maxit && gained &&
               t->passes < MOST_PASSES) {
        column->open = true;
    } else if (column->outcome == GSOLVE_CONVERGED) { /* of the transformed system only */
        column->outcome = run->monitor.stopped                    ? run->monitor.outcome
                          : t->total.iterations >= t->asked.maxit ? GSOLVE_ITERATION_LIMIT
                                                                  : GSOLVE_STAGNATED;
    }
}

/* Solves the transformed system for a correction and adds it to x. */
static gsolve_status make_pass(gs_auto_transform *t)
{
    gsolve_solver *S = t->S->S;
    const gsolve_dense y = gs_first_columns(t->y, t->x.ncols);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    bool gained;
    gsolve_status status;

    TRY(set_rhs(t));
    *(gs_run_options *)S->options = pass_options(t);
    status = gsolve_solver_run(S, gs_first_columns(t->rhs, t->x.ncols), y, &result);
    *(gs_run_options *)S->options = t->asked;
    if (status != GSOLVE_OK) goto done;
    add_result(t, &result);
    t->passes++;
    TRY(gs_transform_out(&t->t, false, y, gs_first_columns(t->r, t->x.ncols)));
    for (int32_t c = 0; c < t->x.ncols; c++) {
        if (!t->column[c].open) continue;
        TRY(correct(t, c, &gained));
        decide(t, c, gained);
    }
done:
    return status;
}

/* Passes until no column is open. At least one, so that the solver has had a run. */
static gsolve_status make_passes(gs_auto_transform *t)
{
    gsolve_status status = GSOLVE_OK;

    do {
        TRY(make_pass(t));
    } while (any_open(t));
    if (t->passes > 1) gs_auto_add_event(t->S, "They made %d passes. ", t->passes);
done:
    return status;
}

/* --- a run ------------------------------------------------------------------------------------ */

void gs_auto_free_vectors(gs_auto_transform *t, gsolve_context *ctx)
{
    gsolve_dense *const v[] = {&t->r, &t->rhs, &t->y, &t->before, &t->change};

    for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
        gsolve_free(ctx, v[k]->location, v[k]->value);
        memset(v[k], 0, sizeof *v[k]);
    }
    gsolve_free(ctx, GSOLVE_HOST, t->column);
    t->column = NULL;
    t->width = 0;
}

/* Allocates the vectors for x, in the memory of an earlier run if that suits. */
static gsolve_status need_vectors(gs_auto_transform *t, gsolve_dense x)
{
    gsolve_context *ctx = t->S->ctx;
    const gsolve_location location = gs_location(ctx);
    const gsolve_type type = t->t.type;
    gsolve_status status = GSOLVE_OK;

    if (x.ncols <= t->width && t->before.type == x.type) return GSOLVE_OK;
    gs_auto_free_vectors(t, ctx);
    TRY(gs_dense_new(&t->r, ctx, location, type, x.nrows, x.ncols));
    TRY(gs_dense_new(&t->rhs, ctx, location, type, x.nrows, x.ncols));
    TRY(gs_dense_new(&t->y, ctx, location, type, x.nrows, x.ncols));
    TRY(gs_dense_new(&t->before, ctx, location, x.type, x.nrows, 1));
    TRY(gs_dense_new(&t->change, ctx, location, x.type, x.nrows, 1));
    ALLOC(ctx, GSOLVE_HOST, t->column, x.ncols);
    t->width = x.ncols;
done:
    return status;
}

/* The norms of the caller's system. A column with b = 0 has the solution 0. */
static gsolve_status begin_columns(gs_auto_transform *t)
{
    gsolve_context *ctx = t->S->ctx;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, t->x.type);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < t->x.ncols; c++) {
        gs_pass_column *column = &t->column[c];
        memset(column, 0, sizeof *column);
        column->outcome = GSOLVE_CONVERGED;
        TRY(norms_of(t, c, &column->norms));
        if (column->norms.b == 0 && column->norms.r > 0) {
            TRY(vector->zero(ctx->queue, t->x.nrows, gs_column_of(t->x, c).value));
            TRY(norms_of(t, c, &column->norms));
        }
        if (!isfinite(column->norms.b) || !isfinite(column->norms.r)) {
            return gsolve_fail(
                ctx, GSOLVE_BAD_ARGUMENT,
                "column %d (counted from 1) of b or of the initial guess x has a value "
                "that is not finite, or |b| or |b - Ax| overflows",
                c + 1);
        }
        column->first = column->norms.r;
        column->open = !is_done(t, c);
    }
done:
    return status;
}

/* Gives the solver the numbers of the caller's system, for gsolve_solver_column and
 * gsolve_solver_explain, and sets *result. */
static void publish(gs_auto_transform *t, gsolve_result *result)
{
    struct gs_run *run = t->S->S->run;

    for (int32_t c = 0; c < t->x.ncols; c++) {
        const gs_pass_column *from = &t->column[c];
        gs_column *to = &run->column[c];
        to->outcome = from->outcome;
        to->normal = -1;
        to->residual = to->projected = to->last = from->norms.relative;
        to->norm = from->norms.b;
        to->first = from->first;
        to->iterations = from->iterations;
        to->products = from->products;
    }
    t->total.outcome = gs_worst_column(t->S->S)->outcome;
    t->total.relative_residual = gs_worst_column(t->S->S)->residual;
    t->total.projected_relative_residual = t->total.relative_residual;
    run->counts.iteration = t->total.iterations;
    run->last = t->asked;
    run->result = t->total;
    run->passes = t->passes;
    *result = t->total;
}

/* Runs S->S for b and x in columns, where kernels read them. */
static gsolve_status solve(gs_auto_transform *t, gsolve_result *result)
{
    gsolve_status status;

    TRY(need_vectors(t, t->x));
    t->asked = *gs_run_options_of(t->S->S);
    t->passes = 0;
    t->total = (gsolve_result){.size = result->size, .relative_normal_residual = -1};
    TRY(begin_columns(t));
    set_callbacks(t, true);
    status = make_passes(t);
    set_callbacks(t, false);
    if (status == GSOLVE_OK) publish(t, result);
done:
    return status;
}

/* Runs S->S for the caller's system itself, and says so in the note. */
static gsolve_status run_untransformed(gsolve_auto *S, gsolve_dense b, gsolve_dense x,
                                       gsolve_result *result)
{
    char *note = S->S->note;
    gsolve_status status;

    TRY(gsolve_solver_run(S->S, b, x, result));
    snprintf(note + strlen(note), sizeof S->S->note - strlen(note),
             "%s%s minimises |b - Ax|, so it ran without scale and order.", note[0] ? " " : "",
             gsolve_solver_name(S->S));
done:
    return status;
}

gsolve_status gs_auto_solve(gsolve_auto *S, gsolve_dense b, gsolve_dense x, gsolve_result *result)
{
    gs_auto_transform *t = S->transform;
    const gsolve_location location = gs_location(S->ctx);
    gs_stage at_b = {0}, at_x = {0};
    gsolve_dense columns;
    gsolve_status status;

    if (S->list[S->set].untransformed) return run_untransformed(S, b, x, result);
    if (!t || x.ncols == 0) return gsolve_solver_run(S->S, b, x, result);
    TRY(gs_columns_from(&S->S->run->row_major, S->ctx, 0, b, &columns));
    TRY(gs_stage_in(&at_b, S->ctx, location, columns, true));
    TRY(gs_stage_in(&at_x, S->ctx, location, x, true));
    t->S = S;
    t->b = at_b.used;
    t->x = at_x.used;
    TRY(solve(t, result));
    TRY(gs_stage_out(&at_x, S->ctx));
done:
    gs_stage_drop(&at_x, S->ctx);
    gs_stage_drop(&at_b, S->ctx);
    return status;
}
