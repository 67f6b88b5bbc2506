/* auto_run.c: a run of an automatic solver: it tries one choice after another until one converges,
 * and keeps that one for the next run. */
#include "solver/choose/auto_solver.h"

#include <stdio.h>
#include <string.h>

#include "core/info.h"
#include "core/interrupt.h"
#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "solver/choose/auto_method.h"

/* --- one attempt ------------------------------------------------------------------------------ */

/* Updates the preconditioner that is set up, if A has new values. */
static gsolve_status update_precond(gsolve_auto *S)
{
    const gs_auto_choice *c = &S->list[S->set];
    const gsolve_matrix *A = gs_auto_matrix_of(S, c);
    const uint64_t version = gs_auto_version(A);
    gsolve_precond_info M = GSOLVE_INIT(gsolve_precond_info);
    gsolve_status status = GSOLVE_OK;

    if (S->version == version) return GSOLVE_OK;
    if (!gs_spec_is(c->precond, "none")) {
        TRY(gsolve_precond_update_from(S->M, A));
        gsolve_precond_describe(S->M, &M);
        if (M.rebuilds != S->built) {
            S->rebuilds++;
            gs_auto_add_event(
                S, "%s took %d iterations, and %d after its set-up; its levels were built again. ",
                c->precond, S->last, S->first);
            S->first = 0;
        }
        S->built = M.rebuilds;
    }
    S->version = version;
done:
    return status;
}

/* Creates the preconditioner and the method of choice c, and notes the times in *a. */
static gsolve_status create(gsolve_auto *S, const gs_auto_choice *c, gsolve_attempt *a)
{
    double begin = gs_now();
    gsolve_status status;

    gs_auto_drop(S);
    S->version = gs_auto_version(gs_auto_matrix_of(S, c));
    S->built = 0;
    TRY(gs_auto_create_precond(S, c));
    a->M = S->M;
    a->precond_seconds = gs_now() - begin;
    begin = gs_now();
    TRY(gs_auto_create_method(S, c));
    a->method_seconds = gs_now() - begin;
done:
    return status;
}

/* set_up without the agreement of all ranks. Another rank may have been interrupted. */
static gsolve_status set_up_choice(gsolve_auto *S, int k, gsolve_attempt *a)
{
    gs_auto_choice *c = &S->list[k];
    gsolve_status status;

    gs_auto_begin_setup_file(S);
    TRY(gs_comm_check(gs_matrix_comm(S->A), gs_check_interrupt(S->ctx)));
    if (S->set == k) {
        TRY(update_precond(S));
    } else {
        TRY(gs_auto_transform_check(S, c));
        TRY(create(S, c, a));
        if (gs_auto_transform_misused(S, c)) {
            a->M = NULL;
            gs_auto_begin_setup_file(S);
            TRY(create(S, c, a));
        }
    }
done:
    return status;
}

/* Sets choice k up, unless it is, and notes the times in *a. */
static gsolve_status set_up(gsolve_auto *S, int k, gsolve_attempt *a)
{
    const double begin = gs_now();
    gsolve_status status;

    TRY(gs_comm_check(gs_matrix_comm(S->A), set_up_choice(S, k, a)));
    S->set = k;
    if (a->kept) a->precond_seconds = gs_now() - begin;
    a->M = S->M;
    a->S = S->S;
done:
    return status;
}

static bool notify(const gsolve_auto *S, gsolve_attempt *a, gsolve_attempt_stage stage)
{
    a->stage = stage;
    return !S->attempt_monitor || S->attempt_monitor(a, S->attempt_user);
}

/* Whether the caller ended the run. */
static bool is_stopped(const gsolve_result *result)
{
    return result->outcome == GSOLVE_STOPPED || result->outcome == GSOLVE_TIME_LIMIT;
}

/* Whether no other choice is needed. */
static bool is_solved(const gsolve_result *result)
{
    return gsolve_outcome_is_success(result->outcome) || result->outcome == GSOLVE_ACCEPTED;
}

/* Notes how the attempt ended. */
static void record(gsolve_auto *S, const gsolve_attempt *a)
{
    const char *outcome =
        a->result ? gsolve_outcome_text(a->result->outcome) : gsolve_error(S->ctx);

    gs_log(S->ctx, "%s + %s: %s", a->method, a->precond, outcome);
    if (a->result && is_solved(a->result)) {
        S->list[a->choice].failed = false;
        S->last = a->result->iterations;
        if (S->first == 0) S->first = S->compared = S->last;
    } else {
        S->list[a->choice].failed =
            a->result ? !is_stopped(a->result) : a->status != GSOLVE_INTERRUPTED;
        S->list[a->choice].facts.failed = a->status;
        snprintf(S->list[a->choice].facts.error, sizeof S->list->facts.error, "%s",
                 a->result ? "" : outcome);
        gs_auto_add_event(S, "%s + %s failed: %s. ", a->method, a->precond, outcome);
    }
    S->setup_seconds += a->precond_seconds + a->method_seconds;
    S->solve_seconds += a->run_seconds;
}

