/* choose.c: the rules by which "auto" chooses a method and a preconditioner from the statistics of
 * a matrix. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/info.h"
#include "core/try.h"
#include "solver/choose/auto_method.h"
#include "solver/choose/ranking.h"

typedef struct rule {
    const char *solver, *precond, *why;
} rule;

/* Whether CXSparse factors the matrix in the time of a few hundred iterations. */
static bool is_small(const gsolve_statistics *t)
{
    return t->nrows <= 2000 || (t->nrows <= 20000 && t->entries <= 400000);
}

static bool may_be_definite(const gsolve_statistics *t)
{
    return t->symmetric && t->zero_diagonals == 0 && t->negative_diagonals == 0;
}

/* The last choice: it also ends with success where no x solves A x = b. */
#define LEAST_SQUARES "lsmr,accept=singular", "jacobi,normal=1"

/* Tried after cg with every preconditioner has failed. */
static const rule after_cg[] = {
    {"direct,limit=60,work=40", "none",
     "a direct method, because it tolerates ill-conditioned matrices"},
    {"minres,maxit=50000", "jacobi,abs=1", "symmetric; minres does not need a definite matrix"},
    {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
    {LEAST_SQUARES, "perhaps singular: least squares"},
    {0},
};

static const rule *rules_for(const gsolve_statistics *t)
{
    static const rule rectangular[] = {
        {"direct", "none", "not square: least squares by a sparse QR factorisation"},
        {"lsmr,accept=singular,maxit=5000", "jacobi,normal=1",
         "not square: least squares without a factorisation"},
        {"direct", "none", "not square: a QR factorisation of any cost"},
        {LEAST_SQUARES, "not square: least squares without a factorisation"},
        {0},
    };
    static const rule small_symmetric[] = {
        {"direct,limit=60,work=40", "none",
         "symmetric, not positive definite, and small enough to factor"},
        {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
        {LEAST_SQUARES, "perhaps singular: least squares"},
        {0},
    };
    static const rule indefinite[] = {
        {"minres", "jacobi,abs=1", "symmetric, not positive definite"},
        {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
        {"direct,limit=60,work=40", "none",
         "a direct method, because it tolerates ill-conditioned matrices"},
        {LEAST_SQUARES, "perhaps singular: least squares"},
        {0},
    };
    static const rule general[] = {
        {"bicgstab,maxit=2000", "ilu", "not symmetric, no zero on the diagonal"},
        {"direct,limit=60,work=40", "none",
         "a direct method, because it tolerates ill-conditioned matrices"},
        {"gmres,restart=100,maxit=2000", "ilu", "more robust than bicgstab"},
        {"gmres,restart=100,maxit=2000", "jacobi", "jacobi needs no factorisation, unlike ilu"},
        {"gmres,restart=200,maxit=4000", "none",
         "no preconditioner, in case ilu and jacobi are poor"},
        {LEAST_SQUARES, "perhaps singular: least squares"},
        {0},
    };
    static const rule small_general[] = {
        {"direct,limit=60,work=40", "none", "zeros on the diagonal, and small enough to factor"},
        {"gmres,restart=200,maxit=4000", "none", "perhaps singular"},
        {"direct,factor=qr,limit=60,work=40", "none", "perhaps singular: least squares"},
        {LEAST_SQUARES, "perhaps singular: least squares without a factorisation"},
        {0},
    };
    static const rule zero_diagonal[] = {
        {"gmres,restart=100,maxit=2000", "none",
         "zeros on the diagonal, so ilu and jacobi cannot be used"},
        {"direct,limit=60,work=40", "none",
         "a direct method, because it tolerates zeros on the diagonal"},
        {LEAST_SQUARES, "perhaps singular: least squares"},
        {0},
    };
    if (t->nrows != t->ncols) return rectangular;
    if (t->symmetric) return is_small(t) ? small_symmetric : indefinite;
    if (t->zero_diagonals == 0) return general;
    return is_small(t) ? small_general : zero_diagonal;
}

static bool set_choice(const rule *r, gsolve_choice *choice)
{
    snprintf(choice->method, sizeof choice->method, "%s", r->solver);
    snprintf(choice->precond, sizeof choice->precond, "%s", r->precond);
    snprintf(choice->why, sizeof choice->why, "%s", r->why);
    return true;
}

static bool set_choice_at(const rule *rules, int index, gsolve_choice *choice)
{
    for (int k = 0; k <= index; k++) {
        if (!rules[k].solver) return false;
    }
    return set_choice(&rules[index], choice);
}

/* Limits the work of the first QR factorisation of a matrix that is not square to QR_ITERATIONS
 * iterations of lsmr, or to QR_LEAST where a user does not notice the time. An iteration takes
 * about 2 ns for each entry and 5 ns for each row and column (teko_lsc_B: 65 us; illc1850: 35 us),
 * and QR makes 1.6 operations in a ns. Sparse QR can fill in: 8 s for gen:lp, where lsmr takes 15
 * iterations. */
#define QR_ITERATIONS 500
#define QR_LEAST      0.1 /* 1e9 operations */
#define QR_MOST       10000

static void limit_qr(const gsolve_statistics *t, gsolve_choice *choice)
{
    const double ns = 2 * (double)t->entries + 5 * ((double)t->nrows + t->ncols),
                 work = 1e-9 * 1.6 * QR_ITERATIONS * ns;

    snprintf(choice->method, sizeof choice->method, "direct,work=%.2g",
             fmin(fmax(work, QR_LEAST), QR_MOST));
}

/* The choices for a matrix that is not symmetric or not definite, or not square. An operator with
 * Dirichlet conditions whose rows were replaced, but whose columns were kept, takes amg before the
 * others. */
static bool choose_general(const gsolve_context *ctx, const gsolve_statistics *t, int attempt,
                           gsolve_choice *choice)
{
    char why[sizeof choice->why];
    const bool fixed = !t->symmetric && t->symmetric_rest && t->zero_diagonals == 0 &&
                       t->negative_diagonals == 0 &&
                       gs_prefers_amg(t, gs_on_gpu(ctx), why, sizeof why);

    if (fixed && attempt == 0) {
        return set_choice(&(rule){"bicgstab,maxit=500", "amg", why}, choice);
    }
    if (!set_choice_at(rules_for(t), attempt - fixed, choice)) return false;
    if (attempt == 0 && t->nrows != t->ncols) limit_qr(t, choice);
    return true;
}

/* gsolve_auto_choose with structs of the library. */
static bool choose(const gsolve_context *ctx, const gsolve_statistics *statistics, int attempt,
                   gsolve_choice *choice)
{
    static const char *const other[GS_RANKED_COUNT] = {
        [GS_JACOBI] = "symmetric with a positive diagonal; jacobi needs the least memory",
        [GS_IC] = "symmetric with a positive diagonal",
        [GS_AMG] = "multigrid, because the matrix looks like an elliptic operator",
    };
    gs_precond_ranking ranking;
    int kind;

    if (statistics->nrows != statistics->ncols || !may_be_definite(statistics)) {
        return choose_general(ctx, statistics, attempt, choice);
    }
    ranking = gs_rank_preconds(statistics, gs_on_gpu(ctx));
    if (attempt >= ranking.count) {
        return set_choice_at(after_cg, attempt - ranking.count, choice);
    }
    kind = ranking.order[attempt];
    return set_choice(
        &(rule){"cg", gs_ranked_precond_name[kind], attempt == 0 ? ranking.why : other[kind]},
        choice);
}

bool gsolve_auto_choose(const gsolve_context *ctx, const gsolve_statistics *statistics, int attempt,
                        gsolve_choice *choice)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice own = GSOLVE_INIT(gsolve_choice);

    if (!ctx || attempt < 0 || !GS_INFO_FITS(gsolve_statistics, statistics) ||
        !GS_INFO_FITS(gsolve_choice, choice)) {
        return false;
    }
    gs_fill_info(&t, statistics, statistics->size, GS_LEAST_gsolve_statistics);
    if (!choose(ctx, &t, attempt, &own)) return false;
    GS_FILL_INFO(gsolve_choice, choice, &own);
    return true;
}

bool gs_may_fall_back(gsolve_status status)
{
    return status == GSOLVE_ZERO_PIVOT || status == GSOLVE_UNSUPPORTED ||
           status == GSOLVE_NO_MEMORY;
}

/* --- the name of a method ------------------------------------------------------------------------
 */

gsolve_status gs_method_with_options(gsolve_context *ctx, const char *spec, const char *method,
                                     char *named, size_t size)
{
    const int length = snprintf(named, size, "%s%s", method, spec + strcspn(spec, ","));

    if (length >= 0 && (size_t)length < size) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "the spec '%.60s...' is too long", spec);
}

gsolve_status gs_auto_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                  char *named, size_t size)
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_status status;

    snprintf(choice.method, sizeof choice.method, "%.*s", (int)strcspn(spec, ","), spec);
    if (gs_spec_is(spec, "auto")) {
        TRY(gsolve_csr_statistics(ctx, csr, &statistics));
        gsolve_auto_choose(ctx, &statistics, 0, &choice);
    }
    TRY(gs_method_with_options(ctx, spec, choice.method, named, size));
done:
    return status;
}
