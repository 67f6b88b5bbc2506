/* auto_solver.c: the handle of the automatic solver, and gsolve_solve, which uses one for one run.
 */
#include "solver/choose/auto_solver.h"

#include <stdio.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"

/* --- create and destroy ----------------------------------------------------------------------- */

static void destroy_with_context(void *handle)
{
    gsolve_auto *S = handle;
    gsolve_auto_destroy(&S);
}

typedef struct gs_auto_options {
    gs_run_options run;
    gs_transform_options transform;
} gs_auto_options;

static const gsolve_option auto_options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    GS_SCALE_OPTION(gs_auto_options, "the scaling of A"),
    GS_ORDER_OPTION(gs_auto_options, "the order of the unknowns"),
    {0}};
static const gsolve_plugin of_auto = {"auto", "", auto_options, sizeof(gs_auto_options)};

/* Whether a pair "key=value" sets a key of `settings`, "key=value,...". */
static bool is_among(const char *pair, const char *settings)
{
    const size_t length = strcspn(pair, "=") + 1;

    for (const char *at = settings; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, pair, length) == 0) return true;
    }
    return false;
}

/* to = "auto" with the pairs of "...,key=value,..." whose keys are not in `settings`. Returns its
 * length; it does not fit if that is `size` or more. */
static size_t keep_options(const char *spec, const char *settings, char *to, size_t size)
{
    size_t length = (size_t)snprintf(to, size, "auto");

    for (const char *at = strchr(spec, ','); at && length < size; at = strchr(at + 1, ',')) {
        const int part = 1 + (int)strcspn(at + 1, ",");
        if (is_among(at + 1, settings)) continue;
        length += (size_t)snprintf(to + length, size - length, "%.*s", part, at);
    }
    return length;
}

/* S->spec = "auto" with the options, which are checked, without those of the transform. */
static gsolve_status set_options(gsolve_auto *S, const char *options,
                                 gs_transform_options *transform)
{
    gs_auto_options parsed;
    char spec[2 * sizeof S->spec];
    const int length = snprintf(spec, sizeof spec, "auto%s%s", options[0] ? "," : "", options);
    gsolve_status status;

    gsolve_tidy_spec(spec);
    if (length < 0 || (size_t)length >= sizeof S->spec) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_SPEC, "the options '%.60s...' are too long", options);
    }
    if (options[0] && options[strcspn(options, "=,")] != '=') {
        return gsolve_fail(S->ctx, GSOLVE_BAD_SPEC,
                           "auto has no option '%.*s': options are key=value,key=value; to name "
                           "methods and preconditioners, call gsolve_auto_set_choices",
                           (int)strcspn(options, ","), options);
    }
    TRY(gs_spec_options(S->ctx, &of_auto, spec, &parsed));
    keep_options(spec, "scale=,order=", S->spec, sizeof S->spec);
    *transform = parsed.transform;
done:
    return status;
}

/* Creates a handle for the matrix A, or if that is NULL for a matrix of its own from csr. */
static gsolve_status create(gsolve_auto **out, gsolve_context *ctx, const char *options,
                            const gsolve_csr *csr, const gsolve_matrix *A)
{
    gs_transform_options transform = {0};
    gsolve_auto *S = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !options || (!csr && !A)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_auto_create: an argument is NULL");
    }
    ALLOC(ctx, GSOLVE_HOST, S, 1);
    memset(S, 0, sizeof *S);
    gs_own(ctx, S, destroy_with_context);
    S->ctx = ctx;
    S->statistics.size = sizeof S->statistics;
    S->set = S->current = S->begun = S->running = S->leading = -1;
    TRY(set_options(S, options, &transform));
    if (!A) TRY(gsolve_matrix_create(&S->own, ctx, "auto", csr));
    S->A = S->original = A ? A : S->own;
    S->created = gs_auto_version(S->original);
    if (gs_transform_wanted(&transform)) TRY(gs_auto_transform_create(S, &transform));
    *out = S;
    S = NULL;
done:
    gsolve_auto_destroy(&S);
    return status;
}

gsolve_status gsolve_auto_create(gsolve_auto **S, gsolve_context *ctx, const char *options,
                                 const gsolve_csr *csr)
{
    return create(S, ctx, options, csr, NULL);
}

gsolve_status gsolve_auto_create_from(gsolve_auto **S, gsolve_context *ctx, const char *options,
                                      const gsolve_matrix *A)
{
    return create(S, ctx, options, NULL, A);
}

void gsolve_auto_destroy(gsolve_auto **pS)
{
    gsolve_auto *S = pS ? *pS : NULL;
    if (!S) return;
    GS_ENTER(S->ctx);

    gs_auto_drop(S);
    gs_auto_transform_destroy(S);
    gsolve_free(S->ctx, S->guess.location, S->guess.value);
    gsolve_free(S->ctx, S->best.location, S->best.value);
    gs_row_major_release(&S->columns, S->ctx);
    gsolve_free(S->ctx, GSOLVE_HOST, S->list);
    gsolve_free(S->ctx, GSOLVE_HOST, S->setup_path);
    gsolve_matrix_destroy(&S->own);
    gsolve_free(S->ctx, GSOLVE_HOST, S);
    *pS = NULL;
}

