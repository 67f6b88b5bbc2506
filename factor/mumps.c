/* mumps.c: the library mumps: Cholesky (as L D L') and LU by MUMPS for one process (Amestoy, Duff,
 * Koster and L'Excellent 2001), a multifrontal method by BLAS.
 *
 * MUMPS keeps data of its own in global variables, also between calls for different matrices. A
 * lock lets one thread at a time into it. */
#include <dmumps_c.h>
#include <pthread.h>

#include "core/context.h"
#include "core/try.h"
#include "factor/factor.h"

enum { ANALYSE = 1, FACTOR = 2, SOLVE = 3, OPEN = -1, CLOSE = -2 };
#define SEQUENTIAL (-987654)      /* MUMPS's own number for its only communicator */
#define ICNTL(k)   icntl[(k) - 1] /* as MUMPS's manual counts */
#define INFOG(k)   infog[(k) - 1]
#define RINFOG(k)  rinfog[(k) - 1]

typedef struct state {
    bool open;
    DMUMPS_STRUC_C id;
    int32_t *row, *column, *identity; /* from 1; identity: the order, if the caller has ordered A */
    gs_direct_cost estimate;          /* of the analysis */
} state;

_Static_assert(sizeof(MUMPS_INT) == sizeof(int32_t), "MUMPS must have integers of 32 bits");

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void call(state *s, int job)
{
    pthread_mutex_lock(&one_at_a_time);
    s->id.job = job;
    dmumps_c(&s->id);
    pthread_mutex_unlock(&one_at_a_time);
}

static gsolve_status bad_pivot(const state *s, gsolve_context *ctx)
{
    return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "%s",
                       s->id.sym ? "the matrix is not positive definite: Cholesky met a pivot that "
                                   "is not above 0"
                                 : "the matrix is singular: LU found no pivot in a column");
}

/* Calls MUMPS and makes a sentence of a failure. */
static gsolve_status run(state *s, gsolve_context *ctx, int job)
{
    call(s, job);
    const int code = s->id.INFOG(1);
    if (code >= 0) return GSOLVE_OK;
    if (code == -6 || code == -10) return bad_pivot(s, ctx);
    if (code == -7 || code == -8 || code == -9 || code == -13 || code == -19) {
        return gs_factor_out_of_memory(ctx);
    }
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "mumps refused the matrix (status %d); use library=cxsparse", code);
}

/* Whether MUMPS gets this entry: for Cholesky the lower triangle. */
static bool is_passed(const gs_factorisation *F, int32_t i, int32_t j)
{
    return F->request.kind == GS_LU || j <= i;
}

/* Sets the places of the entries. */
static gsolve_status place_entries(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    int32_t count = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s->row, gs_start(A, A->nrows));
    ALLOC(ctx, GSOLVE_HOST, s->column, gs_start(A, A->nrows));
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            if (!is_passed(F, i, A->col[k])) continue;
            s->row[count] = i + 1;
            s->column[count++] = A->col[k] + 1;
        }
    }
    s->id.n = A->nrows;
    s->id.nnz = count;
    s->id.irn = s->row;
    s->id.jcn = s->column;
done:
    return status;
}

/* id.a = the values in this order; *copy owns them if they are new. */
static gsolve_status place_values(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A,
                                  double **copy)
{
    state *s = F->state;
    int32_t count = 0;
    gsolve_status status = GSOLVE_OK;

    if (F->request.kind == GS_LU) {
        s->id.a = gs_owned_block(ctx, A->value);
        return GSOLVE_OK;
    }
    ALLOC(ctx, GSOLVE_HOST, *copy, s->id.nnz);
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            if (is_passed(F, i, A->col[k])) (*copy)[count++] = gs_value(A, k);
        }
    }
    s->id.a = *copy;
done:
    return status;
}

/* MUMPS counts in millions, as a negative number, what 31 bits do not hold. */
static double count_of(MUMPS_INT number)
{
    return number < 0 ? -1e6 * number : number;
}

