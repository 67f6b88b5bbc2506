/* cholmod.c: the library cholmod: Cholesky by CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008).
 * It orders by AMD, or by METIS where that gives fewer operations, and factors dense blocks of
 * columns by BLAS where the factors are dense enough, else column by column. */
#include <cholmod.h>

#include "core/context.h"
#include "factor/factor.h"
#include "factor/signals.h"

typedef struct state {
    bool started;
    cholmod_common common;
    cholmod_factor *L;
    cholmod_dense *Y, *E; /* work space of solves, allocated by the first one */
} state;

/* A's rows are CHOLMOD's columns; it reads the upper triangle of these. */
static cholmod_sparse view_of(const gsolve_context *ctx, const gsolve_csr *A)
{
    const size_t n = (size_t)A->nrows;
    const cholmod_sparse view = {.nrow = n,
                                 .ncol = n,
                                 .nzmax = (size_t)gs_start(A, A->nrows),
                                 .p = gs_owned_block(ctx, A->start),
                                 .i = gs_owned_block(ctx, A->col),
                                 .x = gs_owned_block(ctx, A->value),
                                 .stype = 1,
                                 .itype = CHOLMOD_INT,
                                 .xtype = CHOLMOD_REAL,
                                 .dtype = CHOLMOD_DOUBLE,
                                 .sorted = 1,
                                 .packed = 1};
    return view;
}

/* The status of the last call, with a sentence if it failed. */
static gsolve_status status_of(gsolve_context *ctx, const state *s)
{
    switch (s->common.status) {
    case CHOLMOD_TOO_LARGE:
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the factors would have 2^31 entries or more, which cholmod does not "
                           "support; use an iterative method");
    case CHOLMOD_OUT_OF_MEMORY: return gs_factor_out_of_memory(ctx);
    default:
        if (s->common.status >= CHOLMOD_OK) return GSOLVE_OK; /* perhaps a warning */
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "cholmod refused the matrix (status %d); use library=cxsparse",
                           s->common.status);
    }
}

static gs_direct_cost cost(const gs_factorisation *F)
{
    const state *s = F->state;

    if (!s->L) return (gs_direct_cost){0, 0};
    return (gs_direct_cost){s->L->is_super ? (double)s->L->xsize : s->common.lnz, s->common.fl};
}

static gsolve_status analyse(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    cholmod_sparse view = view_of(ctx, A);
    gs_signals signals;

    if (!cholmod_start(&s->common)) return gs_factor_out_of_memory(ctx);
    s->started = true;
    s->common.print = 0;
    s->common.useGPU = 0;
    s->common.final_ll = 1; /* so that a negative pivot fails */
    s->common.quick_return_if_not_posdef = 1;
    if (F->request.ordered) {
        s->common.nmethods = 1;
        s->common.method[0].ordering = CHOLMOD_NATURAL;
    }
    gs_signals_enter(&signals, ctx); /* it may call METIS */
    s->L = cholmod_analyze(&view, &s->common);
    gs_signals_leave(&signals, ctx);
    if (!s->L) return status_of(ctx, s);
    return gs_factor_check(ctx, cost(F), F->request.limit);
}

static gsolve_status factor(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    state *s = F->state;
    cholmod_sparse view = view_of(ctx, A);
    gsolve_status status = gs_factor_check(ctx, cost(F), F->request.limit);

    if (status != GSOLVE_OK) return status;
    cholmod_factorize(&view, s->L, &s->common);
    if (s->common.status == CHOLMOD_NOT_POSDEF) return gs_factor_not_definite(ctx, F, A);
    status = status_of(ctx, s);
    if (status == GSOLVE_OK) F->pivot_ratio = cholmod_rcond(s->L, &s->common);
    return status;
}

static gsolve_status solve(const gs_factorisation *F, bool transposed, const double *b, double *x)
{
    state *s = F->state;
    const size_t n = (size_t)F->nrows;
    cholmod_dense B = {n, 1, n, n, (void *)(uintptr_t)b, NULL, CHOLMOD_REAL, CHOLMOD_DOUBLE};
    cholmod_dense X = {n, 1, n, n, x, NULL, CHOLMOD_REAL, CHOLMOD_DOUBLE}, *to = &X;

    (void)transposed;
    return cholmod_solve2(CHOLMOD_A, s->L, &B, NULL, &to, NULL, &s->Y, &s->E, &s->common)
               ? GSOLVE_OK
               : GSOLVE_NO_MEMORY;
}

static void destroy(gs_factorisation *F, gsolve_context *ctx)
{
    state *s = F->state;

    (void)ctx;
    if (!s->started) return;
    cholmod_free_factor(&s->L, &s->common);
    cholmod_free_dense(&s->Y, &s->common);
    cholmod_free_dense(&s->E, &s->common);
    cholmod_finish(&s->common);
}

const gs_factor_library gs_cholmod = {
    .name = "cholmod",
    .computes = {[GS_CHOLESKY] = true},
    .state_size = sizeof(state),
    .analyse = analyse,
    .factor = factor,
    .solve = solve,
    .cost = cost,
    .destroy = destroy,
};
