/* rows.c: rows as JSON and as comma-separated values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/rows.h"
#include "cli/json.h"

static void add_text(cJSON *item, const char *key, const char *text)
{
    if (text) {
        cli_json_text(item, key, text);
    } else {
        cJSON_AddNullToObject(item, key);
    }
}

/* value with six digits, which a curve shows and which keep files small. */
static double six_digits(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

cJSON *cmp_json_flat(const cmp_flat *r)
{
    cJSON *item = cJSON_CreateObject(), *list;

    add_text(item, "name", r->name);
    add_text(item, "matrix", r->matrix);
    add_text(item, "solver", r->solver);
    add_text(item, "precond", r->precond);
    add_text(item, "format", r->format);
    add_text(item, "device", r->device);
    add_text(item, "outcome", r->outcome);
    add_text(item, "reason", r->reason);
    cli_json_add(item, "seconds", r->seconds);
    cli_json_add(item, "seconds_low", r->seconds_low);
    cli_json_add(item, "seconds_high", r->seconds_high);
    cli_json_add(item, "confidence", r->confidence);
    cli_json_add(item, "setup_seconds", r->setup_seconds);
    cli_json_add(item, "solve_seconds", r->solve_seconds);
    cli_json_add(item, "iterations", r->iterations);
    cli_json_add(item, "memory", r->memory);
    cli_json_add(item, "residual", r->residual);
    cJSON_AddNumberToObject(item, "rounds", r->rounds);
    list = cJSON_AddArrayToObject(item, "history");
    for (int k = 0; k < r->length; k++) {
        cJSON_AddItemToArray(list, cli_json_number(six_digits(r->history[k])));
    }
    return item;
}

void cmp_csv_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; text && *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    fputc('"', file);
}

void cmp_csv_number(FILE *file, double value)
{
    if (isfinite(value)) {
        fprintf(file, ",%.8g", value);
    } else {
        fputc(',', file);
    }
}

const char cmp_csv_flat_head[] =
    "matrix,name,solver,precond,format,device,outcome,reason,seconds,seconds_low,seconds_high,"
    "confidence,setup_seconds,solve_seconds,iterations,memory,residual,rounds";

void cmp_csv_flat(FILE *file, const cmp_flat *r)
{
    const char *const text[] = {r->matrix, r->name,   r->solver,  r->precond,
                                r->format, r->device, r->outcome, r->reason};
    const double value[] = {r->seconds,       r->seconds_low,   r->seconds_high, r->confidence,
                            r->setup_seconds, r->solve_seconds, r->iterations,   r->memory,
                            r->residual,      r->rounds};

    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        if (k > 0) fputc(',', file);
        cmp_csv_text(file, text[k]);
    }
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) cmp_csv_number(file, value[k]);
}
