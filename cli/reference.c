/* reference.c: the parts of gsolve list --json that are not plug-ins: the commands with their
 * options, the exit codes, the environment variables, the outcomes and the status codes. The
 * reference pages are generated from it. */
#include <math.h>

#include "cli/json.h"
#include "cli/options.h"

/* An option, or {"heading": text}. */
static cJSON *json_option(const cli_option *o)
{
    static const char *const kinds[] = {"flag", "text", "repeated text", "int", "real", "choice"};
    const char letter[2] = {o->letter, 0};
    cJSON *item = cJSON_CreateObject();

    if (!o->name) {
        cJSON_AddStringToObject(item, "heading", o->help);
        return item;
    }
    cJSON_AddStringToObject(item, "name", o->name);
    if (o->letter) cJSON_AddStringToObject(item, "letter", letter);
    if (o->argument) cJSON_AddStringToObject(item, "argument", o->argument);
    cJSON_AddStringToObject(item, "help", o->help);
    cJSON_AddStringToObject(item, "kind", kinds[o->kind]);
    if (o->kind == CLI_WHOLE || o->kind == CLI_REAL) {
        cJSON_AddNumberToObject(item, "minimum", o->least);
        cJSON_AddNumberToObject(item, "maximum", o->most);
    }
    return item;
}

static void add_commands(cJSON *object)
{
    cJSON *commands = cJSON_AddArrayToObject(object, "commands");

    for (const cli_command *c = cli_commands; c->name; c++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", c->name);
        cJSON_AddStringToObject(item, "synopsis", c->synopsis);
        cJSON_AddStringToObject(item, "summary", c->summary);
        cJSON_AddStringToObject(item, "description", c->description);
        cJSON *options = cJSON_AddArrayToObject(item, "options");
        for (const cli_option *o = c->option; o->help; o++) {
            cJSON_AddItemToArray(options, json_option(o));
        }
        cJSON_AddItemToArray(commands, item);
    }
}

static void add_pairs(cJSON *object, const char *list, const cli_pair *pair)
{
    cJSON *items = cJSON_AddArrayToObject(object, list);

    for (; pair->name; pair++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", pair->name);
        cJSON_AddStringToObject(item, "summary", pair->meaning);
        cJSON_AddItemToArray(items, item);
    }
}

#define PAIR(name, text) {#name, text},

void cli_json_reference(cJSON *object)
{
    static const cli_pair outcomes[] = {GSOLVE_OUTCOME_LIST(PAIR){NULL, NULL}};
    static const cli_pair statuses[] = {GSOLVE_STATUS_LIST(PAIR){NULL, NULL}};

    cJSON_AddStringToObject(object, "version", gsolve_version());
    add_commands(object);
    add_pairs(object, "examples", cli_examples);
    add_pairs(object, "exit_codes", cli_exit_codes);
    add_pairs(object, "environment", cli_variables);
    add_pairs(object, "outcomes", outcomes);
    add_pairs(object, "statuses", statuses);
}
