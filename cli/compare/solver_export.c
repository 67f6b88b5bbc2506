/* solver_export.c: gsolve compare --solvers as JSON and as comma-separated values;
 * docs/howto/compare_solvers.md describes the keys. */
#include <math.h>
#include <string.h>

#include "cli/compare/rows.h"
#include "cli/compare/solvers.h"
#include "cli/json.h"

static cmp_flat flat_of(const cms *s, const cms_matrix *a, const cms_row *r)
{
    const cms_interval i = cms_interval_of(&r->total);

    return (cmp_flat){
        .name = r->name,
        .matrix = a->system.name,
        .solver = r->method,
        .precond = r->precond,
        .format = r->form[0] ? r->form : r->format,
        .device = s->m->device.device,
        .outcome = r->outcome,
        .reason = r->reason[0] ? r->reason : NULL,
        .seconds = cms_seconds(r),
        .seconds_low = r->solved ? i.low : NAN,
        .seconds_high = r->solved ? i.high : NAN,
        .confidence = r->solved ? i.confidence : NAN,
        .setup_seconds = cmp_median(&r->setup),
        .solve_seconds = cmp_median(&r->solve),
        .iterations = isfinite(r->residual) ? r->iterations : NAN,
        .memory = r->memory,
        .residual = r->residual,
        .history = r->history,
        .length = r->length,
        .rounds = r->total.count,
    };
}

static cJSON *json_row(const cms *s, const cms_matrix *a, const cms_row *r)
{
    const cmp_flat flat = flat_of(s, a, r);
    cJSON *item = cmp_json_flat(&flat);

    cli_json_text(item, "spec", r->solver);
    cli_json_text(item, "asked_format", r->format);
    cli_json_text(item, "aliases", r->aliases);
    cJSON_AddBoolToObject(item, "auto", r->automatic);
    cJSON_AddBoolToObject(item, "vendor", r->vendor);
    return item;
}

static cJSON *json_matrix(const cms *s, const cms_matrix *a)
{
    cJSON *object = cJSON_CreateObject();

    cli_json_matrix(object, &a->system);
    cli_json_text(object, "rhs", s->m->c->args.rhs ? s->m->c->args.rhs : "A*ones");
    cli_json_text(object, "verdict", a->verdict);
    cli_json_add(object, "noise", a->noise);
    cli_json_add(object, "rtol", a->rtol);
    cli_json_add(object, "atol", a->atol);
    cJSON_AddNumberToObject(object, "rounds", a->rounds);
    cJSON_AddNumberToObject(object, "columns", a->system.b.ncols);
    return object;
}

static void add_profile(cJSON *object, const cms_profile *p)
{
    cJSON *profile = cJSON_AddObjectToObject(object, "profile"), *list, *curves;

    list = cJSON_AddArrayToObject(profile, "ratio");
    for (int k = 0; k < p->ratios; k++) cJSON_AddItemToArray(list, cli_json_number(p->ratio[k]));
    curves = cJSON_AddArrayToObject(profile, "curves");
    for (int c = 0; c < p->curves; c++) {
        cJSON *curve = cJSON_CreateObject();
        cli_json_text(curve, "name", p->name[c]);
        list = cJSON_AddArrayToObject(curve, "share");
        for (int k = 0; k < p->ratios; k++) {
            cJSON_AddItemToArray(list, cli_json_number(p->share[c * p->ratios + k]));
        }
        cJSON_AddItemToArray(curves, curve);
    }
}

static double largest_noise(const cms *s)
{
    double noise = NAN;

    for (int k = 0; k < s->matrices; k++) noise = fmax(noise, s->matrix[k].noise);
    return noise;
}

cJSON *cms_json(const cms *s, const cms_profile *p)
{
    cJSON *object = cmp_json_head(s->m, "solvers", s->verdict, largest_noise(s)), *list;

    list = cJSON_AddArrayToObject(object, "rows");
    for (int k = 0; k < s->matrices; k++) {
        const cms_matrix *a = &s->matrix[k];
        for (int i = 0; i < a->rows; i++) cJSON_AddItemToArray(list, json_row(s, a, &a->row[i]));
    }
    list = cJSON_AddArrayToObject(object, "matrices");
    for (int k = 0; k < s->matrices; k++) {
        cJSON_AddItemToArray(list, json_matrix(s, &s->matrix[k]));
    }
    add_profile(object, p);
    return object;
}

void cms_csv(FILE *file, const cms *s)
{
    fprintf(file, "%s\n", cmp_csv_flat_head);
    for (int k = 0; k < s->matrices; k++) {
        const cms_matrix *a = &s->matrix[k];
        for (int i = 0; i < a->rows; i++) {
            const cmp_flat flat = flat_of(s, a, &a->row[i]);
            cmp_csv_flat(file, &flat);
            fputc('\n', file);
        }
    }
}
