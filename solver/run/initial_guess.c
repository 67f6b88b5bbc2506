/* initial_guess.c: guess=projection: a run begins at the best combination of earlier solutions, for
 * right-hand sides that come one after another (Fischer 1998, "Projection techniques for iterative
 * solution of Ax = b with successive right-hand sides").
 *
 * The solver keeps the corrections U of earlier runs, and W = A U. Once it has `keep` vectors, a
 * new one replaces the vector with the smallest part in recent solutions. For a method that assumes
 * A positive definite U'W = I, and x += U U'(b - A x) minimises the A-norm of the error; for other
 * methods W'W = I, and x += U W'(b - A x) minimises the residual. The projection starts from the
 * caller's x. It costs a product and two passes over the kept vectors before a run, and twice that
 * for each column after it. When A has new values the vectors are dropped. */
#include "solver/run/run.h"

#include <math.h>

#include "core/try.h"
#include "dist/comm.h"
#include "solver/operations/operations.h"

static bool is_on(const gs_krylov *k)
{
    return gs_run_options_of(k)->guess == GS_GUESS_PROJECTION && !k->inner;
}

gsolve_status gs_guess_reserve(gs_krylov *k)
{
    const int32_t n = k->csr.nrows;
    const int keep = gs_run_options_of(k)->keep;
    gs_guess *s = &k->run->guess;
    gsolve_status status = GSOLVE_OK;

    s->kept = 0;
    if (!is_on(k)) return GSOLVE_OK;
    if (!k->square) {
        return gsolve_fail(
            k->ctx, GSOLVE_BAD_ARGUMENT,
            "guess=projection needs a square matrix and this one is %lld x %lld; leave out "
            "guess=",
            (long long)k->total_rows, (long long)k->total_cols);
    }
    TRY(gs_new_basis(k, k->csr.type, 1, keep, &s->U));
    TRY(gs_new_basis(k, k->csr.type, 1, keep, &s->W));
    TRY(gs_new_basis(k, k->csr.type, 1, 2, &s->pair));
    TRY(gs_new_outer_vector(k, n, &s->begin));
    TRY(gs_new_outer_vector(k, n, &s->r));
    TRY(gs_new_work(k, GSOLVE_DEVICE, (size_t)keep + 2, sizeof(double), (void **)(void *)&s->h));
done:
    return status;
}

/* Drops vectors that belong to other values of A. */
static void drop_stale(gs_krylov *k)
{
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(k->A, &A);
    if (k->run->guess.A != A.version) k->run->guess.kept = 0;
    k->run->guess.A = A.version;
}

static gs_basis_vectors kept_vectors(const gs_guess *s, gsolve_dense V)
{
    return (gs_basis_vectors){s->kept, V.type, V.value, gs_vector_stride(V.nrows)};
}

/* x += U V'r for a column, V = U or W. Adds each vector's part to s->use. */
static gsolve_status project(gs_krylov *k, gsolve_dense r, gsolve_dense x)
{
    gs_guess *s = &k->run->guess;
    const gsolve_dense V = k->method->definite ? s->U : s->W;
    gs_queue *q = k->ctx->queue;
    gsolve_status status;

    TRY(k->vector->dots(q, r.nrows, kept_vectors(s, V), r.value, s->h));
    TRY(gs_comm_sum_of(k->comm, s->h, s->kept));
    TRY(k->vector->combine(q, x.nrows, kept_vectors(s, s->U), s->h, 1, x.value, NULL));
    TRY(gsolve_copy(k->ctx, s->h_host, GSOLVE_HOST, s->h, GSOLVE_DEVICE,
                    (size_t)s->kept * sizeof *s->h_host));
    for (int i = 0; i < s->kept; i++) s->use[i] += s->h_host[i] * s->h_host[i];
done:
    return status;
}

gsolve_status gs_guess_begin(gs_krylov *k)
{
    gs_guess *s = &k->run->guess;
    gsolve_status status = GSOLVE_OK;

    if (!is_on(k)) return GSOLVE_OK;
    drop_stale(k);
    if (s->kept > 0) {
        TRY(gs_multiply(k, k->x, s->r));
        TRY(gs_axpby(k, gs_number(1), k->b, gs_number(-1), s->r)); /* r = b - A x */
    }
    for (int i = 0; i < s->kept; i++) s->use[i] /= 2; /* earlier solutions count less */
    for (int32_t c = 0; c < k->ncols; c++) {
        const gsolve_dense x = gs_column_of(k->x, c), begin = gs_column_of(s->begin, c);
        if (s->kept > 0 && k->active[c]) TRY(project(k, gs_column_of(s->r, c), x));
        TRY(k->vector->copy(k->ctx->queue, x.nrows, x.type, x.value, begin.value));
    }
    k->run->counts.products = 0; /* only those of iterations count */
done:
    return status;
}

static gsolve_status fetch(gs_krylov *k, const double *from, double *number)
{
    return gsolve_copy(k->ctx, number, GSOLVE_HOST, from, GSOLVE_DEVICE, sizeof *number);
}

