/* levels.c: the levels of a multilevel preconditioner, as text and as JSON. */
#include "cli/levels.h"

void cli_read_levels(cli_levels *levels, const gsolve_precond *M)
{
    for (levels->count = 0; levels->count < CLI_MOST_LEVELS; levels->count++) {
        gsolve_level_info *level = &levels->level[levels->count];
        level->size = sizeof *level;
        if (!gsolve_precond_level(M, levels->count, level)) break;
    }
}

void cli_print_levels(const cli *c, const cli_levels *levels)
{
    if (levels->count < 2) return;
    cli_say(c, "\n%12s%8s%12s%14s%13s  %-8s%-6s%15s\n", "", "level", "rows", "entries",
            "entries/row", "format", "values", "bytes/product");
    for (int k = 0; k < levels->count; k++) {
        const gsolve_level_info *l = &levels->level[k];
        cli_say(c, "%12s%8d%12lld%14lld%13.1f  %-8s%-6s%15s\n", "", k, (long long)l->total_rows,
                (long long)l->total_entries, l->mean_row, l->form,
                l->type == GSOLVE_F32 ? "f32" : "f64", cli_bytes((double)l->bytes).text);
    }
}

void cli_levels_json(cJSON *object, const cli_levels *levels)
{
    cJSON *list = levels->count > 0 ? cJSON_AddArrayToObject(object, "levels") : NULL;

    for (int k = 0; list && k < levels->count; k++) {
        const gsolve_level_info *l = &levels->level[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "rows", (double)l->total_rows);
        cJSON_AddNumberToObject(item, "entries", (double)l->total_entries);
        cJSON_AddNumberToObject(item, "mean_row", l->mean_row);
        cJSON_AddStringToObject(item, "form", l->form);
        cJSON_AddStringToObject(item, "type", l->type == GSOLVE_F32 ? "f32" : "f64");
        cJSON_AddNumberToObject(item, "bytes", (double)l->bytes);
        cJSON_AddItemToArray(list, item);
    }
}
