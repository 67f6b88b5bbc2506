/* setup.c: checks and sorts the rows of a preconditioner's matrix and copies them to where its kind
 * reads them. Then builds the preconditioner, or updates it with new values. */
#include "core/staging.h"
#include "core/try.h"
#include "precond/handle.h"

/* Checks *csr on the host. If it is not sorted and free of duplicates, *csr points to *own, a clean
 * copy. */
static gsolve_status clean_on_host(gsolve_context *ctx, const gsolve_csr **csr, gsolve_csr *own)
{
    gs_csr_findings found;
    bool is_clean;
    gsolve_status status;

    TRY(gs_csr_to_host(csr, ctx, own));
    TRY(gs_csr_inspect(ctx, *csr, &found, NULL, &is_clean));
    if (!is_clean) {
        gsolve_csr sorted = {0};
        TRY(gs_csr_clean(&sorted, ctx, *csr, found.ascending, NULL));
        gsolve_csr_free(own, ctx);
        *own = sorted;
        *csr = own;
    }
done:
    return status;
}

/* As clean_on_host, but on the device: if *csr lies there and its rows are sorted. Else *done is
 * false and *csr is unchanged. */
static gsolve_status clean_on_device(gsolve_context *ctx, const gsolve_csr **csr, gsolve_csr *own,
                                     bool *done)
{
    gs_csr_findings found;
    bool is_clean;
    gsolve_status status;

    *done = false;
    if (!*csr || (*csr)->location == GSOLVE_HOST) return GSOLVE_OK;
    TRY(gs_csr_inspect(ctx, *csr, &found, NULL, &is_clean));
    if (!found.ascending) return GSOLVE_OK;
    *done = true;
    if (!is_clean) {
        TRY(gs_csr_narrow(own, ctx, *csr));
        *csr = own;
    }
done:
    return status;
}

gsolve_status gs_precond_prepare_rows(const gs_precond_extension *extension, gsolve_context *ctx,
                                      const gsolve_csr **csr, gsolve_csr *own)
{
    gsolve_csr moved = {0};
    bool done = false;
    gsolve_status status;

    if (extension->on_device) TRY(clean_on_device(ctx, csr, own, &done));
    if (done) return GSOLVE_OK;
    TRY(clean_on_host(ctx, csr, own));
    if (extension->on_device && gs_location(ctx) == GSOLVE_DEVICE) {
        TRY(gs_csr_move(&moved, ctx, GSOLVE_DEVICE, *csr));
        gsolve_csr_free(own, ctx);
        *own = moved;
        *csr = own;
    }
done:
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
