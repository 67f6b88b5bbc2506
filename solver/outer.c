/* outer.c: the caller's system around the run's.
 *
 * A run works on vectors in A's type whose squares stay in range. Where the caller's b and x are
 * such vectors, the run solves A x = b itself. Elsewhere it solves for a correction, once or more:
 *
 *     2^f A d = 2^-e (b - A x),   x += 2^(e + f) d,
 *
 * with e from the size of the residual, and f from the size of A where a method failed because
 * |A d| is out of range. The residual is computed in double from the caller's A, b and x, and
 * decides: converged means that the x that is returned has |b - Ax| <= max(rtol |b|, atol).
 *
 * A column that does not converge gets the best of the first guess, the x that was kept, and the
 * last x, by this residual. The run keeps x where the host sees that |r| has halved, at most once
 * in KEEP_EVERY iterations, which costs 16 n bytes, and a product or two where that happens late.
 */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/krylov.h"

#define MAX_RESTARTS  20
#define KEEP_EVERY    4
#define CHECK_EVERY   100
#define MOST_EXPONENT 1020 /* 2^1020 and its reciprocal are numbers */
/* A correction reduces a residual of size 1 to this, where more is asked for: beyond, the rounding
 * of the type is all that a recurrence sees. The next correction goes on. */
#define SINGLE_ROUND 0x1p-18
#define DOUBLE_ROUND 0x1p-40

static gsolve_dense column_of(gsolve_dense v, const gs_krylov *k, int32_t c)
{
    return gs_column_of(v, k->order[c]);
}

static int clamp(int exponent, int most)
{
    return exponent > most ? most : exponent < -most ? -most : exponent;
}

double gs_outer_target(const gs_krylov *k, int32_t c)
{
    const gs_column *column = &k->column[c];
    const double target = fmax(gs_run(k)->rtol * ldexp(column->norm, -column->scale),
                               ldexp(gs_run(k)->atol, -column->scale));
    const double least = k->csr.type == GSOLVE_F32 ? SINGLE_ROUND : DOUBLE_ROUND;

    return k->outer.correcting && target > 0 ? fmax(target, least) : target;
}

double gs_outer_norm(const gs_krylov *k, int32_t c)
{
    const double norm = ldexp(k->column[c].norm, -k->column[c].scale);

    return norm > 0 ? fmin(norm, 1e300) : 1;
}

bool gs_outer_rounded(const gs_krylov *k)
{
    bool all = k->ncols > 0, any = false;

    for (int32_t c = 0; c < k->ncols; c++) {
        const gs_column *column = &k->column[c];
        any = any || column->rounded;
        all = all && (column->rounded || column->outcome == GSOLVE_CONVERGED);
    }
    return all && any;
}

/* --- vectors ---------------------------------------------------------------------------------- */

gsolve_status gs_outer_new(gs_krylov *k)
{
    gs_outer *o = &k->outer;
    gsolve_status status;

    k->own_b.value = NULL;
    for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) o->formed[type].value = NULL;
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, o->norms));
    TRY(gs_new_outer_vector(k, k->csr.ncols, &k->own_x));
    for (int i = 0; i < 1 + (k->ctx->device->post != NULL); i++) { /* hold b's rows, too */
        TRY(gs_new_outer_vector(k, k->csr.ncols > k->csr.nrows ? k->csr.ncols : k->csr.nrows,
                                &o->kept[i]));
        o->kept[i].nrows = k->csr.ncols;
    }
    if (gs_place(k->ctx) == GSOLVE_DEVICE) TRY(gs_new_outer_vector(k, k->csr.nrows, &k->own_b));
done:
    return status;
}

/* to = from, of one type, column by column, wherever they lie. */
static gsolve_status copy_columns(gs_krylov *k, gsolve_dense from, gsolve_dense to)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < from.ncols && status == GSOLVE_OK; c++) {
        status =
            gsolve_copy(k->ctx, gs_column_of(to, c).value, to.place, gs_column_of(from, c).value,
                        from.place, (size_t)to.nrows * gs_type_size(to.type));
    }
    return status;
}

