/* umfpack.c: the library umfpack: LU by UMFPACK (Davis 2004), a multifrontal method by BLAS. Where
 * the pattern is nearly symmetric it orders A + A' and prefers pivots on the diagonal; else it
 * orders the columns of A' and takes any pivots. */
#include <umfpack.h>

#include "core/context.h"
#include "factor/factor.h"

typedef struct state {
    void *symbolic, *numeric;
    double control[UMFPACK_CONTROL];
    gs_direct_cost cost;
    bool has_diagonal;              /* the analysis counted factors with pivots on the diagonal */
    gs_direct_cost diagonal, bound; /* these; an upper bound for any pivots */
} state;

/* A sentence for a failure of UMFPACK. */
static gsolve_status status_of(gsolve_context *ctx, int code)
{
    switch (code) {
    case UMFPACK_OK: return GSOLVE_OK;
    case UMFPACK_WARNING_singular_matrix:
        return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                           "the matrix is singular: LU found no pivot in a row");
    case UMFPACK_ERROR_out_of_memory: return gs_factor_out_of_memory(ctx);
    default:
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "umfpack refused the matrix (status %d); use library=cxsparse", code);
    }
}

/* Whether at least 99 % of the diagonal entries can be pivots as they are. */
static bool has_pivots_on_diagonal(const gsolve_csr *A)
{
    int32_t small = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        double diagonal = 0, largest = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const double magnitude = fabs(gs_value(A, k));
            if (A->col[k] == i) diagonal = magnitude;
            largest = fmax(largest, magnitude);
        }
        small += diagonal < UMFPACK_DEFAULT_SYM_PIVOT_TOLERANCE * largest;
    }
    return small <= A->nrows / 100;
}

/* With pivots on the diagonal the analysis counts the factors of the symmetric pattern; pivots that
 * leave the diagonal add to that. With any pivots it knows an upper bound. */
static void keep_estimates(state *s, bool diagonal, const double info[UMFPACK_INFO])
{
    s->has_diagonal = diagonal && info[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC &&
                      info[UMFPACK_SYMMETRIC_LUNZ] > 0;
    s->diagonal = (gs_direct_cost){info[UMFPACK_SYMMETRIC_LUNZ], info[UMFPACK_SYMMETRIC_FLOPS]};
    s->bound = (gs_direct_cost){info[UMFPACK_LNZ_ESTIMATE] + info[UMFPACK_UNZ_ESTIMATE],
                                info[UMFPACK_FLOPS_ESTIMATE]};
}

/* UMFPACK's columns are A's rows, so that it factors A'. */
static gsolve_status analyse(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    double info[UMFPACK_INFO];
    int code;

    umfpack_di_defaults(s->control);
    s->control[UMFPACK_PRL] = 0;
    s->control[UMFPACK_IRSTEP] = 0; /* the solver refines */
    if (F->request.ordered) s->control[UMFPACK_ORDERING] = UMFPACK_ORDERING_NONE;
    code = umfpack_di_symbolic(F->nrows, F->nrows, A->start, A->col, A->value, &s->symbolic,
                               s->control, info);
    if (code != UMFPACK_OK) return status_of(ctx, code);
    keep_estimates(s, F->request.diagonal, info);
    return GSOLVE_OK;
}

/* The estimate that suits the values decides, since UMFPACK cannot be stopped on the way. */
static gsolve_status factor(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    double info[UMFPACK_INFO];
    gsolve_status status;
    int code;

    umfpack_di_free_numeric(&s->numeric);
    s->cost = s->has_diagonal && has_pivots_on_diagonal(A) ? s->diagonal : s->bound;
    status = gs_factor_check(ctx, s->cost, F->request.limit);
    if (status != GSOLVE_OK) return status;
    code =
        umfpack_di_numeric(A->start, A->col, A->value, s->symbolic, &s->numeric, s->control, info);
    if (code != UMFPACK_OK) {
        umfpack_di_free_numeric(&s->numeric);
        return status_of(ctx, code);
    }
    s->cost = (gs_direct_cost){info[UMFPACK_LNZ] + info[UMFPACK_UNZ], info[UMFPACK_FLOPS]};
    F->pivot_ratio = info[UMFPACK_RCOND];
    return GSOLVE_OK;
}

static int64_t work_size(const gs_factorisation *F)
{
    return 2 * (int64_t)F->nrows + (F->nrows + 1) / 2; /* x; W and Wi of umfpack_di_wsolve */
}

static gsolve_status solve(const gs_factorisation *F, bool transposed, const double *b, double *x)
{
    const state *s = F->state;
    const int32_t n = F->nrows;
    double *answer = x == b ? F->work : x, *W = F->work + n;
    const int code =
        umfpack_di_wsolve(transposed ? UMFPACK_A : UMFPACK_At, NULL, NULL, NULL, answer, b,
                          s->numeric, s->control, NULL, (int *)(void *)(W + n), W);

    for (int32_t i = 0; answer != x && i < n; i++) x[i] = answer[i];
    return code >= UMFPACK_OK ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static gs_direct_cost cost(const gs_factorisation *F)
{
    return ((const state *)F->state)->cost;
}

static void destroy(gs_factorisation *F, gsolve_context *ctx)
{
    state *s = F->state;

    (void)ctx;
    umfpack_di_free_numeric(&s->numeric);
    umfpack_di_free_symbolic(&s->symbolic);
}

const gs_factor_library gs_umfpack = {
    .name = "umfpack",
    .computes = {[GS_LU] = true},
    .state_size = sizeof(state),
    .analyse = analyse,
    .factor = factor,
    .solve = solve,
    .work_size = work_size,
    .cost = cost,
    .destroy = destroy,
};
