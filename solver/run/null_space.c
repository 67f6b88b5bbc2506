/* null_space.c: runs with a singular A whose null spaces are known (gsolve_matrix_set_null_space).
 *
 * Let N and L be orthonormal bases of the right and of the left null space, and P = I - L L'. The
 * run solves A x = P b: its b is P b in double precision. Its x begins without a component in N,
 * and operations/products.c removes that component from every z = M^-1 r. So all iterates stay
 * orthogonal to N. The residual that decides is P (b - A x).
 *
 * A column whose b is not in the range of A ends as a least-squares solution: |b - A x| cannot be
 * smaller than |b - P b|. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "solver/run/run.h"

/* --- work space ------------------------------------------------------------------------------- */

void gs_projection_drop(gs_krylov *k)
{
    gs_projection *p = &k->run->projection;
    gsolve_context *ctx = k->ctx;

    gsolve_free(ctx, GSOLVE_DEVICE, p->h);
    gsolve_free(ctx, GSOLVE_DEVICE, p->none);
    gsolve_free(ctx, GSOLVE_HOST, p->h_host);
    gsolve_free(ctx, GSOLVE_HOST, p->removed);
    gsolve_free(ctx, gs_location(ctx), p->b.value);
    gsolve_free(ctx, gs_location(ctx), p->r.value);
    *p = (gs_projection){.version = p->version};
}

/* Allocates work space for k->width columns and this dimension. */
static gsolve_status reserve(gs_krylov *k, int32_t dimension)
{
    gs_projection *p = &k->run->projection;
    const int32_t n = k->csr.nrows, width = k->width;
    const size_t numbers = (size_t)dimension * (size_t)width;
    const gsolve_location location = gs_location(k->ctx);
    gsolve_status status;

    if (p->width >= width && p->dimension == dimension) return GSOLVE_OK;
    gs_forget_graph(k);
    gs_projection_drop(k);
    ALLOC(k->ctx, GSOLVE_DEVICE, p->h, numbers);
    ALLOC(k->ctx, GSOLVE_DEVICE, p->none, 2 * (size_t)width);
    ALLOC(k->ctx, GSOLVE_HOST, p->h_host, dimension);
    ALLOC(k->ctx, GSOLVE_HOST, p->removed, numbers);
    TRY(gs_dense_new(&p->b, k->ctx, location, GSOLVE_F64, n, width));
    TRY(gs_dense_new(&p->r, k->ctx, location, k->csr.type, n, 1));
    TRY(GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)->zero(k->ctx->queue, width, p->none));
    p->width = width;
    p->dimension = dimension;
done:
    if (status != GSOLVE_OK) gs_projection_drop(k);
    return status;
}

gsolve_status gs_projection_check(const gs_krylov *k)
{
    const bool singular = k->A && gs_null_dimension(&gs_matrix_null_spaces(k->A)->right) > 0;

    if (!k->method->ignores_precond || !singular) return GSOLVE_OK;
    return gsolve_fail(
        k->ctx, GSOLVE_UNSUPPORTED,
        "%s cannot solve with a matrix that has a null space, which is singular; use "
        "cg or minres if it is symmetric, else gmres",
        k->method->plugin.name);
}

gsolve_status gs_projection_begin(gs_krylov *k)
{
    const gs_null_spaces *spaces = gs_matrix_null_spaces(k->A);
    gs_projection *p = &k->run->projection;
    const int32_t dimension = gs_null_dimension(&spaces->right);
    gsolve_status status;

    if (p->version != spaces->version) gs_forget_graph(k);
    p->version = spaces->version;
    p->spaces = NULL;
    if (dimension == 0) return GSOLVE_OK;
    TRY(gs_projection_check(k));
    TRY(gs_matrix_check_null_spaces(k->A));
    TRY(gs_comm_check(k->comm, reserve(k, dimension)));
    p->spaces = spaces;
done:
    return status;
}

/* --- projections ------------------------------------------------------------------------------ */