/* to = from where kernels see both, of one type. */
static gsolve_status copy_column(gs_krylov *k, gsolve_dense from, gsolve_dense to)
{
    return GS_KERNELS(gs_vector, k->ctx, to.type)
        ->copy(k->ctx->queue, to.nrows, from.type, from.value, to.value);
}

static gsolve_dense with_columns(gsolve_dense v, int32_t ncols)
{
    v.ncols = ncols;
    return v;
}

/* From here on the run corrects the caller's x. Nothing has changed where that fails. */
static gsolve_status begin_corrections(gs_krylov *k)
{
    const gsolve_place place = gs_place(k->ctx);
    gs_outer *o = &k->outer;
    gsolve_status status = GSOLVE_OK;

    if (!k->own_b.value) TRY(gs_new_outer_vector(k, k->csr.nrows, &k->own_b));
    for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
        const bool used = type == (int)o->x.type || type == (int)k->csr.type;
        if (!used || o->formed[type].value) continue;
        TRY(gs_new_outer_vector_of(k, (gsolve_type)type, k->csr.ncols, &o->formed[type]));
    }
    TRY(gs_stage_in(&o->at_b, k->ctx, place, o->b, true));
    TRY(gs_stage_in(&o->at_x, k->ctx, place, o->x, true));
    o->correcting = true;
    k->b = with_columns(k->own_b, k->ncols);
    k->x = with_columns(k->own_x, k->ncols);
done:
    return status;
}

/* --- the begin of a run ----------------------------------------------------------------------- */

/* Whether a norm leaves room for the numbers that a method computes from it in this type. */
static bool is_ordinary(double square, gsolve_type type)
{
    return type == GSOLVE_F32 ? square > 1e-24 && square < 1e24 : square > 1e-200 && square < 1e200;
}

/* v'v of a column. */
static gsolve_status square_of(gs_krylov *k, gsolve_dense v, double *square)
{
    gsolve_status status;

    TRY(k->vector->dot(k->ctx->queue, v.nrows, v.value, v.value, k->rr));
    TRY(gsolve_copy(k->ctx, square, GSOLVE_HOST, k->rr, GSOLVE_DEVICE, sizeof *square));
done:
    return status;
}

/* Whether column c of v, whose square is 0, is 0: the squares of 2^540 v do not vanish. */
static gsolve_status is_zero(gs_krylov *k, gsolve_dense v, int32_t c, bool *zero)
{
    const gs_ratio large = {.sign = 0x1p540}, none = {.sign = 0};
    gsolve_dense space = gs_column_of(k->outer.kept[0], 0);
    double square = 0;
    gsolve_status status = GSOLVE_OK;

    *zero = true;
    if (v.type == GSOLVE_F32) return GSOLVE_OK; /* whose squares do not vanish in double */
    space.nrows = v.nrows;
    TRY(k->vector->axpby(k->ctx->queue, v.nrows, large, gs_column_of(v, c).value, none,
                         space.value));
    TRY(square_of(k, space, &square));
    *zero = square == 0;
done:
    return status;
}

/* k->relative[c] = v_c'v_c; *ordinary: whether the squares of all columns are in range, or 0. */
static gsolve_status squares(gs_krylov *k, gsolve_dense v, bool *ordinary)
{
    bool zero;
    gsolve_status status;

    TRY(gs_dot(k, v, v, k->rr));
    TRY(gsolve_copy(k->ctx, k->relative, GSOLVE_HOST, k->rr, GSOLVE_DEVICE,
                    (size_t)k->ncols * sizeof(double)));
    for (int32_t c = 0; c < k->ncols && *ordinary; c++) {
        *ordinary = is_ordinary(k->relative[c], v.type);
        if (k->relative[c] != 0) continue;
        TRY(is_zero(k, v, c, &zero));
        *ordinary = zero;
    }
done:
    return status;
}

