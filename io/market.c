/* market.c: Matrix Market files as sparse or dense matrices. */
#include "io/market.h"

#include "core/staging.h"
#include "core/try.h"
#include "matrix/csr.h"

/* The row and column of a value of an array file, which lists columns one after the other. */
typedef struct place {
    int32_t i, j;
} place;

static place first_place(const gs_market *m)
{
    return (place){m->symmetry == GSOLVE_SKEW, 0};
}

static void next_place(place *p, const gs_market *m)
{
    if (++p->i < m->nrows) return;
    p->j++;
    p->i = m->symmetry == GSOLVE_GENERAL ? 0 : p->j + (m->symmetry == GSOLVE_SKEW);
}

/* Sets rows and columns of the nonzero values of an array file; *entries: their number. */
static gsolve_status place_array(gs_triplets *t, const gs_market *m, gsolve_context *ctx,
                                 int64_t *entries)
{
    place p = first_place(m);
    int64_t count = 0, at = 0;
    gsolve_status status;

    for (int64_t k = 0; k < m->entries; k++) count += t->v[k] != 0;
    ALLOC(ctx, GSOLVE_HOST, t->i, count);
    ALLOC(ctx, GSOLVE_HOST, t->j, count);
    for (int64_t k = 0; k < m->entries; k++, next_place(&p, m)) {
        if (t->v[k] == 0) continue;
        t->i[at] = p.i;
        t->j[at] = p.j;
        t->v[at++] = t->v[k];
    }
    *entries = count;
done:
    return status;
}

static gsolve_status read_body(gsolve_csr *csr, const gs_market *m, gs_input *in)
{
    gs_triplets t = {0};
    int64_t entries = m->entries;
    gsolve_status status;

    TRY(gs_market_lines(&t, m, in));
    if (m->array) TRY(place_array(&t, m, in->ctx, &entries));
    TRY(gs_assemble(csr, in->ctx, m->nrows, m->ncols, entries, &t, m->symmetry,
                    &in->source.duplicates));
done:
    gs_triplets_free(&t, in->ctx);
    return status;
}

gsolve_status gs_market_matrix(gsolve_csr *csr, gs_input *in)
{
    gs_market m;
    gsolve_status status;

    TRY(gs_market_head(&m, in));
    TRY(read_body(csr, &m, in));
done:
    return status;
}

/* --- dense ---------------------------------------------------------------------------- */

/* An array without symmetry: the values in the order of the file. */
static gsolve_status read_columns(gsolve_dense *v, const gs_market *m, const gs_input *in)
{
    gs_triplets t = {0};
    gsolve_status status;

    TRY(gs_market_lines(&t, m, in));
    *v = (gsolve_dense){m->nrows,   m->ncols,    m->nrows,           t.v,
                        GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
done:
    return status;
}

static gsolve_status fill(gsolve_dense *v, gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_status status = gs_dense_new(v, ctx, GSOLVE_HOST, GSOLVE_F64, A->nrows, A->ncols);

    if (status != GSOLVE_OK) return status;
    double *x = v->value;
    const double *a = A->value;
#pragma omp parallel for simd schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < v->stride * v->ncols; k++) x[k] = 0;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            x[i + A->col[k] * v->stride] = a[k];
        }
    }
    return GSOLVE_OK;
}

gsolve_status gs_market_dense(gsolve_dense *v, gs_input *in)
{
    gs_market m;
    gsolve_csr csr;
    gsolve_status status;

    TRY(gs_market_head(&m, in));
    if (m.array && m.symmetry == GSOLVE_GENERAL) return read_columns(v, &m, in);
    if (gs_input_too_large(in, (int64_t)m.nrows * m.ncols)) {
        return gs_input_fail(
            in, m.body,
            "a dense matrix of %d rows and %d columns is far too large for a file of "
            "%lld bytes; correct the header",
            m.nrows, m.ncols, (long long)(in->end - in->begin));
    }
    TRY(read_body(&csr, &m, in));
    status = fill(v, in->ctx, &csr);
    gsolve_csr_free(&csr, in->ctx);
done:
    return status;
}