/* to = from in double precision, column by column. */
static gsolve_status copy_double(gs_krylov *k, gsolve_dense from, gsolve_dense to)
{
    const size_t bytes = (size_t)from.nrows * sizeof(double);
    gs_stage in = {0};
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < from.ncols && from.type == GSOLVE_F64; c++) {
        TRY(gsolve_copy(k->ctx, gs_column_of(to, c).value, to.location, gs_column_of(from, c).value,
                        from.location, bytes));
    }
    if (from.type == GSOLVE_F64) return GSOLVE_OK;
    TRY(gs_stage_in(&in, k->ctx, to.location, from, true));
    for (int32_t c = 0; c < from.ncols; c++) {
        TRY(GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
                ->copy(k->ctx->queue, from.nrows, from.type, gs_column_of(in.used, c).value,
                       gs_column_of(to, c).value));
    }
done:
    gs_stage_drop(&in, k->ctx);
    return status;
}

gsolve_status gs_projection_of_b(gs_krylov *k)
{
    gs_projection *p = &k->run->projection;
    gs_outer *o = &k->run->outer;
    const gsolve_dense b = gs_first_columns(p->b, k->ncols);
    const size_t dimension = (size_t)p->dimension;
    gsolve_status status;

    if (!p->spaces || k->inner) return GSOLVE_OK;
    TRY(gs_comm_check(k->comm, copy_double(k, o->b, b)));
    for (int32_t c = 0; c < k->ncols; c++) {
        TRY(gs_null_project(k->ctx, &p->spaces->left, gs_column_of(b, c),
                            p->h + (size_t)c * dimension));
    }
    TRY(gsolve_copy(k->ctx, p->removed, GSOLVE_HOST, p->h, GSOLVE_DEVICE,
                    (size_t)k->ncols * dimension * sizeof *p->h));
    for (int32_t c = 0; c < k->ncols; c++) {
        k->run->column[c].removed =
            gs_null_norm(&p->spaces->left, p->removed + (size_t)c * dimension);
    }
    o->b = b;
done:
    return status;
}

gsolve_status gs_projection_of_x(gs_krylov *k, gsolve_dense x)
{
    const gs_projection *p = &k->run->projection;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < x.ncols && p->spaces && !k->inner; c++) {
        TRY(gs_null_project(k->ctx, &p->spaces->right, gs_column_of(x, c), p->h));
    }
done:
    return status;
}

gsolve_status gs_projection_of_r(gs_krylov *k, gsolve_dense r)
{
    const gs_projection *p = &k->run->projection;

    if (!p->spaces) return GSOLVE_OK;
    return gs_null_project(k->ctx, &p->spaces->left, r, p->h);
}

/* --- residuals -------------------------------------------------------------------------------- */

/* norms->r = |P (b - A x)|; it was |b - A x| or a former result. p->h_host = 2^-*exponent times
 * what P removes. */
static gsolve_status project_residual(gs_krylov *k, gsolve_dense b, gsolve_dense x, gs_norms *norms,
                                      int *exponent)
{
    gs_projection *p = &k->run->projection;
    const size_t numbers = (size_t)p->dimension * sizeof *p->h;
    double square;
    gsolve_status status;

    frexp(norms->r, exponent);
    *exponent = gs_outer_clamp(*exponent, GS_MOST_EXPONENT);
    TRY(gs_matrix_residual_vector(k->A, b, x, -*exponent, norms->doubled, p->r));
    TRY(gs_projection_of_r(k, p->r));
    TRY(gsolve_copy(k->ctx, p->h_host, GSOLVE_HOST, p->h, GSOLVE_DEVICE, numbers));
    TRY(k->vector->dot(k->ctx->queue, p->r.nrows, p->r.value, p->r.value, p->h));
    TRY(gs_comm_sum_of(k->comm, p->h, 1));
    TRY(gsolve_copy(k->ctx, &square, GSOLVE_HOST, p->h, GSOLVE_DEVICE, sizeof square));
    norms->r = ldexp(sqrt(square), *exponent);
    norms->relative = norms->b > 0 ? norms->r / norms->b : norms->r;
done:
    return status;
}

static gs_tolerance tolerance_of(const gs_krylov *k)
{
    const gs_run_options *run = gs_run_options_of(k);

    return (gs_tolerance){run->rtol, run->atol};
}