/* The run's vectors are the caller's, if they can be; *can. Sets the columns' norms. */
static gsolve_status begin_plain(gs_krylov *k, bool *can)
{
    gs_outer *o = &k->outer;
    gsolve_status status = GSOLVE_OK;

    *can = o->b.type == k->csr.type && o->x.type == k->csr.type;
    if (!*can) return GSOLVE_OK;
    k->x = with_columns(k->own_x, k->ncols);
    TRY(copy_columns(k, o->x, k->x));
    k->b = o->b;
    if (gs_place(k->ctx) == GSOLVE_DEVICE) {
        k->b = with_columns(k->own_b, k->ncols);
        TRY(copy_columns(k, o->b, k->b));
    }
    TRY(squares(k, k->x, can));
    TRY(squares(k, k->b, can));
    *can = *can || k->within;
    for (int32_t c = 0; c < k->ncols; c++) k->column[c].norm = sqrt(k->relative[c]);
done:
    return status;
}

/* The norms of all columns of the caller's system. Values that are not finite would end as
 * "diverged", and say so too late. */
static gsolve_status caller_norms(gs_krylov *k)
{
    gs_outer *o = &k->outer;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols; c++) {
        gs_norms *norms = &o->norms[c];
        TRY(gs_matrix_norms(k->A, gs_column_of(o->at_b.used, c), gs_column_of(o->at_x.used, c),
                            norms));
        if (!isfinite(norms->b)) {
            return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                               "column %d of b holds a value that is not finite, or its norm "
                               "overflows",
                               c);
        }
        if (norms->b > 0 && !isfinite(norms->r)) {
            return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                               "column %d of x, the first guess, holds a value that is not finite, "
                               "or |b - Ax| overflows",
                               c);
        }
        k->column[c].norm = norms->b;
    }
done:
    return status;
}

/* A column with b = 0 has the solution 0. */
static gsolve_status solve_zero(gs_krylov *k, int32_t c)
{
    const gsolve_dense x = k->outer.correcting ? k->outer.at_x.used : k->x;

    k->column[c].outcome = GSOLVE_CONVERGED;
    k->active[c] = false;
    return GS_KERNELS(gs_vector, k->ctx, x.type)
        ->zero(k->ctx->queue, x.nrows, gs_column_of(x, c).value);
}

/* Sets up the next correction of column c, whose |b - Ax| is r. */
static gsolve_status begin_correction(gs_krylov *k, int32_t c, double r)
{
    const gs_outer *o = &k->outer;
    const gsolve_dense x = column_of(k->x, k, c);
    gs_column *column = &k->column[c];
    gsolve_status status;

    frexp(r, &column->scale);
    column->scale = clamp(column->scale, MOST_EXPONENT);
    TRY(gs_matrix_residual_vector(k->A, column_of(o->at_b.used, k, c),
                                  column_of(o->at_x.used, k, c), -column->scale,
                                  column_of(k->b, k, c)));
    TRY(k->vector->zero(k->ctx->queue, x.nrows, x.value));
done:
    return status;
}

/* The columns that the first guess solves, or else their first corrections. */
static gsolve_status first_corrections(gs_krylov *k)
{
    const gs_norms *norms = k->outer.norms;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        if (!k->active[c]) continue;
        column->first = column->begin = norms[c].r;
        column->residual = norms[c].relative;
        if (norms[c].r <= column->target || norms[c].relative <= gs_run(k)->rtol) {
            column->outcome = GSOLVE_CONVERGED;
            k->active[c] = false;
        } else {
            TRY(begin_correction(k, c, norms[c].r));
        }
    }
done:
    return status;
}