/* *ends: on any rank. Returns `status`, or that of the message. */
static gsolve_status agree_on_end(const gsolve_auto *S, bool *ends, gsolve_status status)
{
    double number = *ends;
    const gsolve_status sent = gs_comm_largest(gs_matrix_comm(S->A), &number, 1);

    *ends = number > 0 || sent != GSOLVE_OK;
    return status == GSOLVE_OK ? sent : status;
}

/* Sets up and runs choice k. *result: of the run, if *status returns GSOLVE_OK. Returns whether S's
 * run ends with it. */
static bool try_choice(gsolve_auto *S, int k, gsolve_dense b, gsolve_dense x, gsolve_result *result,
                       gsolve_status *status)
{
    gs_auto_choice *c = &S->list[k];
    gsolve_attempt a = {.size = sizeof a, .choice = k, .kept = k == S->set, .setup_note = ""};
    bool rounded = false, ends;
    double begin;

    a.method = c->method;
    a.precond = c->precond;
    a.why = c->why;
    c->tried = true;
    S->attempts++;
    S->running = k;
    notify(S, &a, GSOLVE_ATTEMPT_BEGINS);
    gs_log(S->ctx, "%s + %s: %s", c->method, c->precond, c->why);
    a.status = set_up(S, k, &a);
    a.setup_read = S->setup_read;
    if (a.status == GSOLVE_OK) {
        notify(S, &a, GSOLVE_ATTEMPT_IS_SET_UP);
        gsolve_solver_set_monitor(S->S, S->monitor, S->monitor_user);
        gsolve_solver_set_stopping_test(S->S, S->test, S->test_user);
        begin = gs_now();
        a.status = gs_auto_solve(S, b, x, result);
        a.run_seconds = gs_now() - begin;
        if (a.status == GSOLVE_OK) a.result = result;
        gs_auto_write_setup_file(S, c, a.result && is_solved(result));
        rounded = a.result && gs_outer_rounded(S->S);
    }
    a.setup_written = S->setup_written;
    a.setup_note = S->setup_note;
    record(S, &a);
    ends = !notify(S, &a, GSOLVE_ATTEMPT_ENDED);
    a.status = agree_on_end(S, &ends, a.status);
    S->running = -1;
    if (!a.S) gs_auto_drop(S);
    *status = a.status;
    if (!a.result) return ends || !gs_may_fall_back(a.status);
    /* rounded: the type of x cannot hold the solution accurately enough, or A x cannot be computed
     * accurately enough; then another choice would not converge either */
    return ends || rounded || is_solved(result) || is_stopped(result);
}

/* --- all attempts ----------------------------------------------------------------------------- */

/* The next choice of this run: from the last one on, and then from the first one on; -1: none. */
static int next_choice(const gsolve_auto *S, int last)
{
    for (int k = 0; k < S->count; k++) {
        const int at = ((last < 0 ? 0 : last) + k) % S->count;
        if (!S->list[at].tried) return at;
    }
    return -1;
}

/* *to = a copy of x, in the memory of an earlier copy if that is large enough. */
static gsolve_status copy(gsolve_auto *S, gsolve_dense x, gsolve_dense *to)
{
    gsolve_status status;

    if (!to->value || to->location != x.location || to->type != x.type || to->nrows != x.nrows ||
        to->ncols < x.ncols) {
        gsolve_free(S->ctx, to->location, to->value);
        memset(to, 0, sizeof *to);
        TRY(gs_dense_new(to, S->ctx, x.location, x.type, x.nrows, x.ncols));
    }
    TRY(gs_copy_columns(S->ctx, x, *to));
done:
    return status;
}

static bool is_better(const gsolve_result *now, const gsolve_result *best)
{
    return is_solved(now) || now->relative_residual < best->relative_residual;
}

/* What the attempts of a run have found; S->leading says which choice has the best result. */
typedef struct findings {
    gsolve_result result; /* the best result, if S->leading >= 0 */
    bool in_x;            /* it is that of the last attempt, so that x is its x */
    gsolve_status failed; /* of the last attempt that failed */
} findings;

/* After an attempt that did not solve the system: *next = the choice that follows, or -1. keep: the
 * x of this attempt is the best one. */
static gsolve_status find_next(gsolve_auto *S, gsolve_dense x, bool keep, int *next)
{
    gsolve_status status;

    TRY(gs_auto_need_list(S));
    *next = next_choice(S, S->current);
    if (*next >= 0 && keep) TRY(copy(S, x, &S->best));
done:
    return status;
}