/* gs_projection_norms; p->h_host = 2^-*exponent times what P removed from b - A x. */
static gsolve_status norms_of(gs_krylov *k, int32_t c, gsolve_dense b, gsolve_dense x,
                              gs_norms *norms, int *exponent)
{
    const gs_tolerance tolerance = tolerance_of(k);
    gs_projection *p = &k->run->projection;
    gsolve_status status;

    *exponent = 0;
    memset(p->h_host, 0, (size_t)p->dimension * sizeof *p->h_host);
    TRY(gs_matrix_norms(k->A, b, x, &tolerance, norms));
    norms->b = hypot(norms->b, k->run->column[c].removed);
    norms->relative = norms->b > 0 ? norms->r / norms->b : norms->r;
    if (norms->r == 0 || !isfinite(norms->r)) goto done;
    TRY(project_residual(k, b, x, norms, exponent));
    if (gs_norms_are_uncertain(norms, &tolerance)) {
        norms->doubled = true;
        TRY(project_residual(k, b, x, norms, exponent));
    }
done:
    return status;
}

gsolve_status gs_projection_norms(gs_krylov *k, int32_t c, gsolve_dense b, gsolve_dense x,
                                  gs_norms *norms)
{
    const gs_tolerance tolerance = tolerance_of(k);
    int exponent;

    if (!gs_projects(k)) return gs_matrix_norms(k->A, b, x, &tolerance, norms);
    return norms_of(k, c, b, x, norms, &exponent);
}

/* --- the end of a run ------------------------------------------------------------------------- */

/* |b - A x| of column c of the caller's b: P (b - A x) and what P removes are orthogonal. */
static double true_norm(const gs_krylov *k, int32_t c, double projected, int exponent)
{
    const gs_projection *p = &k->run->projection;
    const double *removed = p->removed + (size_t)c * (size_t)p->dimension;

    for (int32_t i = 0; i < p->dimension; i++) {
        p->h_host[i] = ldexp(p->h_host[i], exponent) + removed[i];
    }
    return hypot(projected, gs_null_norm(&p->spaces->left, p->h_host));
}

static gsolve_status end_column(gs_krylov *k, int32_t c, gsolve_dense x)
{
    gs_column *column = &k->run->column[c];
    gs_norms norms;
    double r;
    int exponent;
    gsolve_status status;

    TRY(norms_of(k, c, gs_column_of(k->run->outer.b, c), x, &norms, &exponent));
    r = true_norm(k, c, norms.r, exponent);
    column->projected = norms.relative;
    column->residual = column->norm > 0 ? r / column->norm : r;
    if (column->outcome == GSOLVE_CONVERGED && !(r <= column->target) &&
        !(column->residual <= gs_run_options_of(k)->rtol)) {
        column->outcome = GSOLVE_LEAST_SQUARES;
    }
done:
    return status;
}

/* The note of a run with a least-squares solution. */
static void write_note(gs_krylov *k)
{
    const size_t length = strlen(k->note);
    int32_t c = 0, count = 0;

    for (int32_t d = k->ncols - 1; d >= 0; d--) {
        if (k->run->column[d].outcome != GSOLVE_LEAST_SQUARES) continue;
        c = d;
        count++;
    }
    if (count == 0) return;
    snprintf(k->note + length, sizeof k->note - length,
             "%s%s has a component of %.1e |b| outside the range of A; x is the least-squares "
             "solution without a component in the null space.",
             length ? " " : "", k->ncols > 1 ? "A column of b" : "b",
             k->run->column[c].removed / k->run->column[c].norm);
    if (count > 1) {
        const size_t used = strlen(k->note);
        snprintf(k->note + used, sizeof k->note - used, " This holds for %d of %d columns.", count,
                 k->ncols);
    }
}

gsolve_status gs_projection_end(gs_krylov *k, gsolve_dense x)
{
    gsolve_status status = GSOLVE_OK;

    if (!gs_projects(k) || k->inner) return GSOLVE_OK;
    for (int32_t c = 0; c < k->ncols; c++) TRY(end_column(k, c, gs_column_of(x, c)));
    write_note(k);
done:
    return status;
}