gsolve_status gs_outer_begin(gs_krylov *k, gsolve_dense b, gsolve_dense x)
{
    const gs_run_options *run = gs_run(k);
    gs_outer *o = &k->outer;
    bool plain;
    gsolve_status status;

    o->b = b;
    o->x = x;
    o->at_b = o->at_x = (gs_stage){0};
    o->correcting = o->examined = false;
    if (o->size != 0) gs_forget_graph(k); /* it multiplies by the scaled A */
    o->size = 0;
    memset(k->column, 0, (size_t)k->ncols * sizeof *k->column);
    for (int32_t c = 0; c < k->ncols; c++) k->active[c] = true;
    TRY(gs_set_active(k));
    TRY(begin_plain(k, &plain));
    if (!plain) {
        TRY(begin_corrections(k));
        TRY(caller_norms(k));
    }
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        column->target = fmax(run->rtol * column->norm, run->atol);
        column->begin = INFINITY;
        column->first = -1; /* not known */
        if (column->norm == 0) TRY(solve_zero(k, c));
    }
    if (!plain) TRY(first_corrections(k));
done:
    return status;
}

/* --- x on the way ----------------------------------------------------------------------------- */

/* to = 2^exponent v in v's type; both steps of it are numbers. */
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

/* *x = column c of the caller's x as v, an x of the run, makes it. A correction is scaled in the
 * wider of the two types. */
static gsolve_status form(gs_krylov *k, gsolve_dense v, int32_t c, gsolve_dense *x)
{
    const gs_outer *o = &k->outer;
    const gs_ratio one = {.sign = 1};
    const gsolve_type type = o->x.type, wide = v.type == GSOLVE_F64 ? GSOLVE_F64 : type;
    const int exponent = k->column[c].scale + o->size;
    gsolve_dense d = column_of(v, k, c), space;
    gsolve_status status = GSOLVE_OK;

    *x = d;
    if (!o->correcting) return GSOLVE_OK;
    *x = column_of(o->formed[type], k, c);
    space = column_of(o->formed[wide], k, c);
    if (v.type != wide) { /* single to double */
        TRY(copy_column(k, d, space));
        d = space;
    }
    TRY(scale_column(k, d, exponent, space));
    if (type != wide) TRY(copy_column(k, space, *x));
    TRY(GS_KERNELS(gs_vector, k->ctx, type)
            ->axpby(k->ctx->queue, x->nrows, one, column_of(o->at_x.used, k, c).value, one,
                    x->value));
done:
    return status;
}

/* The norms of column c with x as v makes it. */
static gsolve_status norms_with(gs_krylov *k, gsolve_dense v, int32_t c, gs_norms *norms)
{
    const gsolve_dense b = k->outer.correcting ? k->outer.at_b.used : k->b;
    gsolve_dense x;
    gsolve_status status;

    TRY(form(k, v, c, &x));
    TRY(gs_matrix_norms(k->A, column_of(b, k, c), x, norms));
done:
    return status;
}

/* Column c of the answer becomes what v makes it. */
static gsolve_status take(gs_krylov *k, gsolve_dense v, int32_t c)
{
    const gsolve_dense answer = k->outer.correcting ? k->outer.at_x.used : k->x;
    gsolve_dense x;
    gsolve_status status;

    TRY(form(k, v, c, &x));
    if (x.value != column_of(answer, k, c).value) {
        TRY(copy_column(k, x, column_of(answer, k, c)));
    }
done:
    return status;
}

/* The vector that holds the kept x of column c. */
static gsolve_dense kept_of(const gs_krylov *k, int32_t c)
{
    return k->outer.kept[k->column[c].keeps];
}

/* Whether x in v, whose residual the recurrence has halved, is to be kept for column c. The
 * recurrence decides for the first CHECK_EVERY iterations, and the true residual later, as often
 * as costs no more than a hundredth of the products. */
