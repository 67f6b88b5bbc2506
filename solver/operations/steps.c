/* steps.c: the operations that do several updates of a step in one pass. */
#include "core/try.h"
#include "solver/operations/common.h"

/* z = a x + b y + g z and w = d z. Without values of y or w that vector is left out. */
typedef struct combination {
    gs_coefficient a, b, g;
    gsolve_dense x, y, z, w;
    const void *d; /* a diagonal, or NULL: w = z */
} combination;

static gsolve_status combine(gs_krylov *k, const combination *f)
{
    const bool with_y = f->y.value, with_w = f->w.value;
    const int read = gs_op_reads(f->a) + (with_y && gs_op_reads(f->b)) + gs_op_reads(f->g);
    const int others = with_w ? 1 + (f->d != NULL) : 0;

    gs_op_expect(k, GS_AXPBYPCZ_DIAGONAL, (read + 1 + others) * gs_op_bytes(f->z));
    GS_EACH_COLUMN(
        k->csr.type,
        vector->axpbypcz(queue, f->z.nrows,
                         &(gs_axpbypcz_args){GS_RATIO(f->a), GS_RATIO(f->b), GS_RATIO(f->g),
                                             GS_AT(f->x), with_y ? GS_AT(f->y) : NULL, GS_AT(f->z),
                                             f->d, with_w ? GS_AT(f->w) : NULL}));
}

gsolve_status gs_axpbypcz_precondition(gs_krylov *k, gs_coefficient a, gsolve_dense x,
                                       gs_coefficient b, gsolve_dense y, gs_coefficient g,
                                       gsolve_dense z, gsolve_dense w)
{
    combination f = {a, b, g, x, y, z, w, NULL};
    bool simple;
    gsolve_status status;

    f.d = gs_diagonal(k, &simple);
    if (!simple) f.w.value = NULL;
    TRY(combine(k, &f));
    if (!simple) TRY(gs_precondition(k, z, w));
done:
    return status;
}

gsolve_status gs_solution_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                               const gs_solution_vectors *v, gs_scalar wr)
{
#define VECTORS \
    ((gs_solution){GS_AT(v->p), GS_AT(v->s), GS_AT(v->t), GS_AT(v->w), GS_AT(k->x), GS_AT(v->r)})
    gs_convergence_test test = gs_convergence_test_of(k, 0);

    gs_op_expect(k, GS_SOLUTION_STEP, 8 * gs_op_bytes(v->r));
    GS_EACH_COLUMN(k->csr.type,
                   (test.c = c, vector->solution_step(queue, v->r.nrows, GS_RATIO(a), GS_RATIO(b),
                                                      VECTORS, &k->rr[c], &wr[c], &test)));
#undef VECTORS
}

static gsolve_status residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                                   const void *d, gs_scalar rz)
{
    gs_convergence_test test = gs_convergence_test_of(k, 0);

    gs_op_expect(k, GS_RESIDUAL_STEP, (3 + (d != NULL)) * gs_op_bytes(r));
    GS_EACH_COLUMN(k->csr.type,
                   (test.c = c, vector->residual_step(queue, r.nrows, GS_RATIO(a),
                                                      (gs_residual_vectors){GS_AT(q), d, GS_AT(r)},
                                                      &k->rr[c], &rz[c], &test)));
}

gsolve_status gs_residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                               gsolve_dense z, gs_scalar rz)
{
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    gsolve_status status;

    TRY(residual_step(k, a, q, r, d, rz));
    /* a run of an inner solver may continue with p, so z is needed even if the column has ended */
    if (!simple) TRY(gs_op_precondition_dot(k, r, z, rz, k->inner));
done:
    return status;
}

gsolve_status gs_direction_step(gs_krylov *k, gs_coefficient a, gs_coefficient b, gsolve_dense r,
                                gsolve_dense z, gsolve_dense p)
{
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    const gsolve_dense from = simple ? r : z;

    gs_op_expect(k, GS_DIRECTION_STEP, (5 + (d != NULL)) * gs_op_bytes(p));
    GS_EACH_COLUMN(k->csr.type, vector->direction_step(queue, p.nrows, GS_RATIO(a), GS_RATIO(b), d,
                                                       GS_AT(from), GS_AT(p), GS_AT(k->x)));
}

gsolve_status gs_pipe_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                           const gs_pipe_vectors *v, gs_scalar ru, gs_scalar wu)
{
#define PIPE                                                                                 \
    ((gs_pipe){GS_AT(v->m), GS_AT(v->n), GS_AT(v->z), GS_AT(v->q), GS_AT(v->s), GS_AT(v->p), \
               GS_AT(k->x), GS_AT(v->r), GS_AT(v->u), GS_AT(v->w)})
    gs_op_expect(k, GS_PIPE_STEP, 18 * gs_op_bytes(v->r));
    GS_EACH_COLUMN(k->csr.type, vector->pipe_step(queue, v->r.nrows, GS_RATIO(a), GS_RATIO(b), PIPE,
                                                  &ru[c], &wu[c], &k->rr[c]));
#undef PIPE
}
