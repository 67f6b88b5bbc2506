/* list.c: gsolve list: what there is to name in a spec. */
#include <stdio.h>
#include <string.h>

#include "cli/common.h"

static const cli_option options[] = {
    {0, "json", "FILE|-", "write the list as JSON"},
    {'h', "help", NULL, "print this"},
    {0},
};

const cli_command cli_list = {
    "list", "[formats|solvers|preconds|generators|devices]",
    "Lists formats, solvers, preconditioners, generators and devices with their options.", options, 0,
    1, NULL};

typedef const gsolve_plugin *lookup(const gsolve_context *ctx, int index);

static const gsolve_plugin *method_at(const gsolve_context *ctx, int index)
{
    return (void)ctx, gsolve_method_at(index);
}

static const gsolve_plugin *generator_at(const gsolve_context *ctx, int index)
{
    return (void)ctx, gsolve_generator_at(index);
}

static const gsolve_plugin *device_at(const gsolve_context *ctx, int index)
{
    return (void)ctx, gsolve_device_at(index);
}

static const struct kind {
    const char *name, *title;
    lookup *at;
} kinds[] = {
    {"formats", "Formats (--format)", gsolve_format_at},
    {"solvers", "Solvers (--solver)", method_at},
    {"preconds", "Preconditioners (--precond)", gsolve_precond_at},
    {"generators", "Generators (-A gen:NAME,key=value)", generator_at},
    {"devices", "Devices (--device)", device_at},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void print_option(const gsolve_option *o)
{
    char range[160];

    switch (o->kind) {
    case GSOLVE_FLAG: snprintf(range, sizeof range, "0 or 1, %s", o->initial != 0 ? "1" : "0"); break;
    case GSOLVE_CHOICE:
        snprintf(range, sizeof range, "%s, %.*s", o->choices, (int)strcspn(o->choices, "|"),
                 o->choices);
        break;
    default: snprintf(range, sizeof range, "%.10g to %.10g, %.10g", o->least, o->most, o->initial);
    }
    printf("      %-10s %s (%s)\n", o->key, o->help, range);
}

static void print_kind(const gsolve_context *ctx, const struct kind *kind)
{
    const gsolve_plugin *plugin;

    printf("%s\n", kind->title);
    if (kind->at != generator_at && kind->at != device_at) {
        printf("  %-14s chosen by the library\n", "auto");
    }
    for (int k = 0; (plugin = kind->at(ctx, k)); k++) {
        printf("  %-14s %s\n", plugin->name, plugin->summary);
        for (const gsolve_option *o = plugin->option; o && o->key; o++) print_option(o);
    }
    printf("\n");
}

static cJSON *kind_to_json(const gsolve_context *ctx, const struct kind *kind)
{
    cJSON *list = cJSON_CreateArray();
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = kind->at(ctx, k)); k++) {
        cJSON *item = cJSON_CreateObject(), *keys = cJSON_CreateArray();
        cJSON_AddStringToObject(item, "name", plugin->name);
        cJSON_AddStringToObject(item, "summary", plugin->summary);
        for (const gsolve_option *o = plugin->option; o && o->key; o++) {
            cJSON *key = cJSON_CreateObject();
            cJSON_AddStringToObject(key, "key", o->key);
            cJSON_AddStringToObject(key, "help", o->help);
            cJSON_AddNumberToObject(key, "initial", o->initial);
            cJSON_AddNumberToObject(key, "least", o->least);
            cJSON_AddNumberToObject(key, "most", o->most);
            if (o->choices) cJSON_AddStringToObject(key, "choices", o->choices);
            cJSON_AddItemToArray(keys, key);
        }
        cJSON_AddItemToObject(item, "options", keys);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

int cli_run_list(const cli_arguments *a)
{
    const char *wanted = a->argument[0], *json = cli_value(a, "json");
    cJSON *object = cJSON_CreateObject();
    gsolve_context *ctx = NULL;
    int shown = 0, code = cli_open(a, &ctx);

    for (int k = 0; k < KINDS && code == 0; k++) {
        if (wanted && strcmp(wanted, kinds[k].name) != 0) continue;
        shown++;
        if (cli_talks(a)) print_kind(ctx, &kinds[k]);
        cJSON_AddItemToObject(object, kinds[k].name, kind_to_json(ctx, &kinds[k]));
    }
    if (code == 0 && shown == 0) {
        code = cli_fail("there is no list of '%s'; there are formats, solvers, preconds, generators "
                        "and devices",
                        wanted);
    }
    if (code == 0 && json) {
        code = cli_write_json(json, object);
    } else {
        cJSON_Delete(object);
    }
    gsolve_context_destroy(&ctx);
    return code;
}