/* Tries choices until one ends the run. The best x is copied only where another attempt follows. */
static gsolve_status try_choices(gsolve_auto *S, gsolve_dense b, gsolve_dense x, findings *f)
{
    gsolve_status status = GSOLVE_OK, tried;

    for (int k = next_choice(S, S->current); k >= 0;) {
        if (S->attempts > 0) TRY(gs_copy_columns(S->ctx, gs_first_columns(S->guess, x.ncols), x));
        gsolve_result now = GSOLVE_INIT(gsolve_result);
        const bool ends = try_choice(S, k, b, x, &now, &tried);
        f->in_x = tried == GSOLVE_OK && (S->leading < 0 || is_better(&now, &f->result));
        if (f->in_x) {
            f->result = now;
            S->leading = k;
        }
        if (tried != GSOLVE_OK) f->failed = tried;
        if (ends) break;
        S->current = k;
        TRY(gs_comm_check(gs_matrix_comm(S->A), find_next(S, x, f->in_x, &k)));
    }
done:
    return status;
}

static void begin_run(gsolve_auto *S)
{
    S->attempts = 0;
    S->begun = S->current;
    S->leading = -1;
    S->setup_seconds = S->solve_seconds = 0;
    S->events[0] = 0;
    for (int k = 0; k < S->count; k++) {
        S->list[k].tried = false;
        memset(&S->list[k].facts, 0, sizeof S->list[k].facts);
    }
}

static void end_run(gsolve_auto *S)
{
    S->current = S->leading >= 0 ? S->leading : S->begun;
    S->total_setup_seconds += S->setup_seconds;
    S->total_solve_seconds += S->solve_seconds;
}

/* What a run needs before the first attempt: the choices, and a copy of the initial guess. */
static gsolve_status prepare_choices(gsolve_auto *S, gsolve_dense x)
{
    gsolve_status status;

    TRY(gs_auto_need_first_list(S));
    TRY(gs_auto_reconsider(S));
    TRY(copy(S, x, &S->guess));
done:
    return status;
}

/* A run with x column-major. *f: with the result. x is the solution, or the initial guess if no
 * choice has a result. */
static gsolve_status run_columns(gsolve_auto *S, gsolve_dense b, gsolve_dense x, findings *f)
{
    gsolve_dense best;
    gsolve_status status;

    TRY(gs_comm_check(gs_matrix_comm(S->A), prepare_choices(S, x)));
    status = try_choices(S, b, x, f);
    end_run(S);
    if (status != GSOLVE_OK) goto done;
    best = S->leading >= 0 ? S->best : S->guess;
    if (!f->in_x) TRY(gs_copy_columns(S->ctx, gs_first_columns(best, x.ncols), x));
    if (S->leading < 0) return f->failed;
done:
    return status;
}

/* Checks the arguments of a run. *columns = x, column-major. */
static gsolve_status check_run(gsolve_auto *S, gsolve_dense b, gsolve_dense x,
                               const gsolve_result *result, gsolve_dense *columns)
{
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status;

    if (!result) return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_auto_run: result is NULL");
    TRY(GS_CHECK_INFO(S->ctx, gsolve_result, result));
    gsolve_matrix_describe(S->A, &A);
    TRY(gs_check_vectors(S->ctx, A.nrows, A.ncols, b, x));
    TRY(gs_auto_transform_begin(S));
    TRY(gs_columns_from(&S->columns, S->ctx, 1, x, columns));
done:
    return status;
}

gsolve_status gsolve_auto_run(gsolve_auto *S, gsolve_dense b, gsolve_dense x, gsolve_result *result)
{
    const double begin = gs_now();
    findings f = {.result = GSOLVE_INIT(gsolve_result), .failed = GSOLVE_OK};
    char before[sizeof S->ctx->error];
    gsolve_dense columns;
    gsolve_status status;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    memcpy(before, S->ctx->error, sizeof before);
    begin_run(S);
    TRY(gs_comm_check(gs_matrix_comm(S->A), check_run(S, b, x, result, &columns)));
    TRY(run_columns(S, b, columns, &f));
    TRY(gs_comm_check(gs_matrix_comm(S->A), gs_columns_to(S->ctx, columns, x)));
    if (f.failed == GSOLVE_INTERRUPTED) f.result.outcome = gs_stop_outcome(S->ctx);
    memcpy(S->ctx->error, before, sizeof before); /* the call succeeds, whatever an attempt did */
    S->runs++;
    f.result.seconds = gs_now() - begin;
    GS_FILL_INFO(gsolve_result, result, &f.result);
done:
    return status;
}
