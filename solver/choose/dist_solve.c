/* dist_solve.c: one call that solves a distributed system: it tries one choice after another. */
#include "core/info.h"
#include "core/try.h"
#include "dist/comm.h"

gsolve_status gsolve_solve_dist(gsolve_context *ctx, const gsolve_dist_csr *csr, gsolve_dense b,
                                gsolve_dense x, gsolve_result *result)
{
    const double begin = gs_now();
    gsolve_result own = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_auto *S = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = result ? GS_CHECK_INFO(ctx, gsolve_result, result)
                    : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solve_dist: result is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gsolve_matrix_create_dist(&A, ctx, "auto", csr));
    TRY(gs_comm_check(ctx->comm, gsolve_auto_create_from(&S, ctx, "scale=none,order=none", A)));
    TRY(gsolve_auto_run(S, b, x, &own));
    own.seconds = gs_now() - begin;
    GS_FILL_INFO(gsolve_result, result, &own);
done:
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    return status;
}
