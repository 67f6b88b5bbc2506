/* outer.c: the caller's system, and the system that the run iterates on.
 *
 * A run works on vectors of A's type whose squares stay in the range of numbers. If the caller's b
 * and x are such vectors, the run solves A x = b itself. Otherwise it solves for corrections:
 *
 *     2^f A d = 2^-e (b - A x),   x += 2^(e + f) d,
 *
 * e follows from the size of the residual. f is 0 unless a method failed because |A d| is out of
 * range; then it follows from the size of A. The true residual, computed in double precision from
 * the caller's A, b and x, decides: "converged" means that the x that is returned has |b - Ax| <=
 * max(rtol |b|, atol).
 *
 * A column that does not converge gets the best of three vectors, by the true residual: the first
 * guess, the kept x, and the last x. The run keeps x when the host reads that |r| has halved, at
 * most once in KEEP_EVERY iterations. That copies 16 n bytes; after many iterations it also costs
 * one or two products. */
#include "solver/run/run.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "solver/operations/operations.h"

/* A residual of at most AT_ROUNDING times the rounding errors of A x, which are at most
 * MOST_ROUNDING |b|, is that of any method, to a factor of ANY_METHOD. Larger rounding errors come
 * from a huge x, and another method may find a smaller one. */
#define AT_ROUNDING   4
#define MOST_ROUNDING 1e-10
#define ANY_METHOD    8

/* Whether column c has the residual of any method, which is above the tolerance. */
static bool is_at_rounding(const gs_krylov *k, const gs_column *column)
{
    return column->outcome == GSOLVE_STAGNATED && column->rounding <= MOST_ROUNDING &&
           column->residual <= AT_ROUNDING * column->rounding &&
           column->residual * column->norm > ANY_METHOD * column->target && !gs_projects(k) &&
           k->run->passes == 0;
}

bool gs_outer_rounded(const gs_krylov *k)
{
    bool all = k->ncols > 0, any = false;

    for (int32_t c = 0; c < k->ncols; c++) {
        const gs_column *column = &k->run->column[c];
        const bool rounded = column->rounded || is_at_rounding(k, column);
        any = any || rounded;
        all = all && (rounded || column->outcome == GSOLVE_CONVERGED);
    }
    return all && any;
}

/* --- vectors ---------------------------------------------------------------------------------- */

gsolve_status gs_outer_reserve(gs_krylov *k)
{
    gs_outer *o = &k->run->outer;
    gsolve_status status;

    o->own_b.value = NULL;
    for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) o->formed[type].value = NULL;
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, o->norms));
    TRY(gs_new_outer_vector(k, k->csr.ncols, &o->own_x));
    for (int i = 0; i < 1 + (k->ctx->device->post != NULL); i++) { /* also long enough for b */
        TRY(gs_new_outer_vector(k, k->csr.ncols > k->csr.nrows ? k->csr.ncols : k->csr.nrows,
                                &o->kept[i]));
        o->kept[i].nrows = k->csr.ncols;
    }
    if (gs_location(k->ctx) == GSOLVE_DEVICE) TRY(gs_new_outer_vector(k, k->csr.nrows, &o->own_b));
done:
    return status;
}

gsolve_status gs_copy_columns(gsolve_context *ctx, gsolve_dense from, gsolve_dense to)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < from.ncols && status == GSOLVE_OK; c++) {
        status =
            gsolve_copy(ctx, gs_column_of(to, c).value, to.location, gs_column_of(from, c).value,
                        from.location, (size_t)to.nrows * gs_type_size(to.type));
    }
    return status;
}

gsolve_status gs_outer_copy_column(gs_krylov *k, gsolve_dense from, gsolve_dense to)
{
    return GS_KERNELS(gs_vector, k->ctx, to.type)
        ->copy(k->ctx->queue, to.nrows, from.type, from.value, to.value);
}

/* Space for corrections. */
static gsolve_status reserve_corrections(gs_krylov *k)
{
    const gsolve_location location = gs_location(k->ctx);
    gs_outer *o = &k->run->outer;
    gsolve_status status = GSOLVE_OK;

    if (!o->own_b.value) TRY(gs_new_outer_vector(k, k->csr.nrows, &o->own_b));
    for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
        const bool used = type == (int)o->x.type || type == (int)k->csr.type;
        if (!used || o->formed[type].value) continue;
        TRY(gs_new_vector_of(k, (gsolve_type)type, k->csr.ncols, false, &o->formed[type]));
    }
    TRY(gs_stage_in(&o->at_b, k->ctx, location, o->b, true));
    TRY(gs_stage_in(&o->at_x, k->ctx, location, o->x, true));
done:
    return status;
}

gsolve_status gs_outer_begin_corrections(gs_krylov *k)
{
    const gs_outer *o = &k->run->outer;
    gsolve_status status;

    TRY(gs_comm_check(k->comm, reserve_corrections(k)));
    k->run->correcting = true;
    k->b = gs_first_columns(o->own_b, k->ncols);
    k->x = gs_first_columns(o->own_x, k->ncols);
done:
    return status;
}

/* --- the beginning of a run ------------------------------------------------------------------- */