static gsolve_status is_better(gs_krylov *k, int32_t c, gsolve_dense v, bool *better)
{
    const bool due = k->iteration >= k->column[c].checked + CHECK_EVERY;
    gs_column *column = &k->column[c];
    gs_norms kept, now;
    gsolve_status status = GSOLVE_OK;

    *better = isinf(column->kept_true);
    if (!due) return GSOLVE_OK;
    if (isinf(column->kept_true)) {
        TRY(norms_with(k, kept_of(k, c), c, &kept));
        column->kept_true = kept.r;
    }
    TRY(norms_with(k, v, c, &now));
    column->checked = k->iteration;
    *better = now.r < column->kept_true;
    if (*better) column->kept_true = now.r;
    column->kept = k->seen[c].r;
done:
    return status;
}

gsolve_status gs_outer_keep_first(gs_krylov *k)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols && !k->within; c++) {
        gs_column *column = &k->column[c];
        const bool first = column->restarts == 0;
        if (!k->active[c]) continue;
        if (first && !k->outer.correcting) column->begin = k->seen[c].begin;
        column->kept = k->seen[c].begin;
        column->kept_true = first ? INFINITY : column->verified;
        column->kept_at = column->checked = k->iteration;
        column->pending = false;
        TRY(copy_column(k, column_of(k->x, k, c), column_of(kept_of(k, c), k, c)));
    }
done:
    return status;
}

/* Keeps x of column c, whose residual is r by the recurrence. */
static gsolve_status keep(gs_krylov *k, int32_t c, double r)
{
    gs_column *column = &k->column[c];
    bool better;
    gsolve_status status;

    TRY(is_better(k, c, k->x, &better));
    if (!better) return GSOLVE_OK;
    column->kept = r;
    column->kept_at = k->iteration;
    TRY(copy_column(k, column_of(k->x, k, c), column_of(kept_of(k, c), k, c)));
done:
    return status;
}

/* x was copied when the device was a chunk of steps ahead of what the host had seen: what the host
 * sees now is the residual of the copy. */
static gsolve_status keep_copy(gs_krylov *k, int32_t c, double r)
{
    gs_column *column = &k->column[c];
    bool better;
    gsolve_status status = GSOLVE_OK;

    column->pending = false;
    if (!(r < 0.5 * column->kept)) return GSOLVE_OK;
    TRY(is_better(k, c, k->outer.kept[!column->keeps], &better));
    if (!better) return GSOLVE_OK;
    column->kept = r;
    column->kept_at = k->iteration;
    column->keeps = !column->keeps;
done:
    return status;
}

gsolve_status gs_outer_keep(gs_krylov *k, int chunks)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols && !k->within && !k->method->late; c++) {
        gs_column *column = &k->column[c];
        const double r = k->seen[c].r;
        if (!k->active[c]) continue;
        if (column->pending) TRY(keep_copy(k, c, r));
        if (!(r < 0.5 * column->kept) || k->iteration < column->kept_at + KEEP_EVERY) continue;
        if (chunks == 0) {
            TRY(keep(k, c, r));
        } else {
            TRY(copy_column(k, column_of(k->x, k, c),
                            column_of(k->outer.kept[!column->keeps], k, c)));
            column->pending = true;
        }
    }
done:
    return status;
}

/* --- the decision ----------------------------------------------------------------------------- */

/* Whether column c, whose |b - Ax| is r now, is worth another start. */
static bool is_worth_restart(const gs_krylov *k, int32_t c, double r)
{
    const gs_column *column = &k->column[c];
    const bool drifted = column->outcome == GSOLVE_CONVERGED ||
                         (k->outer.correcting && column->outcome == GSOLVE_STAGNATED);
    const bool broke = column->outcome == GSOLVE_BREAKDOWN;
    const double before = k->outer.correcting ? column->begin : column->verified;
    const double factor = drifted ? 0.5 : 0.9;

    return (drifted || broke) && isfinite(r) && column->restarts < MAX_RESTARTS && !k->stopped &&
           k->iteration < gs_run(k)->maxit && r < factor * fmin(before, column->verified);
}

