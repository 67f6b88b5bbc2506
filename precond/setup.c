/* setup.c: checks and sorts the rows of a preconditioner's matrix and copies them to where its kind
 * reads them. Then builds the preconditioner, or updates it with new values. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/handle.h"

gsolve_status gs_precond_prepare_rows(const gs_precond_extension *extension, gsolve_context *ctx,
                                      const gsolve_csr **csr, gsolve_csr *own)
{
    const gsolve_location location = extension->on_device ? gs_location(ctx) : GSOLVE_HOST;
    const gsolve_csr *A = *csr;
    gsolve_csr fetched = {0}, sorted = {0};
    gs_csr_findings found;
    bool is_clean;
    gsolve_status status;

    TRY(gs_csr_inspect(ctx, A, &found, NULL, &is_clean));
    if (!found.ascending || location == GSOLVE_HOST) TRY(gs_csr_to_host(&A, ctx, &fetched));
    if (!is_clean) {
        TRY(gs_csr_clean(&sorted, ctx, A, found.ascending, NULL));
        A = &sorted;
    }
    if (A->location != location) {
        TRY(gs_csr_move(own, ctx, location, A));
    } else if (A == &sorted) {
        *own = sorted;
        memset(&sorted, 0, sizeof sorted);
    } else {
        *own = fetched;
        memset(&fetched, 0, sizeof fetched);
    }
    if (own->start) *csr = own;
done:
    gsolve_csr_free(&fetched, ctx);
    gsolve_csr_free(&sorted, ctx);
    return status;
}

gsolve_status gs_precond_set_up(gsolve_precond *M, const gsolve_csr *csr)
{
    const double begin = gs_now();
    const size_t held = M->ctx->bytes;
    gsolve_status status;

    gs_range_push(M->ctx, "set-up of the preconditioner");
    if (M->self && M->kind->update) {
        TRY(M->kind->update(M->self, M->ctx, csr));
        M->bytes += M->ctx->bytes - held;
    } else {
        void *built = NULL;
        TRY(M->kind->build(&built, M->ctx, csr, M->options));
        M->bytes = M->ctx->bytes > held ? M->ctx->bytes - held : 0;
        if (M->self) M->kind->destroy(M->self, M->ctx);
        M->self = built;
    }
    TRY(gs_memory_synchronize(M->ctx, csr->location, csr->start)); /* kernels have read csr */
    M->setup_seconds = gs_now() - begin;
    M->version++;
done:
    gs_range_pop(M->ctx);
    return status;
}