gsolve_status gsolve_auto_update(gsolve_auto *S, const gsolve_csr *csr)
{
    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (!S->own) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix of this automatic solver is a handle of the caller; update "
                           "it by gsolve_matrix_update");
    }
    return gsolve_matrix_update(S->own, csr);
}

/* --- options between runs -------------------------------------------------------------------- */

/* to = spec with `options` instead of its own options of these keys. Returns whether it fits. */
static bool replace_options(const char *spec, const char *options, char *to, size_t size)
{
    size_t length = keep_options(spec, options, to, size);

    if (length < size) length += (size_t)snprintf(to + length, size - length, ",%s", options);
    return length < size;
}

gsolve_status gsolve_auto_set(gsolve_auto *S, const char *options)
{
    char spec[sizeof S->spec], tidy[sizeof S->spec];
    gs_auto_options parsed;
    gsolve_status status;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (!options) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_auto_set: options is NULL");
    }
    if (!*options) return GSOLVE_OK;
    TRY(gs_settings_check(S->ctx, "auto", options));
    TRY(gs_spec_pairs(S->ctx, &of_auto, options, &parsed));
    snprintf(tidy, sizeof tidy, "%s", options);
    gsolve_tidy_spec(tidy);
    if (strlen(options) >= sizeof tidy || !replace_options(S->spec, tidy, spec, sizeof spec)) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_SPEC, "the options '%.60s...' are too long", options);
    }
    if (S->S) TRY(gsolve_solver_set(S->S, options));
    memcpy(S->spec, spec, sizeof spec);
    for (int k = 0; k < S->count; k++) gs_auto_name_method(S, &S->list[k]);
done:
    return status;
}

/* --- information ------------------------------------------------------------------------------ */

void gsolve_auto_describe(const gsolve_auto *S, gsolve_auto_info *info)
{
    const gs_auto_choice *c = S->current >= 0 ? &S->list[S->current] : NULL;
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_auto_info own = {.size = sizeof own,
                            .method = c ? c->method : "",
                            .precond = c ? c->precond : "",
                            .why = c ? c->why : "",
                            .choice = S->current,
                            .choices = S->count,
                            .attempts = S->attempts,
                            .runs = S->runs,
                            .rebuilds = S->rebuilds,
                            .iterations = S->last,
                            .first_iterations = S->first,
                            .setup_seconds = S->setup_seconds,
                            .solve_seconds = S->solve_seconds,
                            .total_setup_seconds = S->total_setup_seconds,
                            .total_solve_seconds = S->total_solve_seconds};

    gsolve_matrix_describe(c ? gs_auto_matrix_of(S, c) : S->A, &A);
    memcpy(own.form, A.form, sizeof own.form);
    gsolve_matrix_describe(S->original, &A);
    gs_auto_transform_describe(S, own.transform, sizeof own.transform);
    own.updates = (int64_t)(A.version - S->created);
    GS_FILL_INFO(gsolve_auto_info, info, &own);
}

const char *gsolve_auto_explain(gsolve_auto *S)
{
    const gs_auto_choice *c = S->current >= 0 ? &S->list[S->current] : NULL;
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    const char *why = "It has the smallest residual of all choices.", *note = "";
    const bool is_set = S->leading >= 0 && S->set == S->leading;
    GS_ENTER(S->ctx);

    if (S->attempts == 0) return "There has been no run yet.";
    gsolve_auto_diagnose(S, &d);
    if (S->leading < 0) {
        snprintf(S->explanation, sizeof S->explanation,
                 "%sNo choice could be set up and run. %s %s", S->events, d.cause, d.remedy);
        return S->explanation;
    }
    if (is_set && !d.cause[0]) why = gsolve_solver_explain(S->S);
    if (is_set && d.cause[0]) note = gsolve_solver_note(S->S);
    snprintf(S->explanation, sizeof S->explanation,
             "%sThe solution is that of %s + %s: %s. %s%s%s%s%s", S->events, c->method, c->precond,
             c->why, d.cause[0] ? d.cause : why, d.remedy[0] ? " " : "", d.remedy,
             note[0] ? " " : "", note);
    return S->explanation;
}

const gsolve_matrix *gsolve_auto_matrix(const gsolve_auto *S)
{
    return S->original;
}

gsolve_solver *gsolve_auto_solver(gsolve_auto *S)
{
    return S->S;
}

/* --- a solve in one call ---------------------------------------------------------------------- */

gsolve_status gsolve_solve(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                           gsolve_dense x, gsolve_result *result)
{
    const double begin = gs_now();
    gsolve_result own = GSOLVE_INIT(gsolve_result);
    gsolve_auto *S = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!csr || !result) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solve: an argument is NULL");
    }
    TRY(GS_CHECK_INFO(ctx, gsolve_result, result));
    TRY(gsolve_auto_create(&S, ctx, "", csr));
    TRY(gsolve_auto_run(S, b, x, &own));
    own.seconds = gs_now() - begin;
    GS_FILL_INFO(gsolve_result, result, &own);
done:
    gsolve_auto_destroy(&S);
    return status;
}
