/* memory_estimate.c: gsolve_solver_memory: the set-up of a method with work space that is counted
 * and not allocated, so that the estimate is exactly what the set-up asks for. */
#include "core/try.h"
#include "solver/choose/auto_method.h"
#include "solver/run/setup.h"
#include "solver/run/work.h"

static gsolve_status count(gs_krylov *k, const char *spec, int32_t columns)
{
    char named[256];
    gsolve_status status;

    TRY(gs_auto_method_name(k->ctx, spec, &k->csr, named, sizeof named));
    TRY(gs_solver_set_method(k, named));
    TRY(gs_solver_check(k));
    TRY(gs_solver_reserve(k, columns));
done:
    return status;
}

gsolve_status gsolve_solver_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   int32_t columns, size_t *bytes)
{
    gs_krylov *k = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!spec || !csr || !bytes || columns < 1) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_solver_memory: an argument is NULL, or columns is below 1");
    }
    TRY(gs_solver_new(&k, ctx, true));
    k->csr = *csr;
    status = count(k, spec, columns);
    if (status == GSOLVE_UNSUPPORTED && k->method) { /* else "auto" cannot read csr */
        gsolve_fail(ctx, status, "the work space of %s depends on more than the size of the matrix",
                    k->method->plugin.name);
    }
    if (status != GSOLVE_OK) goto done;
    *bytes = k->run->work->counted;
done:
    if (k) gs_solver_drop(k);
    gs_solver_free(&k);
    return status;
}
