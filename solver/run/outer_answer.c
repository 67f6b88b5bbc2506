/* outer_answer.c: which x is the answer of a run, see outer.c: the x that are kept during the run,
 * and the true residuals that decide at the end. */
#include <math.h>

#include "core/try.h"
#include "solver/run/least_squares.h"
#include "solver/run/run.h"

#define MAX_RESTARTS 20
#define KEEP_EVERY   4
#define CHECK_EVERY  100

/* --- the kept x ------------------------------------------------------------------------------- */

/* to = 2^exponent v in v's type, in two steps, since 2^exponent itself may be out of range. */
static gsolve_status scale_column(gs_krylov *k, gsolve_dense v, int exponent, gsolve_dense to)
{
    const int half = exponent / 2;
    const gs_ratio first = {.sign = ldexp(1, half)}, rest = {.sign = ldexp(1, exponent - half)};
    const gs_ratio none = {.sign = 0};
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, k->ctx, v.type);
    gsolve_status status;

    TRY(vector->axpby(k->ctx->queue, v.nrows, first, v.value, none, to.value));
    TRY(vector->scale(k->ctx->queue, v.nrows, rest, to.value));
done:
    return status;
}

/* *x = column c of the caller's x that belongs to v, an x of the run. A correction is scaled in the
 * wider of the two types and added. */
static gsolve_status form_solution(gs_krylov *k, gsolve_dense v, int32_t c, gsolve_dense *x)
{
    const gs_outer *o = &k->run->outer;
    const gs_ratio one = {.sign = 1};
    const gsolve_type type = o->x.type, wide = v.type == GSOLVE_F64 ? GSOLVE_F64 : type;
    const int exponent = k->run->column[c].scale + k->run->size;
    gsolve_dense d = gs_outer_column(v, k, c), space;
    gsolve_status status = GSOLVE_OK;

    *x = d;
    if (!k->run->correcting) return GSOLVE_OK;
    *x = gs_outer_column(o->formed[type], k, c);
    space = gs_outer_column(o->formed[wide], k, c);
    if (v.type != wide) { /* single to double */
        TRY(gs_outer_copy_column(k, d, space));
        d = space;
    }
    TRY(scale_column(k, d, exponent, space));
    if (type != wide) TRY(gs_outer_copy_column(k, space, *x));
    TRY(GS_KERNELS(gs_vector, k->ctx, type)
            ->axpby(k->ctx->queue, x->nrows, one, gs_outer_column(o->at_x.used, k, c).value, one,
                    x->value));
done:
    return status;
}

/* The norms of column c for the x of the run in v. */
static gsolve_status norms_with(gs_krylov *k, gsolve_dense v, int32_t c, gs_norms *norms)
{
    const gsolve_dense b = k->run->correcting ? k->run->outer.at_b.used : k->b;
    gsolve_dense x;
    gsolve_status status;

    TRY(form_solution(k, v, c, &x));
    TRY(gs_projection_norms(k, c, gs_outer_column(b, k, c), x, norms));
done:
    return status;
}

/* Column c of the answer = the x of the run in v. */
static gsolve_status set_answer(gs_krylov *k, gsolve_dense v, int32_t c)
{
    const gsolve_dense answer = k->run->correcting ? k->run->outer.at_x.used : k->x;
    gsolve_dense x;
    gsolve_status status;

    TRY(form_solution(k, v, c, &x));
    if (x.value != gs_outer_column(answer, k, c).value) {
        TRY(gs_outer_copy_column(k, x, gs_outer_column(answer, k, c)));
    }
done:
    return status;
}

/* The vector that holds the kept x of column c. */
static gsolve_dense kept_of(const gs_krylov *k, int32_t c)
{
    return k->run->outer.kept[k->run->column[c].keeps];
}

/* Copies x of column c to the vector that holds its kept x, or to the other one. */
static gsolve_status copy_x(gs_krylov *k, int32_t c, bool other)
{
    const gsolve_dense to = k->run->outer.kept[k->run->column[c].keeps ^ other];

    return gs_outer_copy_column(k, gs_outer_column(k->x, k, c), gs_outer_column(to, k, c));
}

/* Whether to keep the x in v for column c, whose |r| has halved by its recurrence. In the first
 * CHECK_EVERY iterations |r| decides. Later the true residual does, at most once in CHECK_EVERY
 * iterations, which costs about a hundredth of the products. */
