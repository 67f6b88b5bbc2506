/* memory_estimate.c: the work space of a method without the method: its set-up with allocations
 * that are counted and not made, so that the forecast is what the set-up asks for. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "solver/choose/auto.h"
#include "solver/method.h"

/* A solver of shapes alone. */
static gsolve_status count(gs_krylov *k, const char *spec, int32_t columns)
{
    const gsolve_plugin *plugin;
    char named[256];
    gsolve_status status;

    TRY(gs_method_name(k->ctx, spec, &k->csr, named, sizeof named));
    TRY(gs_plugin_parse(k->ctx, NULL, gs_methods, "method", named, &plugin, &k->options));
    k->method = (const gs_method *)(const void *)plugin;
    TRY(gs_solver_check(k, 0));
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
    ALLOC(ctx, GSOLVE_HOST, k, 1);
    memset(k, 0, sizeof *k);
    k->ctx = k->profile.ctx = ctx;
    k->csr = *csr;
    k->columns = gs_columns_kernels_of(ctx);
    k->counting = true;
    status = count(k, spec, columns);
    if (status == GSOLVE_UNSUPPORTED) {
        gsolve_fail(ctx, status, "the work space of %s depends on more than the size of the matrix",
                    k->method->plugin.name);
    }
    if (status != GSOLVE_OK) goto done;
    *bytes = k->counted;
done:
    gsolve_solver_destroy(&k);
    return status;
}

gsolve_status gs_not_foretold(const gs_krylov *k)
{
    return k->counting ? GSOLVE_UNSUPPORTED : GSOLVE_OK;
}

gsolve_status gs_solver_fits(gs_krylov *k, int32_t width)
{
    gs_krylov *shape = NULL;
    char what[100];
    gsolve_status status;

    if (k->counting || !k->ctx->device->memory) return GSOLVE_OK;
    ALLOC(k->ctx, GSOLVE_HOST, shape, 1);
    memset(shape, 0, sizeof *shape);
    shape->ctx = shape->profile.ctx = k->ctx;
    shape->csr = k->csr;
    shape->columns = k->columns;
    shape->method = k->method;
    shape->options = k->options;
    shape->counting = true;
    status = gs_solver_reserve(shape, width);
    if (status == GSOLVE_UNSUPPORTED) status = GSOLVE_OK; /* so much at least */
    if (status != GSOLVE_OK) goto done;
    snprintf(what, sizeof what, "the work space of %.40s for %d column%s", k->method->plugin.name,
             width, width == 1 ? "" : "s");
    TRY(gs_memory_need(k->ctx, (double)shape->counted, what));
done:
    if (shape) shape->options = NULL; /* k's */
    gsolve_solver_destroy(&shape);
    return status;
}
