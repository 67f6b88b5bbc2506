/* precond_estimate.c: builds the preconditioner of a solve for gsolve info, and shows its levels,
 * its memory and its set-up time. */
#include "cli/precond_estimate.h"

#include <string.h>

#include "cli/json.h"

/* p->a.precond = the spec of the preconditioner; p->asked: whether to build it. */
static void choose(const cli *c, const gsolve_context *target, const cli_system *s,
                   cli_precond_estimate *p)
{
    const bool any = !c->args.precond || cli_spec_is(c->args.precond, "auto");
    const char *spec = c->args.precond;
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    if (any)
        spec = gsolve_auto_choose(target, &s->statistics, 0, &choice) ? choice.precond : "none";
    p->asked = any ? cli_spec_is(spec, "amg") : true;
    snprintf(p->a.precond, sizeof p->a.precond, "%s", spec);
}

static void build(cli_precond_estimate *p, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_precond *M = NULL;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    p->a.ran = gsolve_precond_create(&M, ctx, p->a.precond, csr) == GSOLVE_OK;
    if (p->a.ran) {
        cli_describe_precond(&p->a, M);
        gsolve_precond_describe(M, &info);
        p->bytes = info.bytes;
        p->a.precond_seconds = info.setup_seconds;
    } else {
        snprintf(p->a.explanation, sizeof p->a.explanation, "%s", gsolve_error(ctx));
    }
    p->device.size = sizeof p->device;
    gsolve_context_describe(ctx, &p->device);
    p->peak = p->device.peak;
    gsolve_precond_destroy(&M);
}

void cli_precond_estimate_make(const cli *c, gsolve_context *target, const cli_system *s,
                               cli_precond_estimate *p)
{
    choose(c, target, s, p);
    if (p->asked) build(p, target, &s->csr);
}

/* *operators = entries of all levels over those of the finest; *grids: the same ratio of rows. */
static void complexities(const cli_levels *levels, double *operators, double *grids)
{
    double entries = 0, rows = 0;

    for (int k = 0; k < levels->count; k++) {
        entries += (double)levels->level[k].total_entries;
        rows += (double)levels->level[k].total_rows;
    }
    *operators =
        levels->level[0].total_entries > 0 ? entries / (double)levels->level[0].total_entries : 1;
    *grids = levels->level[0].total_rows > 0 ? rows / (double)levels->level[0].total_rows : 1;
}

void cli_precond_estimate_print(const cli *c, const cli_precond_estimate *p)
{
    const cli_attempt *a = &p->a;

    if (!p->asked) return;
    if (!a->ran) {
        cli_item(c, "precond", "%s: %s", a->precond, a->explanation);
        return;
    }
    if (a->note[0]) cli_item(c, a->kind, "%s", a->note);
    cli_item(c, a->note[0] ? "" : a->kind,
             "memory %s, peak during set-up %s, set-up time %.3g s, on %s",
             cli_bytes((double)p->bytes).text, cli_bytes((double)p->peak).text, a->precond_seconds,
             p->device.device);
    cli_print_levels(c, &a->levels);
}

void cli_precond_estimate_json(cJSON *object, const cli_precond_estimate *p)
{
    const cli_attempt *a = &p->a;
    cJSON *part = p->asked ? cJSON_AddObjectToObject(object, "precond") : NULL;
    double operators, grids;

    if (!part) return;
    cJSON_AddStringToObject(part, "spec", a->precond);
    if (!a->ran) {
        cJSON_AddStringToObject(part, "error", a->explanation);
        return;
    }
    cJSON_AddStringToObject(part, "name", a->kind);
    cJSON_AddStringToObject(part, "note", a->note);
    cJSON_AddStringToObject(part, "device", p->device.device);
    cJSON_AddNumberToObject(part, "bytes", (double)p->bytes);
    cJSON_AddNumberToObject(part, "peak_bytes", (double)p->peak);
    cJSON_AddNumberToObject(part, "setup_seconds", a->precond_seconds);
    if (a->levels.count == 0) return;
    complexities(&a->levels, &operators, &grids);
    cJSON_AddNumberToObject(part, "operator_complexity", operators);
    cJSON_AddNumberToObject(part, "grid_complexity", grids);
    cli_levels_json(part, &a->levels);
}