static gsolve_status is_better(gs_krylov *k, int32_t c, gsolve_dense v, bool *better)
{
    const bool due = k->run->counts.iteration >= k->run->column[c].checked + CHECK_EVERY;
    gs_column *column = &k->run->column[c];
    gs_norms kept, now;
    gsolve_status status = GSOLVE_OK;

    *better = isinf(column->kept_true);
    if (!due) return GSOLVE_OK;
    if (isinf(column->kept_true)) {
        TRY(norms_with(k, kept_of(k, c), c, &kept));
        column->kept_true = kept.r;
    }
    TRY(norms_with(k, v, c, &now));
    column->checked = k->run->counts.iteration;
    *better = now.r < column->kept_true;
    if (*better) column->kept_true = now.r;
    column->kept = k->run->fetched[c].r;
done:
    return status;
}

gsolve_status gs_outer_keep_first(gs_krylov *k)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols && !k->inner; c++) {
        gs_column *column = &k->run->column[c];
        const bool first = column->restarts == 0;
        if (!k->active[c]) continue;
        if (first && !k->run->correcting) column->begin = k->run->fetched[c].begin;
        column->kept = k->run->fetched[c].begin;
        column->kept_true = first ? INFINITY : column->verified;
        column->kept_at = column->checked = k->run->counts.iteration;
        column->pending = false;
        TRY(copy_x(k, c, false));
    }
done:
    return status;
}

/* Keeps x of column c, whose residual is r by the recurrence. copied: x was copied to the other
 * vector when the device was a chunk of steps ahead of the progress that the host had read; r,
 * which the host has read now, is the residual of the copy. */
static gsolve_status keep_solution(gs_krylov *k, int32_t c, double r, bool copied)
{
    gs_column *column = &k->run->column[c];
    bool better;
    gsolve_status status;

    TRY(is_better(k, c, copied ? k->run->outer.kept[!column->keeps] : k->x, &better));
    if (!better) return GSOLVE_OK;
    column->kept = r;
    column->kept_at = k->run->counts.iteration;
    if (!copied) TRY(copy_x(k, c, false));
    if (copied) column->keeps = !column->keeps;
done:
    return status;
}

gsolve_status gs_outer_keep(gs_krylov *k, int chunks)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols && !k->inner && !k->method->late_solution; c++) {
        gs_column *column = &k->run->column[c];
        const double r = k->run->fetched[c].r;
        if (!k->active[c]) continue;
        if (column->pending && r < 0.5 * column->kept) TRY(keep_solution(k, c, r, true));
        column->pending = false;
        if (!(r < 0.5 * column->kept) || k->run->counts.iteration < column->kept_at + KEEP_EVERY)
            continue;
        column->pending = chunks > 0;
        TRY(column->pending ? copy_x(k, c, true) : keep_solution(k, c, r, false));
    }
done:
    return status;
}

/* --- the decision ----------------------------------------------------------------------------- */

/* Whether column c, whose |b - Ax| is r now, should start again. */
static bool is_worth_restart(const gs_krylov *k, int32_t c, double r)
{
    const gs_column *column = &k->run->column[c];
    const bool drifted = column->outcome == GSOLVE_CONVERGED ||
                         (k->run->correcting && column->outcome == GSOLVE_STAGNATED);
    const bool broke = column->outcome == GSOLVE_BREAKDOWN;
    const double before = k->run->correcting ? column->begin : column->verified;
    const double factor = k->run->norm_factor ? 1 : drifted ? 0.5 : 0.9;

    if (!isfinite(r) || column->restarts >= MAX_RESTARTS || k->run->monitor.stopped ||
        k->run->counts.iteration >= column->most) {
        return false;
    }
    if (column->outcome == GSOLVE_LEAST_SQUARES) { /* by the recurrence */
        return column->normal < 0.5 * column->normal_before;
    }
    return (drifted || broke) && r < factor * fmin(before, column->verified);
}

/* With norm=preconditioned the test held for column c, but |b - Ax| = r is above its target. The
 * next round ends half as far as it would take to reach that target, if the ratio of the two norms
 * stays as it is. */
static void tighten(gs_krylov *k, int32_t c, double r)
{
    gs_column *column = &k->run->column[c];
    const double target = gs_column_target(k, c), now = k->run->fetched[c].r;

    if (!(target > 0)) return;
    column->tighten *= 0.5 * fmax(fmin(now / target, 1) * fmin(column->target / r, 1), 1e-4);
}