/* Column c goes on from x in v, which has these norms. */
static gsolve_status restart(gs_krylov *k, int32_t c, gsolve_dense v, const gs_norms *norms)
{
    gs_column *column = &k->column[c];
    gsolve_status status;

    k->active[c] = true;
    column->restarts++;
    column->verified = norms->r;
    TRY(take(k, v, c));
    if (k->outer.correcting) {
        column->begin = norms->r;
        column->residual = norms->relative;
        TRY(begin_correction(k, c, norms->r));
    }
done:
    return status;
}

/* The outcome of a column that did not converge, by the residual r of its last x. */
static gsolve_outcome outcome_of(const gs_krylov *k, int32_t c, double r)
{
    const gsolve_outcome outcome = k->column[c].outcome;

    if (!(ldexp(r, -k->column[c].scale) <= k->seen[c].ceiling)) return GSOLVE_DIVERGED;
    /* its recurrence is not what it converged or diverged by */
    return outcome == GSOLVE_CONVERGED || outcome == GSOLVE_DIVERGED ? GSOLVE_STAGNATED : outcome;
}

/* |b - Ax| / |b| and |b - Ax| of the caller's own x so far. */
static gsolve_status norms_of_guess(gs_krylov *k, int32_t c, gs_norms *norms)
{
    const gs_outer *o = &k->outer;

    if (o->correcting) {
        *norms = (gs_norms){k->column[c].begin, k->column[c].norm, k->column[c].residual};
        return GSOLVE_OK;
    }
    return gs_matrix_norms(k->A, column_of(k->b, k, c), column_of(o->x, k, c), norms);
}

/* *v: the better of the last x of column c, which has the norms last, and the kept one, with its
 * norms in *best. The kept one is not looked at where |r| shows that it is the worse one. */
static gsolve_status best_of_run(gs_krylov *k, int32_t c, const gs_norms *last, gsolve_dense *v,
                                 gs_norms *best)
{
    gs_norms kept;
    gsolve_status status = GSOLVE_OK;

    *v = k->x;
    *best = *last;
    if (0.999 * ldexp(last->r, -k->column[c].scale) <= k->column[c].kept) return GSOLVE_OK;
    TRY(norms_with(k, kept_of(k, c), c, &kept));
    if (last->r <= kept.r) return GSOLVE_OK;
    *v = kept_of(k, c);
    *best = kept;
done:
    return status;
}

/* Column c has failed: the answer is the best of what the run has, x in v with the norms best, and
 * the first guess. */
static gsolve_status choose_answer(gs_krylov *k, int32_t c, gsolve_dense v, const gs_norms *best)
{
    const gs_outer *o = &k->outer;
    gs_norms guess;
    gsolve_status status;

    TRY(norms_of_guess(k, c, &guess));
    if (best->r <= guess.r) {
        k->column[c].residual = best->relative;
        TRY(take(k, v, c));
        goto done;
    }
    k->column[c].residual = guess.relative;
    if (!o->correcting) TRY(copy_columns(k, column_of(o->x, k, c), column_of(k->x, k, c)));
done:
    return status;
}

/* Whether the last x of column c misses the tolerance only because it is rounded to single
 * precision. */
static gsolve_status is_rounded(gs_krylov *k, int32_t c, bool *rounded)
{
    const gs_outer *o = &k->outer;
    const gs_ratio one = {.sign = 1}, factor = {.sign = ldexp(1, k->column[c].scale + o->size)};
    const gsolve_dense x = column_of(o->formed[GSOLVE_F64], k, c);
    gs_norms norms;
    gsolve_status status = GSOLVE_OK;

    *rounded = false;
    if (k->csr.type != GSOLVE_F64 || o->x.type != GSOLVE_F32) return GSOLVE_OK;
    TRY(copy_column(k, column_of(o->at_x.used, k, c), x)); /* x += 2^(e + f) d */
    TRY(k->vector->axpby(k->ctx->queue, x.nrows, factor, column_of(k->x, k, c).value, one,
                         x.value));
    TRY(gs_matrix_norms(k->A, column_of(o->at_b.used, k, c), x, &norms));
    *rounded = norms.r <= k->column[c].target || norms.relative <= gs_run(k)->rtol;
done:
    return status;
}