/* Whether this squared norm is far enough from the ends of the type's range for a method. */
static bool is_ordinary(double square, gsolve_type type)
{
    return type == GSOLVE_F32 ? square > 1e-24 && square < 1e24 : square > 1e-200 && square < 1e200;
}

gsolve_status gs_outer_square(gs_krylov *k, gsolve_dense v, double *square)
{
    gsolve_status status;

    TRY(k->vector->dot(k->ctx->queue, v.nrows, v.value, v.value, k->rr));
    TRY(gs_comm_sum_of(k->comm, k->rr, 1));
    TRY(gsolve_copy(k->ctx, square, GSOLVE_HOST, k->rr, GSOLVE_DEVICE, sizeof *square));
done:
    return status;
}

/* Whether column c of v, whose squared norm is 0, is 0. The squares of 2^540 v do not underflow. */
static gsolve_status is_zero(gs_krylov *k, gsolve_dense v, int32_t c, bool *zero)
{
    const gs_ratio large = {.sign = 0x1p540}, none = {.sign = 0};
    gsolve_dense space = gs_column_of(k->run->outer.kept[0], 0);
    double square = 0;
    gsolve_status status = GSOLVE_OK;

    *zero = true;
    if (v.type == GSOLVE_F32) return GSOLVE_OK; /* the sum is in double: no underflow */
    space.nrows = v.nrows;
    TRY(k->vector->axpby(k->ctx->queue, v.nrows, large, gs_column_of(v, c).value, none,
                         space.value));
    TRY(gs_outer_square(k, space, &square));
    *zero = square == 0;
done:
    return status;
}

/* k->run->squares[c] = v_c'v_c. *ordinary becomes false unless all of them are in range, or 0. */
static gsolve_status squares(gs_krylov *k, gsolve_dense v, bool *ordinary)
{
    bool zero;
    gsolve_status status;

    TRY(gs_dot(k, v, v, k->rr));
    TRY(gsolve_copy(k->ctx, k->run->squares, GSOLVE_HOST, k->rr, GSOLVE_DEVICE,
                    (size_t)k->ncols * sizeof(double)));
    for (int32_t c = 0; c < k->ncols && *ordinary; c++) {
        *ordinary = is_ordinary(k->run->squares[c], v.type);
        if (k->run->squares[c] != 0) continue;
        TRY(is_zero(k, v, c, &zero));
        *ordinary = zero;
    }
done:
    return status;
}

/* Tries to solve the caller's system itself: *can says whether. Sets the columns' norms. */
static gsolve_status begin_plain(gs_krylov *k, bool *can)
{
    gs_outer *o = &k->run->outer;
    gsolve_status status = GSOLVE_OK;

    *can = o->b.type == k->csr.type && o->x.type == k->csr.type;
    if (!*can) return GSOLVE_OK;
    k->x = gs_first_columns(o->own_x, k->ncols);
    TRY(gs_copy_columns(k->ctx, o->x, k->x));
    TRY(gs_projection_of_x(k, k->x));
    k->b = o->b;
    if (gs_location(k->ctx) == GSOLVE_DEVICE) {
        k->b = gs_first_columns(o->own_b, k->ncols);
        TRY(gs_copy_columns(k->ctx, o->b, k->b));
    }
    TRY(squares(k, k->x, can));
    TRY(squares(k, k->b, can));
    *can = *can || k->inner;
    for (int32_t c = 0; c < k->ncols; c++) {
        k->run->column[c].norm = hypot(sqrt(k->run->squares[c]), k->run->column[c].removed);
    }
done:
    return status;
}

/* The norms of all columns of the caller's system. Values that are not finite are refused here;
 * otherwise the run would end as "diverged". */
static gsolve_status caller_norms(gs_krylov *k)
{
    gs_outer *o = &k->run->outer;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols; c++) {
        gs_norms *norms = &o->norms[c];
        TRY(gs_projection_norms(k, c, gs_column_of(o->at_b.used, c), gs_column_of(o->at_x.used, c),
                                norms));
        if (!isfinite(norms->b)) {
            return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                               "column %d (counted from 1) of b has a value that is not finite, or "
                               "its norm overflows",
                               c + 1);
        }
        if (norms->b > 0 && !isfinite(norms->r)) {
            return gsolve_fail(
                k->ctx, GSOLVE_BAD_ARGUMENT,
                "column %d (counted from 1) of the initial guess x has a value that is not finite, "
                "or |b - Ax| overflows",
                c + 1);
        }
        k->run->column[c].norm = norms->b;
    }
done:
    return status;
}

/* A column with b = 0 has the solution 0. */
static gsolve_status solve_zero(gs_krylov *k, int32_t c)
{
    const gsolve_dense x = k->run->correcting ? k->run->outer.at_x.used : k->x;

    k->run->column[c].outcome = GSOLVE_CONVERGED;
    k->active[c] = false;
    return GS_KERNELS(gs_vector, k->ctx, x.type)
        ->zero(k->ctx->queue, x.nrows, gs_column_of(x, c).value);
}