/* Column c starts again from the x in v, which has these norms. */
static gsolve_status restart(gs_krylov *k, int32_t c, gsolve_dense v, const gs_norms *norms)
{
    gs_column *column = &k->run->column[c];
    gsolve_status status;

    k->active[c] = true;
    if (k->run->norm_factor && column->outcome == GSOLVE_CONVERGED) tighten(k, c, norms->r);
    column->restarts++;
    column->verified = norms->r;
    column->normal_before = column->normal;
    TRY(set_answer(k, v, c));
    if (k->run->correcting) {
        column->begin = norms->r;
        column->residual = norms->relative;
        TRY(gs_outer_begin_correction(k, c, norms));
    }
done:
    return status;
}

/* The outcome of a column that did not converge, by the residual r of its last x. */
static gsolve_outcome outcome_of(const gs_krylov *k, int32_t c, double r)
{
    const gs_monitoring *m = &k->run->monitor;
    const gs_column *column = &k->run->column[c];
    const gsolve_outcome outcome = column->outcome;

    if (!(ldexp(r, -k->run->column[c].scale) <= k->run->fetched[c].ceiling)) return GSOLVE_DIVERGED;
    /* the caller's test accepts only columns that go on */
    if (outcome == GSOLVE_CONVERGED && m->stopped &&
        (m->outcome != GSOLVE_ACCEPTED || column->iterations > m->stopped_at)) {
        return m->outcome;
    }
    /* by its recurrence it converged, diverged or solved the least-squares problem; by the true
     * residual it did not */
    return outcome == GSOLVE_CONVERGED || outcome == GSOLVE_DIVERGED ||
                   outcome == GSOLVE_LEAST_SQUARES
               ? GSOLVE_STAGNATED
               : outcome;
}

/* The norms of the caller's own x: the first guess, or the last corrected x. */
static gsolve_status norms_of_guess(gs_krylov *k, int32_t c, gs_norms *norms)
{
    const gs_outer *o = &k->run->outer;

    if (k->run->correcting) {
        *norms = (gs_norms){.r = k->run->column[c].begin,
                            .b = k->run->column[c].norm,
                            .relative = k->run->column[c].residual};
        return GSOLVE_OK;
    }
    return gs_projection_norms(k, c, gs_outer_column(k->b, k, c), gs_outer_column(o->x, k, c),
                               norms);
}

/* Whether an x with these true norms solves column c. */
static bool meets_tolerance(const gs_krylov *k, int32_t c, const gs_norms *norms)
{
    return norms->r <= k->run->column[c].target || norms->relative <= gs_run_options_of(k)->rtol;
}

/* *v: the better of the last x of column c, which has the norms *last, and the kept x; *best: its
 * norms. Those of the kept x are not computed where |r| shows that it is worse
 * and does not meet the tolerance. */
static gsolve_status best_of_run(gs_krylov *k, int32_t c, const gs_norms *last, gsolve_dense *v,
                                 gs_norms *best)
{
    gs_norms kept;
    gsolve_status status = GSOLVE_OK;

    *v = k->x;
    *best = *last;
    if (meets_tolerance(k, c, last)) return GSOLVE_OK;
    TRY(gs_outer_refuse_overflow(k, k->x, c, best));
    if (!k->run->norm_factor &&
        0.999 * ldexp(best->r, -k->run->column[c].scale) <= k->run->column[c].kept &&
        ldexp(k->run->column[c].kept, k->run->column[c].scale) > 2 * k->run->column[c].target)
        return GSOLVE_OK;
    TRY(norms_with(k, kept_of(k, c), c, &kept));
    TRY(gs_outer_refuse_overflow(k, kept_of(k, c), c, &kept));
    if (best->r <= kept.r) return GSOLVE_OK;
    *v = kept_of(k, c);
    *best = kept;
done:
    return status;
}

/* Column c has failed: the answer is the better of the best x of the run, in v with the norms
 * *best, and the first guess. If neither residual is finite, it is the first guess, which is. */
static gsolve_status choose_answer(gs_krylov *k, int32_t c, gsolve_dense v, const gs_norms *best)
{
    const gs_outer *o = &k->run->outer;
    gs_norms guess;
    gsolve_status status;

    TRY(norms_of_guess(k, c, &guess));
    if (best->r <= guess.r && isfinite(best->r)) {
        k->run->column[c].residual = best->relative;
        TRY(set_answer(k, v, c));
        goto done;
    }
    k->run->column[c].residual = guess.relative;
    if (!k->run->correcting) {
        TRY(gs_copy_columns(k->ctx, gs_outer_column(o->x, k, c), gs_outer_column(k->x, k, c)));
        TRY(gs_projection_of_x(k, gs_outer_column(k->x, k, c)));
    }
done:
    return status;
}

/* *rounded: the last x of column c would meet the tolerance if it were not rounded to single
 * precision. */
