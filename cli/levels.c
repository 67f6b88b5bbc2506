/* levels.c: the levels of a preconditioner that has several, as text and as JSON. */
#include "cli/levels.h"

void cli_levels_take(cli_attempt *a, const gsolve_precond *M)
{
    gsolve_precond_info info;

    gsolve_precond_describe(M, &info);
    snprintf(a->kind, sizeof a->kind, "%s", info.kind);
    snprintf(a->note, sizeof a->note, "%s", info.note);
    a->levels = 0;
    while (a->levels < CLI_MOST_LEVELS &&
           gsolve_precond_level(M, a->levels, &a->level[a->levels])) {
        a->levels++;
    }
}

void cli_levels_say(const cli *c, const cli_attempt *a)
{
    if (a->levels < 2) return;
    cli_say(c, "\n%12s%8s%12s%14s%14s  %-8s%-4s%12s\n", "", "level", "rows", "entries",
            "entries/row", "format", "type", "per product");
    for (int k = 0; k < a->levels; k++) {
        const gsolve_level_info *l = &a->level[k];
        cli_say(c, "%12s%8d%12d%14lld%14.1f  %-8s%-4s%12s\n", "", k, l->rows, (long long)l->entries,
                l->mean_row, l->format, l->type == GSOLVE_F32 ? "f32" : "f64",
                cli_bytes((double)l->bytes).text);
    }
}

void cli_levels_json(cJSON *object, const cli_attempt *a)
{
    cJSON *list = a->levels > 0 ? cJSON_AddArrayToObject(object, "levels") : NULL;

    for (int k = 0; list && k < a->levels; k++) {
        const gsolve_level_info *l = &a->level[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "rows", l->rows);
        cJSON_AddNumberToObject(item, "entries", (double)l->entries);
        cJSON_AddNumberToObject(item, "mean_row", l->mean_row);
        cJSON_AddStringToObject(item, "format", l->format);
        cJSON_AddStringToObject(item, "type", l->type == GSOLVE_F32 ? "f32" : "f64");
        cJSON_AddNumberToObject(item, "bytes", (double)l->bytes);
        cJSON_AddItemToArray(list, item);
    }
}
