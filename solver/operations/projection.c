/* projection.c: removes a null space of A from a vector, in all columns, see run/null_space.c. The
 * constant vector takes two passes: the sum, and the subtraction of the mean. The vectors of a
 * basis V take two more: V'v, and v - V V'v. */
#include "core/try.h"
#include "solver/operations/common.h"

/* A vector, and a null space that is removed from it. h of column c is h[c * dimension]. */
typedef struct projection {
    const gs_null_space *N;
    gsolve_dense v;
    double *h;
    int dimension;
} projection;

/* h = sum of v */
static gsolve_status sum(gs_krylov *k, const projection *f)
{
    gs_op_expect(k, GS_PROJECTION, gs_op_bytes(f->v));
    GS_EACH_COLUMN_AND_SUM(k->csr.type,
                           vector->sum(queue, f->v.nrows, GS_AT(f->v), f->h + c * f->dimension),
                           {f->h, f->dimension, 1});
}

/* v = v - h / n */
static gsolve_status subtract_mean(gs_krylov *k, const projection *f)
{
    gs_op_expect(k, GS_PROJECTION, 2 * gs_op_bytes(f->v));
    GS_EACH_COLUMN(k->csr.type, vector->shift(queue, f->v.nrows, f->h + c * f->dimension,
                                              -1.0 / (double)f->N->n, GS_AT(f->v)));
}

static gs_basis_vectors basis_of(const projection *f)
{
    return (gs_basis_vectors){f->N->V.ncols, f->N->V.type, f->N->V.value, f->N->V.stride};
}

/* h = V'v */
static gsolve_status project_dots(gs_krylov *k, const projection *f)
{
    const gs_basis_vectors V = basis_of(f);
    double *h = f->h + f->N->constants;

    gs_op_expect(k, GS_PROJECTION, V.m * gs_op_bytes(f->N->V) + gs_op_bytes(f->v));
    GS_EACH_COLUMN_AND_SUM(k->csr.type,
                           vector->dots(queue, f->v.nrows, V, GS_AT(f->v), h + c * f->dimension),
                           {h, f->dimension, V.m});
}

/* v = v - V h */
static gsolve_status subtract_basis(gs_krylov *k, const projection *f)
{
    const gs_basis_vectors V = basis_of(f);

    gs_op_expect(k, GS_PROJECTION, V.m * gs_op_bytes(f->N->V) + 2 * gs_op_bytes(f->v));
    GS_EACH_COLUMN(k->csr.type,
                   vector->combine(queue, f->v.nrows, V, f->h + c * f->dimension + f->N->constants,
                                   -1, GS_AT(f->v), NULL));
}

/* v = v - N N'v, as products do also in columns that have ended. */
gsolve_status gs_op_project(gs_krylov *k, const gs_null_space *N, gsolve_dense v)
{
    const gs_projection *p = &k->run->projection;
    const projection f = {N, v, p->h, p->dimension};
    const int *skip = k->skip;
    gsolve_status status = GSOLVE_OK;

    k->skip = p->none;
    if (N->constants) {
        TRY(sum(k, &f));
        TRY(subtract_mean(k, &f));
    }
    if (N->V.ncols > 0) {
        TRY(project_dots(k, &f));
        TRY(subtract_basis(k, &f));
    }
done:
    k->skip = skip;
    return status;
}