static gsolve_status is_rounded(gs_krylov *k, int32_t c, bool *rounded)
{
    const gs_outer *o = &k->run->outer;
    const gs_ratio one = {.sign = 1},
                   factor = {.sign = ldexp(1, k->run->column[c].scale + k->run->size)};
    const gsolve_dense x = gs_outer_column(o->formed[GSOLVE_F64], k, c);
    gs_norms norms;
    gsolve_status status = GSOLVE_OK;

    *rounded = false;
    if (k->csr.type != GSOLVE_F64 || o->x.type != GSOLVE_F32) return GSOLVE_OK;
    TRY(gs_outer_copy_column(k, gs_outer_column(o->at_x.used, k, c), x)); /* x += 2^(e + f) d */
    TRY(k->vector->axpby(k->ctx->queue, x.nrows, factor, gs_outer_column(k->x, k, c).value, one,
                         x.value));
    TRY(gs_projection_norms(k, c, gs_outer_column(o->at_b.used, k, c), x, &norms));
    *rounded = meets_tolerance(k, c, &norms);
done:
    return status;
}

/* *is: the x in v, with the norms *norms, is a least-squares solution; then it is the answer. */
static gsolve_status accept_least_squares(gs_krylov *k, int32_t c, gsolve_dense v,
                                          const gs_norms *norms, bool *is)
{
    const gsolve_dense b = k->run->correcting ? k->run->outer.at_b.used : k->b;
    gs_column *column = &k->run->column[c];
    gsolve_dense x;
    gsolve_status status;

    *is = false;
    if (!gs_may_be_least_squares(k) || !isfinite(norms->r)) return GSOLVE_OK;
    TRY(form_solution(k, v, c, &x));
    TRY(gs_normal_residual(k, gs_outer_column(b, k, c), x, norms, &column->normal));
    *is = column->normal <= gs_least_squares_tolerance(k);
    if (!*is) return GSOLVE_OK;
    column->residual = norms->relative;
    column->outcome = gs_least_squares_outcome(k, column->normal);
    TRY(set_answer(k, v, c));
done:
    return status;
}

static gsolve_status verify_column(gs_krylov *k, int32_t c, bool *again)
{
    gs_column *column = &k->run->column[c];
    gs_norms last, best;
    gsolve_dense v;
    bool proves;
    bool accepted;
    gsolve_status status;

    TRY(gs_projection_of_x(k, gs_outer_column(k->x, k, c))); /* what rounding errors have left */
    TRY(norms_with(k, k->x, c, &last));
    column->last = last.relative;
    column->rounded = false;
    TRY(best_of_run(k, c, &last, &v, &best));
    if (meets_tolerance(k, c, &best)) {
        column->outcome = GSOLVE_CONVERGED;
        column->residual = best.relative;
        TRY(set_answer(k, v, c));
        goto done;
    }
    TRY(accept_least_squares(k, c, v, &best, &accepted));
    proves = accepted && gs_least_squares_go_on(k, c);
    if (accepted && !proves) goto done;
    if (proves || is_worth_restart(k, c, best.r)) {
        *again = true;
        TRY(restart(k, c, v, &best));
    } else {
        TRY(is_rounded(k, c, &column->rounded));
        column->rounding = best.rounding;
        column->doubled = best.doubled;
        TRY(choose_answer(k, c, v, &best));
        column->outcome = outcome_of(k, c, last.r);
    }
done:
    return status;
}

gsolve_status gs_outer_verify(gs_krylov *k, bool *again)
{
    gsolve_status status = GSOLVE_OK;

    *again = false;
    if (k->inner) return GSOLVE_OK;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->run->in_round[c]) TRY(verify_column(k, c, again));
    }
    if (!*again) TRY(gs_outer_rescue(k, again));
done:
    return status;
}

/* --- the result ------------------------------------------------------------------------------- */

/* 0: converged; 1: accepted by the caller's test; 2: failed. */
static int rank_of(const gs_column *column)
{
    return gsolve_outcome_is_success(column->outcome) ? 0
           : column->outcome == GSOLVE_ACCEPTED       ? 1
                                                      : 2;
}

const gs_column *gs_worst_column(const gs_krylov *k)
{
    const gs_column *worst = &k->run->column[0];

    for (int32_t c = 1; c < k->ncols; c++) {
        const gs_column *column = &k->run->column[c];
        const int rank = rank_of(column), most = rank_of(worst);
        if (rank != most ? rank > most : !(column->residual <= worst->residual)) worst = column;
    }
    return worst;
}
