/* settings.c: gsolve_solver_set: tolerances and limits change between runs. A run copies them to
 * the progress of its columns, in the device's memory, when a round begins (progress.c). Kernels
 * read them there, so the recorded steps stay valid. */
#include <string.h>

#include "core/spec.h"
#include "core/try.h"
#include "solver/run/run.h"

/* Members of gs_run_options that only a run reads. The others decide what is allocated or
 * recorded. */
static const char *const settable[] = {"rtol", "atol", "dtol", "maxit", "stall"};

static bool is_settable(const char *pair)
{
    const gs_slice_of_text key = gs_spec_trim(pair, strcspn(pair, "=,"));

    for (size_t i = 0; i < sizeof settable / sizeof *settable; i++) {
        if (strlen(settable[i]) == key.length && strncmp(key.at, settable[i], key.length) == 0) {
            return true;
        }
    }
    return false;
}

gsolve_status gs_settings_check(gsolve_context *ctx, const char *of, const char *options)
{
    for (const char *pair = options; true; pair++) {
        const size_t end = strcspn(pair, ",");
        if (gs_spec_trim(pair, end).length == 0) {
            return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                               "\"%.60s\" has no option %s; write key=value,key=value", options,
                               pair[end] ? "before a comma" : "after the last comma");
        }
        if (!is_settable(pair)) {
            const size_t length = strcspn(pair, "=,");
            return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                               "'%.*s' of %s cannot be set between runs; write rtol, atol, dtol, "
                               "maxit or stall, as in \"rtol=1e-4,maxit=50\". Other options need a "
                               "new solver",
                               (int)(length < 60 ? length : 60), pair, of);
        }
        pair += end;
        if (!*pair) return GSOLVE_OK;
    }
}

gsolve_status gsolve_solver_set(gsolve_solver *S, const char *options)
{
    gs_run_options changed;
    gsolve_status status = GSOLVE_OK;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    if (!options) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_set: options is NULL");
    }
    if (!*options) return GSOLVE_OK;
    TRY(gs_settings_check(S->ctx, S->method->plugin.name, options));
    changed = *gs_run_options_of(S);
    TRY(gs_spec_pairs(S->ctx, &S->method->plugin, options, &changed));
    *(gs_run_options *)S->options = changed;
done:
    return status;
}
