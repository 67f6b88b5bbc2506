/* direct.c: a direct solve as the "method" x += F^-1 (b - Ax), so that the loop tests the true
 * residual and refines x as with any method. F is a sparse Cholesky, LU or QR factorisation of A by
 * CXSparse or another library, see factor/factor.h. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "solver/methods/direct.h"

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(20, 3),
    {"factor", "the factorisation; auto: Cholesky, LU or QR, chosen from the properties of A",
     GSOLVE_CHOICE, offsetof(gs_direct_options, factor), GS_FACTOR_AUTO, 0, 0,
     "auto|cholesky|lu|qr"},
    {"library",
     "the library that factors; auto: cxsparse for a small factorisation, else the fastest in this "
     "build. Cholesky: cxsparse, cholmod, mumps; LU: cxsparse, umfpack, mumps; QR: "
     "cxsparse",
     GSOLVE_CHOICE, offsetof(gs_direct_options, library), GS_LIBRARY_AUTO, 0, 0,
     "auto|cxsparse|cholmod|umfpack|mumps"},
    {"limit",
     "largest number of entries in the factors, in millions; the solve is refused if they would "
     "have more",
     GSOLVE_REAL, offsetof(gs_direct_options, limit), 500, 0.001, 1e6, NULL},
    {"work",
     "largest number of operations of the factorisation, in billions (1e9); the solve is refused "
     "if it would take more",
     GSOLVE_REAL, offsetof(gs_direct_options, work), 10000, 0.001, 1e9, NULL},
    GS_SCALE_OPTION(gs_direct_options,
                    "factor a scaled A, with factor=cholesky or lu. symmetric: rows and columns, "
                    "to a largest magnitude near 1; rows: rows only, with lu; auto: symmetric or "
                    "rows if the largest magnitudes of the rows differ by a factor of 100 or more"),
    {"order",
     "order of the unknowns, with factor=cholesky or lu. amd: the library orders, by approximate "
     "minimum degree or another method of its own; rcm: reverse Cuthill-McKee; nd: nested "
     "dissection, if gsolve was built with METIS; none: as given",
     GSOLVE_CHOICE, offsetof(gs_direct_options, transform.order), GS_ORDER_AMD, 0, 0,
     GS_ORDER_WORDS},
    {0},
};

/* --- solving ---------------------------------------------------------------------------------- */

static void destroy(gs_krylov *k)
{
    gs_direct_state *s = k->state;

    gs_factorisation_destroy(s->factors, k->ctx);
    gs_transform_destroy(&s->transform, k->ctx);
    gsolve_free(k->ctx, GSOLVE_HOST, s->in);
    gsolve_free(k->ctx, GSOLVE_HOST, s->out);
    gsolve_free(k->ctx, GSOLVE_HOST, s->b);
    gsolve_free(k->ctx, GSOLVE_HOST, s->x);
    gsolve_free(k->ctx, GSOLVE_HOST, s->values);
    memset(s, 0, sizeof *s);
}

/* Work space for a column, unless it is there. */
static gsolve_status need_columns(gs_krylov *k)
{
    gs_direct_state *s = k->state;
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    gsolve_status status = GSOLVE_OK;

    if (!s->b) ALLOC(k->ctx, GSOLVE_HOST, s->b, m);
    if (!s->x) ALLOC(k->ctx, GSOLVE_HOST, s->x, n);
    if (!s->values && k->csr.type == GSOLVE_F32) {
        ALLOC(k->ctx, GSOLVE_HOST, s->values, m > n ? m : n);
    }
    if (!s->in && s->transformed) ALLOC(k->ctx, GSOLVE_HOST, s->in, m);
    if (!s->out && s->transformed) ALLOC(k->ctx, GSOLVE_HOST, s->out, n);
done:
    return status;
}