static gs_direct_cost cost(const gs_factorisation *F)
{
    const state *s = F->state;

    if (!s->open) return (gs_direct_cost){0, 0};
    if (s->id.RINFOG(3) > 0) { /* factored */
        return (gs_direct_cost){count_of(s->id.INFOG(9)), s->id.RINFOG(3)};
    }
    return s->estimate;
}

static gsolve_status keep_order(state *s, gsolve_context *ctx)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s->identity, s->id.n);
    for (int32_t i = 0; i < s->id.n; i++) s->identity[i] = i + 1;
    s->id.perm_in = s->identity;
    s->id.ICNTL(7) = 1;
    s->id.ICNTL(6) = 0; /* no permutation of columns */
done:
    return status;
}

static gsolve_status analyse(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    double *copy = NULL;
    gsolve_status status;

    s->id.par = 1;
    s->id.sym = F->request.kind == GS_CHOLESKY;
    s->id.comm_fortran = SEQUENTIAL;
    TRY(run(s, ctx, OPEN));
    s->open = true;
    for (int k = 1; k <= 3; k++) s->id.ICNTL(k) = -1; /* prints nothing */
    s->id.ICNTL(4) = 0;
    TRY(place_entries(F, ctx, A));
    if (F->request.ordered) TRY(keep_order(s, ctx));
    TRY(place_values(F, ctx, A, &copy));
    TRY(run(s, ctx, ANALYSE));
    s->estimate = (gs_direct_cost){count_of(s->id.INFOG(3)), s->id.RINFOG(1)};
done:
    s->id.a = NULL;
    gsolve_free(ctx, GSOLVE_HOST, copy);
    return status;
}

/* Factors within the limit. Repeats a factorisation that ran out of its work space with more of it.
 * Pivoting needs more than the analysis estimates; ICNTL(14) is what MUMPS adds, in percent. The
 * space stays within the limit of the factors' entries. */
static gsolve_status factor_with_space(const gs_factorisation *F, gsolve_context *ctx)
{
    state *s = F->state;
    gs_direct_cost grown = s->estimate;
    gsolve_status status = gs_factor_check(ctx, grown, F->request.limit);

    if (status != GSOLVE_OK) return status;
    status = run(s, ctx, FACTOR);
    for (int more = 50; more <= 800 && (s->id.INFOG(1) == -8 || s->id.INFOG(1) == -9); more *= 2) {
        grown.entries = s->estimate.entries * (1 + more / 100.);
        status = gs_factor_check(ctx, grown, F->request.limit);
        if (status != GSOLVE_OK) break;
        s->id.ICNTL(14) = more;
        status = run(s, ctx, FACTOR);
    }
    return status;
}

static gsolve_status factor(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    double *copy = NULL;
    gsolve_status status;

    TRY(place_values(F, ctx, A, &copy));
    status = factor_with_space(F, ctx);
    if (status == GSOLVE_OK && F->request.kind == GS_CHOLESKY && s->id.INFOG(12) > 0) {
        status = gs_factor_not_definite(ctx, F, A);
    }
done:
    s->id.a = NULL;
    gsolve_free(ctx, GSOLVE_HOST, copy);
    return status;
}

static gsolve_status solve(const gs_factorisation *F, bool transposed, const double *b, double *x)
{
    state *s = F->state;

    for (int32_t i = 0; i < F->nrows; i++) x[i] = b[i];
    s->id.rhs = x;
    s->id.nrhs = 1;
    s->id.ICNTL(9) = transposed ? 2 : 1;
    call(s, SOLVE);
    s->id.rhs = NULL;
    return s->id.INFOG(1) >= 0 ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static void destroy(gs_factorisation *F, gsolve_context *ctx)
{
    state *s = F->state;

    if (s->open) call(s, CLOSE);
    gsolve_free(ctx, GSOLVE_HOST, s->row);
    gsolve_free(ctx, GSOLVE_HOST, s->column);
    gsolve_free(ctx, GSOLVE_HOST, s->identity);
}

const gs_factor_library gs_mumps = {
    .name = "mumps",
    .computes = {[GS_CHOLESKY] = true, [GS_LU] = true},
    .state_size = sizeof(state),
    .analyse = analyse,
    .factor = factor,
    .solve = solve,
    .cost = cost,
    .destroy = destroy,
};