/* *uv = u'v */
static gsolve_status dot_over_ranks(gs_krylov *k, gsolve_dense u, gsolve_dense v, double *uv)
{
    gsolve_status status;

    TRY(k->vector->dot(k->ctx->queue, u.nrows, u.value, v.value, uv));
    TRY(gs_comm_sum_of(k->comm, uv, 1));
done:
    return status;
}

/* Makes u and w = A u orthogonal to the kept vectors. *before and *after: the square of the norm
 * that is to become 1. */
static gsolve_status orthogonalise(gs_krylov *k, gsolve_dense u, gsolve_dense w, double *before,
                                   double *after)
{
    const gs_guess *s = &k->run->guess;
    const gsolve_dense with = k->method->definite ? u : w;
    const int32_t n = u.nrows;
    gs_queue *q = k->ctx->queue;
    double *norm = s->h + gs_run_options_of(k)->keep;
    gsolve_status status;

    TRY(dot_over_ranks(k, with, w, norm));
    TRY(fetch(k, norm, before));
    if (s->kept > 0) { /* W'u = U'A u, or W'w */
        TRY(k->vector->dots(q, n, kept_vectors(s, s->W), with.value, s->h));
        TRY(gs_comm_sum_of(k->comm, s->h, s->kept));
        TRY(k->vector->combine(q, n, kept_vectors(s, s->U), s->h, -1, u.value, NULL));
        TRY(k->vector->combine(q, n, kept_vectors(s, s->W), s->h, -1, w.value, NULL));
    }
    TRY(dot_over_ranks(k, with, w, norm));
    TRY(fetch(k, norm, after));
done:
    return status;
}

/* Adds u and w, whose squared norm is `square`, to the kept vectors, with norm 1. If there are
 * `keep` vectors already, u and w replace the pair with the smallest part in recent solutions. */
static gsolve_status add_pair(gs_krylov *k, gsolve_dense u, gsolve_dense w, double square)
{
    gs_guess *s = &k->run->guess;
    const int keep = gs_run_options_of(k)->keep;
    const gs_ratio unit = {.sign = 1 / sqrt(square)}, none = {.sign = 0};
    gs_queue *q = k->ctx->queue;
    int to = s->kept < keep ? s->kept : 0;
    gsolve_status status;

    for (int i = 1; s->kept == keep && i < keep; i++) to = s->use[i] < s->use[to] ? i : to;

    TRY(k->vector->axpby(q, u.nrows, unit, u.value, none, gs_basis_at(s->U, to).value));
    TRY(k->vector->axpby(q, w.nrows, unit, w.value, none, gs_basis_at(s->W, to).value));
    s->use[to] = square;
    s->kept = s->kept < keep ? s->kept + 1 : keep;
done:
    return status;
}

/* Keeps what the run has added to column c, unless that is in the span of the kept vectors. */
static gsolve_status keep_column(gs_krylov *k, int32_t c)
{
    const gs_guess *s = &k->run->guess;
    const gsolve_dense x = gs_column_of(k->x, c), begin = gs_column_of(s->begin, c);
    const gs_ratio one = {.sign = 1}, minus = {.sign = -1};
    const double least = x.type == GSOLVE_F32 ? 1e-6 : 1e-12; /* of the square */
    gsolve_dense u = gs_basis_at(s->pair, 0), w = gs_basis_at(s->pair, 1);
    double before, after;
    gsolve_status status;

    u.ncols = w.ncols = 1;
    TRY(k->vector->copy(k->ctx->queue, x.nrows, x.type, begin.value, u.value));
    TRY(k->vector->axpby(k->ctx->queue, x.nrows, one, x.value, minus, u.value)); /* u = x - begin */
    TRY(gs_comm_defer(k->comm, gsolve_matrix_apply(k->A, 1, u, 0, w)));
    for (int pass = 0; pass < 2; pass++) {
        TRY(orthogonalise(k, u, w, &before, &after));
        if (!(after > least * before) || !isfinite(after)) return GSOLVE_OK;
    }
    TRY(add_pair(k, u, w, after));
done:
    return status;
}

/* Whether k->x - begin is the correction of the whole run. After a second correction it is not,
 * since each correction begins at k->x = 0. */
static bool is_one_step(const gs_krylov *k, int32_t c)
{
    return !k->run->correcting || (k->run->column[c].restarts == 0 && !k->run->outer.examined);
}

gsolve_status gs_guess_end(gs_krylov *k)
{
    const int32_t keep = gs_run_options_of(k)->keep;
    const int32_t first = k->ncols > keep ? k->ncols - keep : 0;
    gsolve_status status = GSOLVE_OK;

    if (!is_on(k)) return GSOLVE_OK;
    for (int32_t c = first; c < k->ncols; c++) {
        if (k->run->column[c].outcome == GSOLVE_CONVERGED && is_one_step(k, c))
            TRY(keep_column(k, c));
    }
done:
    return status;
}