gsolve_status gs_outer_begin_correction(gs_krylov *k, int32_t c, const gs_norms *norms)
{
    const gs_outer *o = &k->run->outer;
    const gsolve_dense x = gs_outer_column(k->x, k, c);
    gs_column *column = &k->run->column[c];
    gsolve_status status;

    frexp(norms->r, &column->scale);
    column->scale = gs_outer_clamp(column->scale, GS_MOST_EXPONENT);
    TRY(gs_matrix_residual_vector(k->A, gs_outer_column(o->at_b.used, k, c),
                                  gs_outer_column(o->at_x.used, k, c), -column->scale,
                                  norms->doubled, gs_outer_column(k->b, k, c)));
    TRY(gs_projection_of_r(k, gs_outer_column(k->b, k, c)));
    TRY(k->vector->zero(k->ctx->queue, x.nrows, x.value));
done:
    return status;
}

/* Ends the columns that the first guess solves; sets up the first corrections of the others. */
static gsolve_status first_corrections(gs_krylov *k)
{
    const gs_norms *norms = k->run->outer.norms;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->run->column[c];
        if (!k->active[c]) continue;
        column->first = column->begin = norms[c].r;
        column->residual = norms[c].relative;
        if (norms[c].r <= column->target || norms[c].relative <= gs_run_options_of(k)->rtol) {
            column->outcome = GSOLVE_CONVERGED;
            k->active[c] = false;
        } else {
            TRY(gs_outer_begin_correction(k, c, &norms[c]));
        }
    }
done:
    return status;
}

gsolve_status gs_outer_begin(gs_krylov *k, gsolve_dense b, gsolve_dense x)
{
    const gs_run_options *run = gs_run_options_of(k);
    gs_outer *o = &k->run->outer;
    bool plain;
    gsolve_status status;

    o->b = b;
    o->x = x;
    o->at_b = o->at_x = (gs_stage){0};
    k->run->correcting = o->examined = false;
    if (k->run->size != 0) gs_forget_graph(k); /* it holds products with the scaled A */
    k->run->size = 0;
    memset(k->run->column, 0, (size_t)k->ncols * sizeof *k->run->column);
    for (int32_t c = 0; c < k->ncols; c++) k->active[c] = true;
    TRY(gs_set_active(k));
    TRY(gs_projection_of_b(k));
    TRY(begin_plain(k, &plain));
    if (!plain) {
        TRY(gs_outer_begin_corrections(k));
        TRY(gs_projection_of_x(k, o->at_x.used));
        TRY(caller_norms(k));
    }
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->run->column[c];
        column->target = fmax(run->rtol * column->norm, run->atol);
        column->begin = column->verified = column->normal_before = INFINITY;
        column->normal = -1;
        column->first = -1; /* unknown */
        column->tighten = 1;
        column->most = run->maxit;
        if (column->norm == 0) TRY(solve_zero(k, c));
    }
    if (!plain) TRY(first_corrections(k));
done:
    return status;
}

/* --- the end of a run ------------------------------------------------------------------------- */

/* For gsolve_solver_explain, which is called when the caller's arrays may no longer exist: k->b
 * becomes the residual of each column that did not converge, and k->x 0. */
static gsolve_status leave_residuals(gs_krylov *k)
{
    gs_outer *o = &k->run->outer;
    const gsolve_dense b = k->run->correcting ? o->at_b.used : k->b;
    const gsolve_dense x = k->run->correcting ? o->at_x.used : k->x;
    gsolve_status status = GSOLVE_OK;

    k->b = gs_first_columns(o->kept[0], k->ncols);
    k->b.nrows = k->csr.nrows;
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->run->column[c];
        const gsolve_dense zero = gs_column_of(o->own_x, c);
        column->left = 0;
        if (gsolve_outcome_is_success(column->outcome)) continue;
        if (k->run->correcting) frexp(column->residual * column->norm, &column->left);
        column->left = gs_outer_clamp(column->left, GS_MOST_EXPONENT);
        TRY(gs_matrix_residual_vector(k->A, gs_column_of(b, c), gs_column_of(x, c), -column->left,
                                      column->doubled, gs_column_of(k->b, c)));
        TRY(k->vector->zero(k->ctx->queue, zero.nrows, zero.value));
    }
done:
    return status;
}

gsolve_status gs_outer_end(gs_krylov *k, gsolve_status status)
{
    gs_outer *o = &k->run->outer;

    if (status == GSOLVE_OK) {
        status = gs_projection_end(k, k->run->correcting ? o->at_x.used : k->x);
    }
    if (status == GSOLVE_OK && k->run->correcting) status = gs_stage_out(&o->at_x, k->ctx);
    if (status == GSOLVE_OK && !k->run->correcting) status = gs_copy_columns(k->ctx, k->x, o->x);
    if (status == GSOLVE_OK && !k->inner) status = leave_residuals(k);
    if (status == GSOLVE_OK && o->x.nrows > 0) {
        status = gs_memory_synchronize(k->ctx, o->x.location, o->x.value);
    }
    gs_stage_drop(&o->at_b, k->ctx);
    gs_stage_drop(&o->at_x, k->ctx);
    return status;
}