/* For more columns only r and dx are new. */
static gsolve_status setup(gs_krylov *k)
{
    gs_direct_state *s = k->state;
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    gsolve_status status;

    k->period = 0; /* on the host */
    TRY(gs_new_vector(k, m, &s->r));
    TRY(gs_new_vector(k, n, &s->dx));
    if (gs_is_counting(k)) return GSOLVE_UNSUPPORTED; /* the factors */
    if (!s->factors) TRY(k->file ? gs_direct_load(k) : gs_direct_factor(k));
    if (s->factors->request.kind == GS_QR) TRY(gs_least_squares_prepare(k));
    TRY(need_columns(k));
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    gs_direct_state *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status = GSOLVE_OK;

    gsolve_matrix_describe(k->A, &info);
    if (info.version != s->version) TRY(gs_direct_factor(k));
    TRY(gs_residual(k, s->r));
done:
    return status;
}

/* s->x = A^-1 s->b by the factors. */
static gsolve_status solve(const gs_direct_state *s)
{
    gsolve_status status;

    if (!s->transformed) return gs_factorisation_solve(s->factors, false, s->b, s->x);
    gs_transform_in_host(&s->transform, s->b, s->in);
    status = gs_factorisation_solve(s->factors, false, s->in, s->out);
    if (status == GSOLVE_OK) gs_transform_out_host(&s->transform, s->out, s->x);
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    gs_direct_state *s = k->state;
    const bool single = k->csr.type == GSOLVE_F32;
    const size_t size = gs_type_size(k->csr.type);
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    const double begin = gs_now();
    gsolve_status status = GSOLVE_OK;

    (void)j;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        TRY(gsolve_copy(k->ctx, single ? (void *)s->values : s->b, GSOLVE_HOST,
                        gs_column_of(s->r, c).value, s->r.location, (size_t)m * size));
        for (int32_t i = 0; single && i < m; i++) s->b[i] = s->values[i];
        status = solve(s);
        if (status != GSOLVE_OK) return gs_factor_out_of_memory(k->ctx);
        for (int32_t i = 0; single && i < n; i++) s->values[i] = (float)s->x[i];
        TRY(gsolve_copy(k->ctx, gs_column_of(s->dx, c).value, s->dx.location,
                        single ? (void *)s->values : s->x, GSOLVE_HOST, (size_t)n * size));
    }
    gs_add_precond_seconds(k, gs_now() - begin);
    TRY(gs_axpby(k, gs_number(1), s->dx, gs_number(1), k->x)); /* x += F^-1 r         */
    TRY(gs_residual(k, s->r));                                 /* r = b - A x         */
done:
    return status;
}

static gsolve_status save(const gs_krylov *k, gs_saving *file)
{
    const gs_direct_state *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    if (s->transformed) return gs_direct_refuse_transform(k);
    gsolve_matrix_describe(k->A, &info);
    if (info.version == s->version) return gs_factorisation_save(s->factors, file);
    return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                       "the factors are those of older values of the matrix; run the solver, which "
                       "computes new ones, and save then");
}

/* The note: the factorisation, its library, scale and order, and its cost. */
static gsolve_status finish(gs_krylov *k)
{
    const gs_direct_state *s = k->state;
    const gs_factorisation *F = s->factors;
    const gs_direct_cost cost = gs_factorisation_cost(F);
    char transform[80];

    gs_transform_describe(&s->transform, transform, sizeof transform);
    snprintf(k->note, sizeof k->note, "%s by %s%s%s: %s entries, %s operations.",
             gs_factor_kind_name(F->request.kind), F->library->name, transform[0] ? ", " : "",
             transform, gs_count_in_words(cost.entries).text,
             gs_count_in_words(cost.operations).text);
    return GSOLVE_OK;
}

const gs_method gs_direct = {
    .plugin = {"direct",
               "sparse factorisation; any A (least squares if A is not square); an iteration "
               "is a step of iterative refinement; the last bits may differ between machines",
               options, sizeof(gs_direct_options)},
    .state_size = sizeof(gs_direct_state),
    .one_rank = "use cg, minres or gmres",
    .any_shape = true,
    .ignores_precond = true,
    .keeps_state = true,
    .setup = setup,
    .start = start,
    .step = step,
    .finish = finish,
    .destroy = destroy,
    .save = save,
};
