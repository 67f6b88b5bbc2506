/* direct_factor.c: which factorisation the method direct computes, and by which library. */
#include <limits.h>
#include <stdio.h>

#include "core/try.h"
#include "solver/methods/direct.h"

/* *A = a view of A's rows in double precision; *converted owns its arrays if they are new. */
static gsolve_status rows_in_double(gs_krylov *k, gsolve_csr *A, gsolve_csr *converted)
{
    gsolve_status status = GSOLVE_OK;

    if (k->csr.offset != GSOLVE_O32) {
        return gsolve_fail(
            k->ctx, GSOLVE_UNSUPPORTED,
            "direct works with at most %d entries; this matrix has more: use an iterative "
            "method",
            INT_MAX);
    }
    if (k->csr.type != GSOLVE_F64) TRY(gs_csr_copy(converted, k->ctx, GSOLVE_F64, &k->csr));
    *A = k->csr.type != GSOLVE_F64 ? *converted : k->csr;
done:
    return status;
}

/* Whether Cholesky may succeed and the library of the option computes it. Scaled rows are not
 * symmetric. */
static bool may_be_cholesky(const gs_krylov *k, const gsolve_statistics *t)
{
    const gs_direct_options *o = k->options;
    const gs_direct_state *s = k->state;
    const int scale = s->transformed ? s->transform.used.scale : o->transform.scale;

    return t->symmetric && !t->zero_diagonals && !t->negative_diagonals && scale != GS_SCALE_ROWS &&
           gs_factor_choice_computes(o->library, GS_CHOLESKY);
}

/* Refuses scale and order for QR, and a factorisation of square matrices for others. */
static gsolve_status check_transform(const gs_krylov *k, const gsolve_csr *A)
{
    const gs_direct_options *o = k->options;
    const char *remedy =
        o->factor == GS_FACTOR_AUTO ? "leave them out" : "leave them out, and use factor=qr";

    if (o->transform.scale == GS_SCALE_NONE && o->transform.order == GS_ORDER_AMD) {
        return GSOLVE_OK;
    }
    if (o->factor == GS_QR) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_SPEC,
                           "direct has no scale and order for factor=qr; leave them out, or use "
                           "factor=lu or factor=cholesky");
    }
    if (A->nrows == A->ncols) return GSOLVE_OK;
    return gsolve_fail(
        k->ctx, GSOLVE_BAD_MATRIX,
        "scale and order of direct need a square matrix, and this one is %d x %d; %s", A->nrows,
        A->ncols, remedy);
}

/* With the options of a transform: *A, a view of rows that *owned owns or the matrix does, becomes
 * P R A C P', which *owned owns. */
static gsolve_status transform_rows(gs_krylov *k, gsolve_csr *A, gsolve_csr *owned)
{
    gs_direct_state *s = k->state;
    const gs_direct_options *given = k->options;
    gs_transform_options o = given->transform;
    gs_transform fresh = {0};
    gsolve_csr B;
    gsolve_status status;

    TRY(check_transform(k, A));
    if (o.order == GS_ORDER_AMD) o.order = GS_ORDER_NONE; /* by the library */
    if (!gs_transform_wanted(&o)) return GSOLVE_OK;
    TRY(s->transformed
            ? gs_transform_rescale(&fresh, k->ctx, &s->transform, A)
            : gs_transform_create(&fresh, k->ctx, &o, given->factor == GS_CHOLESKY, "direct", A));
    TRY(gs_transform_replace(&s->transform, k->ctx, &fresh));
    s->transformed = true;
    TRY(gs_transform_rows(&s->transform, k->ctx, &B, A));
    gsolve_csr_free(owned, k->ctx);
    *owned = *A = B;
done:
    gs_transform_destroy(&fresh, k->ctx);
    return status;
}

/* Replaces the factors by those of A, of this kind. The pivots of LU are sought on the diagonal
 * where the pattern is symmetric and no diagonal entry is 0. */
static gsolve_status create(gs_krylov *k, gs_factor_kind kind, const gsolve_statistics *t,
                            gs_direct_cost limit, const gsolve_csr *A)
{
    const gs_direct_options *o = k->options;
    gs_direct_state *s = k->state;
    const gs_factor_request request = {.kind = kind,
                                       .diagonal = t->symmetric_pattern && t->zero_diagonals == 0,
                                       .ordered = o->transform.order != GS_ORDER_AMD,
                                       .limit = limit};

    gs_factorisation_destroy(s->factors, k->ctx);
    s->factors = NULL;
    return gs_factorisation_create_by(&s->factors, k->ctx, o->library, &request, A);
}

/* Factors new values with the kept analysis, or A for the first time. New pivots of LU can pass the
 * operations that library=auto leaves to CXSparse; then it chooses again. */
static gsolve_status renew(gs_krylov *k, gs_factor_kind kind, const gsolve_statistics *t,
                           gs_direct_cost limit, const gsolve_csr *A)
{
    const gs_direct_options *o = k->options;
    gs_direct_state *s = k->state;
    gsolve_status status;

    if (!s->factors) return create(k, kind, t, limit, A);
    status = gs_factorisation_update(s->factors, k->ctx, limit, A);
    if (status != GSOLVE_UNSUPPORTED || o->library != GS_LIBRARY_AUTO) return status;
    return create(k, kind, t, limit, A);
}