static gsolve_status verify_column(gs_krylov *k, int32_t c, bool *again)
{
    gs_column *column = &k->column[c];
    gs_norms last, best;
    gsolve_dense v;
    gsolve_status status;

    TRY(norms_with(k, k->x, c, &last));
    column->last = last.relative;
    column->rounded = false;
    if (last.r <= column->target || last.relative <= gs_run(k)->rtol) {
        column->outcome = GSOLVE_CONVERGED;
        column->residual = last.relative;
        TRY(take(k, k->x, c));
        goto done;
    }
    TRY(best_of_run(k, c, &last, &v, &best));
    if (is_worth_restart(k, c, best.r)) {
        *again = true;
        TRY(restart(k, c, v, &best));
    } else {
        TRY(is_rounded(k, c, &column->rounded));
        TRY(choose_answer(k, c, v, &best));
        column->outcome = outcome_of(k, c, last.r);
    }
done:
    return status;
}

/* --- systems whose A is out of range -----------------------------------------------------------
 */

/* *exponent: that of |A M^-1 b| / |b| for a column of the run's b with b'b = bb, by the first alpha
 * for which |alpha A M^-1 b| is in range; 0 where there is none, or no need to scale A. z and y:
 * space. */
static gsolve_status size_of(gs_krylov *k, gsolve_dense b, double bb, gsolve_dense z,
                             gsolve_dense y, int *exponent)
{
    static const int tries[] = {0, 450, 900, -450, -900};
    const int most = k->csr.type == GSOLVE_F32 ? 40 : 200; /* beyond which squares are not safe */
    double yy;
    gsolve_status status = GSOLVE_OK;

    *exponent = 0;
    if (k->M) TRY(gsolve_precond_apply(k->M, b, z));
    for (int i = 0; i < 5; i++) {
        TRY(gsolve_matrix_apply(k->A, ldexp(1, tries[i]), k->M ? z : b, 0, y));
        TRY(square_of(k, y, &yy));
        if (!(yy > 1e-200 * bb) || !(yy < 1e200)) continue;
        frexp(sqrt(yy / bb), exponent);
        *exponent -= tries[i];
        break;
    }
    if (*exponent > -most && *exponent < most) *exponent = 0;
done:
    return status;
}

/* Whether a method failed for what the size of A may have caused. Those that work on the host
 * (direct, refine) do not multiply by the scaled A. */
static bool may_be_out_of_range(const gs_krylov *k, int32_t c)
{
    const gsolve_outcome outcome = k->column[c].outcome;

    return k->round[c] && gs_period(k) > 0 && !k->stopped && k->iteration < gs_run(k)->maxit &&
           (outcome == GSOLVE_BREAKDOWN || outcome == GSOLVE_INDEFINITE ||
            outcome == GSOLVE_DIVERGED || outcome == GSOLVE_STAGNATED);
}

/* Columns that failed start once more from the answer so far, with 2^size A. */
static gsolve_status start_scaled(gs_krylov *k, int size)
{
    gs_outer *o = &k->outer;
    gsolve_status status = GSOLVE_OK;

    if (!o->correcting) {
        TRY(begin_corrections(k));
        TRY(copy_columns(k, k->x, with_columns(o->at_x.used, k->ncols)));
    }
    o->size = size;
    k->on_chip = false;
    gs_forget_graph(k);
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        gs_norms norms;
        if (!may_be_out_of_range(k, c)) continue;
        TRY(gs_matrix_norms(k->A, column_of(o->at_b.used, k, c), column_of(o->at_x.used, k, c),
                            &norms));
        k->active[c] = true;
        column->begin = column->verified = norms.r;
        column->residual = norms.relative;
        TRY(begin_correction(k, c, norms.r));
    }
done:
    return status;
}

/* Whether |b|^2 = bb leaves room for products with M^-1 and A, and one round can come from the
 * first guess to the tolerance. */
