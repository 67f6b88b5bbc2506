/* vectors.c: the operations on vectors and scalars. */
#include "solver/operations/common.h"

gsolve_status gs_copy_scalar(gs_krylov *k, gs_scalar a, gs_scalar b)
{
    gs_scalar_arguments small = gs_scalar_arguments_of(k);

    small.s[0] = b;
    small.s[1] = a;
    return GS_RUN_SCALAR(k, copy, &small);
}

gsolve_status gs_zero(gs_krylov *k, gsolve_dense y)
{
    gs_op_expect(k, GS_ZERO, gs_op_bytes(y));
    GS_EACH_COLUMN(k->csr.type, vector->zero(queue, y.nrows, GS_AT(y)));
}

gsolve_status gs_copy_vector(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    gs_op_expect(k, GS_COPY, gs_op_bytes(x) + gs_op_bytes(y));
    GS_EACH_COLUMN(y.type, vector->copy(queue, y.nrows, x.type, GS_AT(x), GS_AT(y)));
}

gsolve_status gs_scale(gs_krylov *k, gs_coefficient a, gsolve_dense y)
{
    gs_op_expect(k, GS_SCALE, 2 * gs_op_bytes(y));
    GS_EACH_COLUMN(k->csr.type, vector->scale(queue, y.nrows, GS_RATIO(a), GS_AT(y)));
}

gsolve_status gs_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy)
{
    gs_op_expect(k, GS_DOT, (x.value == y.value ? 1 : 2) * gs_op_bytes(y));
    GS_EACH_COLUMN_AND_SUM(k->csr.type, vector->dot(queue, y.nrows, GS_AT(x), GS_AT(y), &xy[c]),
                           {xy, 1, 1});
}

gsolve_status gs_dot2(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy, gs_scalar xx)
{
    gs_op_expect(k, GS_DOT2, 2 * gs_op_bytes(y));
    GS_EACH_COLUMN_AND_SUM(k->csr.type,
                           vector->dot2(queue, y.nrows, GS_AT(x), GS_AT(y), &xy[c], &xx[c]),
                           {xy, 1, 1}, {xx, 1, 1});
}

gsolve_status gs_axpby(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                       gsolve_dense y)
{
    gs_op_expect(k, GS_AXPBY, (gs_op_reads(a) + gs_op_reads(b) + 1) * gs_op_bytes(y));
    GS_EACH_COLUMN(k->csr.type,
                   vector->axpby(queue, y.nrows, GS_RATIO(a), GS_AT(x), GS_RATIO(b), GS_AT(y)));
}

gsolve_status gs_axpbypcz(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                          gsolve_dense y, gs_coefficient g, gsolve_dense z)
{
    gs_op_expect(k, GS_AXPBYPCZ,
                 (gs_op_reads(a) + gs_op_reads(b) + gs_op_reads(g) + 1) * gs_op_bytes(z));
    GS_EACH_COLUMN(k->csr.type,
                   vector->axpbypcz(queue, z.nrows,
                                    &(gs_axpbypcz_args){GS_RATIO(a), GS_RATIO(b), GS_RATIO(g),
                                                        GS_AT(x), GS_AT(y), GS_AT(z), NULL, NULL}));
}

static gsolve_status axpy_norm(gs_krylov *k, gs_coefficient a, gsolve_dense x, gsolve_dense y,
                               gs_scalar yy)
{
    gs_op_expect(k, GS_AXPY_NORM, 3 * gs_op_bytes(y));
    GS_EACH_COLUMN_AND_SUM(
        k->csr.type, vector->axpy_norm(queue, y.nrows, GS_RATIO(a), GS_AT(x), GS_AT(y), &yy[c]),
        {yy, 1, 1});
}

/* Rounding errors give y = r a component in the left null space, which A cannot remove. It would
 * stay while r decreases; idr then fails. */
gsolve_status gs_axpy_norm(gs_krylov *k, gs_coefficient a, gsolve_dense x, gsolve_dense y,
                           gs_scalar yy)
{
    gsolve_status status = axpy_norm(k, a, x, y, yy);

    if (status != GSOLVE_OK || !gs_projects(k) || yy != k->rr) return status;
    status = gs_op_project(k, &k->run->projection.spaces->left, y);
    return status == GSOLVE_OK ? gs_dot(k, y, y, yy) : status;
}

#define BASIS ((gs_basis_vectors){m, V.type, GS_AT(V), gs_vector_stride(V.nrows)})

gsolve_status gs_dots(gs_krylov *k, int m, gsolve_dense V, gsolve_dense w, double *h,
                      int64_t stride)
{
    gs_op_expect(k, GS_DOTS, m * gs_op_bytes(V) + gs_op_bytes(w));
    GS_EACH_COLUMN_AND_SUM(
        k->csr.type, vector->dots(queue, w.nrows, BASIS, GS_AT(w), h + c * stride), {h, stride, m});
}

gsolve_status gs_combine(gs_krylov *k, int m, gsolve_dense V, const double *h, int64_t stride,
                         double sign, gsolve_dense w, gs_scalar ww)
{
    gs_op_expect(k, GS_COMBINE, m * gs_op_bytes(V) + 2 * gs_op_bytes(w));
    GS_EACH_COLUMN_AND_SUM(
        k->csr.type,
        vector->combine(queue, w.nrows, BASIS, h + c * stride, sign, GS_AT(w), ww ? &ww[c] : NULL),
        {ww, 1, 1});
}

#undef BASIS

static gsolve_status solution_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                                   const gs_solution_vectors *v, gs_scalar wr)
{
#define VECTORS \
    ((gs_solution){GS_AT(v->p), GS_AT(v->s), GS_AT(v->t), GS_AT(v->w), GS_AT(k->x), GS_AT(v->r)})
    gs_convergence_test test = gs_convergence_test_of(k, 0);

    if (k->comm) test.progress = NULL; /* r'r is not known yet */
    gs_op_expect(k, GS_SOLUTION_STEP, 8 * gs_op_bytes(v->r));
    GS_EACH_COLUMN_AND_SUM(
        k->csr.type,
        (test.c = c, vector->solution_step(queue, v->r.nrows, GS_RATIO(a), GS_RATIO(b), VECTORS,
                                           &k->rr[c], &wr[c], &test)),
        {k->rr, 1, 1}, {wr, 1, 1});
#undef VECTORS
}

gsolve_status gs_solution_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                               const gs_solution_vectors *v, gs_scalar wr)
{
    const gsolve_status status = solution_step(k, a, b, v, wr);

    return status == GSOLVE_OK ? gs_op_test_ranks(k) : status;
}

gsolve_status gs_pipe_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                           const gs_pipe_vectors *v, gs_scalar ru, gs_scalar wu)
{
#define PIPE                                                                                 \
    ((gs_pipe){GS_AT(v->m), GS_AT(v->n), GS_AT(v->z), GS_AT(v->q), GS_AT(v->s), GS_AT(v->p), \
               GS_AT(k->x), GS_AT(v->r), GS_AT(v->u), GS_AT(v->w)})
    gs_op_expect(k, GS_PIPE_STEP, 18 * gs_op_bytes(v->r));
    GS_EACH_COLUMN_AND_SUM(k->csr.type,
                           vector->pipe_step(queue, v->r.nrows, GS_RATIO(a), GS_RATIO(b), PIPE,
                                             &ru[c], &wu[c], &k->rr[c]),
                           {ru, 1, 1}, {wu, 1, 1}, {k->rr, 1, 1});
#undef PIPE
}