/* Cholesky if A allows it, else LU, or QR if A is not square. A kind that has succeeded stays for
 * new values, but Cholesky that fails gives way to LU. */
static gsolve_status factor_auto(gs_krylov *k, const gsolve_statistics *t, gs_direct_cost limit,
                                 const gsolve_csr *A)
{
    gs_direct_state *s = k->state;
    const gs_factor_kind kind = s->factors                     ? s->factors->request.kind
                                : k->csr.nrows != k->csr.ncols ? GS_QR
                                : may_be_cholesky(k, t)        ? GS_CHOLESKY
                                                               : GS_LU;
    gsolve_status status;

    if (kind == GS_CHOLESKY && !may_be_cholesky(k, t)) return create(k, GS_LU, t, limit, A);
    status = renew(k, kind, t, limit, A);
    if (kind == GS_CHOLESKY && status == GSOLVE_ZERO_PIVOT &&
        gs_factor_choice_computes(((const gs_direct_options *)k->options)->library, GS_LU)) {
        status = create(k, GS_LU, t, limit, A);
    }
    return status;
}

/* Adds to the sentence of a factorisation that failed what to use instead. */
static gsolve_status add_remedy(const gs_krylov *k, const gsolve_statistics *t)
{
    const gs_direct_options *o = k->options;
    const bool sums = t->nrows > 0 && t->zero_sum_rows == t->nrows;
    char why[400];

    snprintf(why, sizeof why, "%s", gsolve_error(k->ctx));
    if (o->factor == GS_CHOLESKY || !gs_factor_choice_computes(o->library, GS_LU)) {
        return gsolve_fail(k->ctx, GSOLVE_ZERO_PIVOT, "%s; use %s", why,
                           o->factor == GS_CHOLESKY ? "factor=lu" : "library=auto");
    }
    return gsolve_fail(k->ctx, GSOLVE_ZERO_PIVOT, "%s; use %s", why,
                       sums ? "an iterative method and give the null space, the constants, by "
                              "gsolve_matrix_set_null_space, since every row sums to 0"
                            : "the method lsmr");
}

gsolve_status gs_direct_factor(gs_krylov *k)
{
    const gs_direct_options *o = k->options;
    gs_direct_state *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_csr converted = {0}, A;
    gsolve_status status;

    TRY(gs_need_rows(k));
    TRY(gsolve_matrix_statistics(k->A, &t));
    TRY(rows_in_double(k, &A, &converted));
    if (o->factor == GS_CHOLESKY && A.nrows == A.ncols && !t.symmetric) {
        TRY(gs_factor_check_symmetric(k->ctx, &A));
    }
    TRY(transform_rows(k, &A, &converted));
    const gs_direct_cost limit = gs_factor_limit(k->ctx, o->limit * 1e6, o->work * 1e9);
    status = o->factor == GS_FACTOR_AUTO ? factor_auto(k, &t, limit, &A)
                                         : renew(k, (gs_factor_kind)o->factor, &t, limit, &A);
    if (status == GSOLVE_ZERO_PIVOT) status = add_remedy(k, &t);
    TRY(status);
    gsolve_matrix_describe(k->A, &info);
    s->version = info.version;
done:
    gsolve_csr_free(&converted, k->ctx);
    return status;
}

gsolve_status gs_direct_refuse_transform(const gs_krylov *k)
{
    return gsolve_fail(k->ctx, GSOLVE_UNSUPPORTED,
                       "the factors of a scaled or reordered matrix cannot be saved to a file; "
                       "leave the options scale and order of direct out");
}

gsolve_status gs_direct_load(gs_krylov *k)
{
    const gs_direct_options *o = k->options;
    gs_direct_state *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    const gs_factorisation *F;
    gsolve_status status;

    if (o->transform.scale != GS_SCALE_NONE ||
        (o->transform.order != GS_ORDER_AMD && o->transform.order != GS_ORDER_NONE)) {
        return gs_direct_refuse_transform(k);
    }
    TRY(gs_factorisation_load(&s->factors, k->file, k->csr.nrows, k->csr.ncols,
                              gs_factor_limit(k->ctx, o->limit * 1e6, o->work * 1e9)));
    F = s->factors;
    if (F->request.ordered != (o->transform.order == GS_ORDER_NONE) ||
        (o->factor != GS_FACTOR_AUTO && o->factor != (int)F->request.kind) ||
        (o->library != GS_LIBRARY_AUTO && gs_factor_library_at(o->library - 1) != F->library)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_SPEC,
                           "%.400s holds %s factors by %s, and the options ask for others; set the "
                           "solver up from the matrix and save it again",
                           k->file->path, gs_factor_kind_name(F->request.kind), F->library->name);
    }
    gsolve_matrix_describe(k->A, &info);
    s->version = info.version;
done:
    return status;
}