static bool is_comfortable(const gs_column *column, double bb)
{
    return bb > 1e-30 && bb < 1e30 && column->begin < 1e10 * column->norm;
}

/* Looks once in a run whether |A M^-1 b| is out of range, and then goes on with a multiple of A; or
 * whether it was not comfortable, and then with corrections. Without memory for that the run ends
 * as it is. */
static gsolve_status rescue(gs_krylov *k, bool *again)
{
    const int most = k->csr.type == GSOLVE_F32 ? 120 : MOST_EXPONENT;
    gs_outer *o = &k->outer;
    gsolve_dense b, z;
    int32_t first = 0;
    int exponent;
    double bb;
    gsolve_status status = GSOLVE_OK;

    while (first < k->ncols && !may_be_out_of_range(k, first)) first++;
    if (first == k->ncols || o->examined) return GSOLVE_OK;
    o->examined = true;
    b = column_of(k->b, k, first);
    if (!o->formed[k->csr.type].value) {
        TRY(gs_new_outer_vector(k, k->csr.ncols, &o->formed[k->csr.type]));
    }
    z = o->formed[k->csr.type];
    TRY(square_of(k, b, &bb));
    TRY(size_of(k, b, bb, column_of(z, k, first), column_of(o->kept[0], k, first), &exponent));
    if (exponent == 0 && (o->correcting || is_comfortable(&k->column[first], bb))) goto done;
    TRY(start_scaled(k, clamp(-exponent, most)));
    *again = true;
done:
    if (status == GSOLVE_NO_MEMORY) {
        k->ctx->error[0] = 0;
        status = GSOLVE_OK;
    }
    return status;
}

gsolve_status gs_outer_verify(gs_krylov *k, bool *again)
{
    gsolve_status status = GSOLVE_OK;

    *again = false;
    if (k->within) return GSOLVE_OK;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->round[c]) TRY(verify_column(k, c, again));
    }
    if (!*again) TRY(rescue(k, again));
done:
    return status;
}

/* --- the end of a run ------------------------------------------------------------------------- */

/* The residual of each answer that did not converge becomes the run's b, and x 0: what
 * gsolve_solver_explain looks at, since the caller's arrays may be gone by then. */
static gsolve_status leave_residuals(gs_krylov *k)
{
    gs_outer *o = &k->outer;
    const gsolve_dense b = o->correcting ? o->at_b.used : k->b;
    const gsolve_dense x = o->correcting ? o->at_x.used : k->x;
    gsolve_status status = GSOLVE_OK;

    k->b = with_columns(o->kept[0], k->ncols);
    k->b.nrows = k->csr.nrows;
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        const gsolve_dense zero = gs_column_of(k->own_x, c);
        column->left = 0;
        if (column->outcome == GSOLVE_CONVERGED) continue;
        if (o->correcting) frexp(column->residual * column->norm, &column->left);
        column->left = clamp(column->left, MOST_EXPONENT);
        TRY(gs_matrix_residual_vector(k->A, gs_column_of(b, c), gs_column_of(x, c), -column->left,
                                      gs_column_of(k->b, c)));
        TRY(k->vector->zero(k->ctx->queue, zero.nrows, zero.value));
    }
done:
    return status;
}

gsolve_status gs_outer_end(gs_krylov *k, gsolve_status status)
{
    gs_outer *o = &k->outer;

    if (status == GSOLVE_OK && o->correcting) status = gs_stage_out(&o->at_x, k->ctx);
    if (status == GSOLVE_OK && !o->correcting) status = copy_columns(k, k->x, o->x);
    if (status == GSOLVE_OK && !k->within) status = leave_residuals(k);
    if (status == GSOLVE_OK && o->x.nrows > 0) {
        status = gs_memory_settle(k->ctx, o->x.place, o->x.value);
    }
    gs_stage_drop(&o->at_b, k->ctx);
    gs_stage_drop(&o->at_x, k->ctx);
    return status;
}
