/* outer_scale.c: a system that failed because numbers are out of range is solved once more, see
 * outer.c. */
#include <math.h>

#include "core/try.h"
#include "dist/comm.h"
#include "solver/run/run.h"

/* *exponent: that of |A|; 0 if A need not be scaled. */
static gsolve_status size_of_rows(gs_krylov *k, int most, int *exponent)
{
    double norm;
    gsolve_status status;

    TRY(gs_norm_of_A(k, &norm));
    if (norm > 0 && isfinite(norm)) frexp(norm, exponent);
    if (*exponent > -most && *exponent < most) *exponent = 0;
done:
    return status;
}

/* *exponent: the exponent of |A M^-1 b| / |b| for a column of the run's b with b'b = bb; 0 if A
 * need not be scaled, or if |alpha A M^-1 b| is out of range for every alpha that is tried. z and
 * y: scratch vectors. */
static gsolve_status size_of(gs_krylov *k, gsolve_dense b, double bb, gsolve_dense z,
                             gsolve_dense y, int *exponent)
{
    static const int tries[] = {0, 450, 900, -450, -900};
    const int most =
        k->csr.type == GSOLVE_F32 ? 40 : 200; /* beyond it squares may overflow or underflow */
    double yy;
    gsolve_status status = GSOLVE_OK;

    *exponent = 0;
    if (k->method->normal) {
        TRY(size_of_rows(k, most, exponent));
        goto done;
    }
    if (k->M) TRY(gs_comm_defer(k->comm, gsolve_precond_apply(k->M, b, z)));
    for (int i = 0; i < 5; i++) {
        TRY(gs_comm_defer(k->comm,
                          gsolve_matrix_apply(k->A, ldexp(1, tries[i]), k->M ? z : b, 0, y)));
        TRY(gs_outer_square(k, y, &yy));
        if (!(yy > 1e-200 * bb) || !(yy < 1e200)) continue;
        frexp(sqrt(yy / bb), exponent);
        *exponent -= tries[i];
        break;
    }
    if (*exponent > -most && *exponent < most) *exponent = 0;
done:
    return status;
}

/* Whether column c failed in a manner that the size of A may have caused. Methods that work on the
 * host (direct, refine) do not multiply by the scaled A. */
static bool may_be_out_of_range(const gs_krylov *k, int32_t c)
{
    const gsolve_outcome outcome = k->run->column[c].outcome;

    return k->run->in_round[c] && k->period > 0 && !k->run->monitor.stopped &&
           k->run->counts.iteration < gs_run_options_of(k)->maxit &&
           (outcome == GSOLVE_BREAKDOWN || outcome == GSOLVE_INDEFINITE ||
            outcome == GSOLVE_DIVERGED || outcome == GSOLVE_STAGNATED);
}

/* Columns that failed start once more from the answer so far, with 2^size A. */
static gsolve_status start_scaled(gs_krylov *k, int size)
{
    gs_outer *o = &k->run->outer;
    gsolve_status status = GSOLVE_OK;

    if (!k->run->correcting) {
        TRY(gs_outer_begin_corrections(k));
        TRY(gs_copy_columns(k->ctx, k->x, gs_first_columns(o->at_x.used, k->ncols)));
    }
    k->run->size = size;
    k->run->resident.on = false;
    gs_forget_graph(k);
    TRY(gs_spectrum_begin(k));
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->run->column[c];
        gs_norms norms;
        if (!may_be_out_of_range(k, c)) continue;
        TRY(gs_projection_norms(k, c, gs_outer_column(o->at_b.used, k, c),
                                gs_outer_column(o->at_x.used, k, c), &norms));
        k->active[c] = true;
        column->begin = norms.r;
        if (column->restarts > 0) column->verified = norms.r;
        column->residual = norms.relative;
        TRY(gs_outer_begin_correction(k, c, &norms));
    }
done:
    return status;
}

/* Whether |b|^2 = bb is far enough from the ends of the range for products with M^-1 and A, and the
 * first guess is good enough for one round to reach the tolerance. */
static bool is_comfortable(const gs_column *column, double bb)
{
    return bb > 1e-30 && bb < 1e30 && column->begin < 1e10 * column->norm;
}

/* A scratch vector in A's type, unless there is one. */
static gsolve_status reserve_scratch(gs_krylov *k)
{
    gsolve_dense *z = &k->run->outer.formed[k->csr.type];
    const gsolve_status status = z->value ? GSOLVE_OK : gs_new_outer_vector(k, k->csr.ncols, z);

    return gs_comm_check(k->comm, status);
}

gsolve_status gs_outer_rescue(gs_krylov *k, bool *again)
{
    const int most = k->csr.type == GSOLVE_F32 ? 120 : GS_MOST_EXPONENT;
    gs_outer *o = &k->run->outer;
    gsolve_dense b, z;
    int32_t first = 0;
    int exponent;
    double bb;
    gsolve_status status = GSOLVE_OK;

    while (first < k->ncols && !may_be_out_of_range(k, first)) first++;
    if (first == k->ncols || o->examined) return GSOLVE_OK;
    o->examined = true;
    b = gs_outer_column(k->b, k, first);
    TRY(reserve_scratch(k));
    z = o->formed[k->csr.type];
    TRY(gs_outer_square(k, b, &bb));
    TRY(size_of(k, b, bb, gs_outer_column(z, k, first), gs_outer_column(o->kept[0], k, first),
                &exponent));
    if (exponent == 0 && (k->run->correcting || is_comfortable(&k->run->column[first], bb)))
        goto done;
    TRY(start_scaled(k, gs_outer_clamp(-exponent, most)));
    *again = true;
done:
    if (status == GSOLVE_NO_MEMORY) {
        k->ctx->error[0] = 0;
        status = GSOLVE_OK;
    }
    return status;
}

/* --- elements out of range ---------------------------------------------------------------------
 */

/* *finite: all elements of v, one column whose squares overflow, are finite. */
static gsolve_status are_finite(gs_krylov *k, gsolve_dense v, bool *finite)
{
    const size_t count = (size_t)v.nrows;
    double *x = NULL;
    gsolve_status status;

    *finite = false;
    if (v.type == GSOLVE_F32) return GSOLVE_OK; /* sums of their squares are in range */
    ALLOC(k->ctx, GSOLVE_HOST, x, count);
    TRY(gsolve_copy(k->ctx, x, GSOLVE_HOST, v.value, v.location, count * sizeof *x));
    *finite = true;
    for (size_t i = 0; i < count; i++) *finite = *finite && isfinite(x[i]);
done:
    gsolve_free(k->ctx, GSOLVE_HOST, x);
    return status;
}

gsolve_status gs_outer_refuse_overflow(gs_krylov *k, gsolve_dense v, int32_t c, gs_norms *norms)
{
    const gsolve_dense x = gs_outer_column(v, k, c);
    double square = 0;
    bool finite = true;
    gsolve_status status = GSOLVE_OK;

    if (!isfinite(norms->r)) return GSOLVE_OK;
    TRY(gs_outer_square(k, x, &square));
    if (!isfinite(square)) TRY(are_finite(k, x, &finite));
    if (!finite) norms->r = norms->relative = INFINITY;
done:
    return status;
}
