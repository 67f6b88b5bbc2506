/* method_name.c: see method_name.h. */
#include "solver/choose/method_name.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/try.h"

gsolve_status gs_method_with_options(gsolve_context *ctx, const char *spec, const char *method,
                                     char *named, size_t size)
{
    const int length = snprintf(named, size, "%s%s", method, spec + strcspn(spec, ","));

    if (length >= 0 && (size_t)length < size) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "the spec '%.60s...' is too long", spec);
}

gsolve_status gs_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                             char *named, size_t size)
{
    gsolve_choice choice;
    gsolve_statistics statistics;
    gsolve_status status;

    snprintf(choice.solver, sizeof choice.solver, "%.*s", (int)strcspn(spec, ","), spec);
    if (gs_spec_is(spec, "auto")) {
        TRY(gsolve_csr_statistics(ctx, csr, &statistics));
        gsolve_auto_choose(ctx, &statistics, 0, &choice);
    }
    TRY(gs_method_with_options(ctx, spec, choice.solver, named, size));
done:
    return status;
}
