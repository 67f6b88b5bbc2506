/* list.c: gsolve list: names and options, from the tables of the plug-ins. */
#include <string.h>

#include "cli/json.h"
#include "cli/options.h"

static const gsolve_plugin *method_at(const gsolve_context *ctx, int k)
{
    (void)ctx;
    return gsolve_method_at(k);
}

static const gsolve_plugin *multiplier_at(const gsolve_context *ctx, int k)
{
    (void)ctx;
    return gsolve_multiplier_at(k);
}

static const gsolve_plugin *generator_at(const gsolve_context *ctx, int k)
{
    (void)ctx;
    return gsolve_generator_at(k);
}

static const gsolve_plugin *device_at(const gsolve_context *ctx, int k)
{
    (void)ctx;
    return gsolve_device_at(k);
}

typedef struct list {
    const char *name, *use;
    const gsolve_plugin *(*at)(const gsolve_context *ctx, int k);
    const char *title; /* in the man page */
    const char *cuda;  /* the name that only builds with CUDA have, or NULL */
    const char *terms; /* explains the symbols of the help texts, or NULL */
} list;

static const list lists[] = {
    {"formats", "--format NAME,key=value,... or auto", gsolve_format_at, "formats (--format)",
     "cusparse",
     "A format stores the matrix A for products y = A x. f32: single precision; f64: double "
     "precision."},
    {"solvers", "--solver NAME,key=value,... or auto", method_at, "methods (--solver)", NULL,
     "Methods to solve A x = b. M: the preconditioner; |.|: the Euclidean norm; A^T: the transpose "
     "of A; f32, f64: single and double precision."},
    {"preconds", "--precond NAME,key=value,... or auto", gsolve_precond_at,
     "preconditioners (--precond)", NULL,
     "A preconditioner M approximates A; a solver applies M^-1 in each iteration."},
    {"products", "C function gsolve_csr_multiply", multiplier_at, "products of matrices (in C)",
     "cusparse", "Methods for the product C = A B of two sparse matrices."},
    {"generators", "-A gen:NAME,key=value,...", generator_at, "generators (gen:NAME)", NULL,
     "SPD: symmetric positive definite."},
    {"devices", "--device NAME,key=value,... or auto", device_at, "devices (--device)", "cuda",
     NULL},
    {0},
};

static const char *list_name(const void *user, int k)
{
    return ((const list *)user)[k].name;
}

void cli_each_list(FILE *file, void (*write)(FILE *, const cli_pair *))
{
    gsolve_context *ctx = NULL;
    const gsolve_plugin *plugin;

    if (gsolve_context_create(&ctx, "cpu") != GSOLVE_OK) return;
    for (const list *l = lists; l->name; l++) {
        char names[1000] = "";
        int length = 0;
        for (int k = 0; (plugin = l->at(ctx, k)); k++) {
            if (l->cuda && strcmp(plugin->name, l->cuda) == 0) continue;
            length += snprintf(names + length, sizeof names - (size_t)length, "%s%s",
                               length ? ", " : "", plugin->name);
        }
        if (l->cuda) {
            snprintf(names + length, sizeof names - (size_t)length, "; with CUDA also %s", l->cuda);
        }
        write(file, &(cli_pair){l->title, names});
    }
    gsolve_context_destroy(&ctx);
}

/* --- text ------------------------------------------------------------------------------------ */

/* The word of "a|b|c" at index. */
static void word_at(const char *words, int index, char word[32])
{
    while (index-- > 0) words += strcspn(words, "|") + 1;
    snprintf(word, 32, "%.*s", (int)strcspn(words, "|"), words);
}

static void initial_value(const gsolve_option *o, char value[32])
{
    switch (o->kind) {
    case GSOLVE_CHOICE: word_at(o->choices, (int)o->initial, value); break;
    case GSOLVE_INT:
    case GSOLVE_FLAG:
    case GSOLVE_REAL: snprintf(value, 32, "%.10g", o->initial); break;
    }
}

static void allowed_values(const gsolve_option *o, char range[160])
{
    switch (o->kind) {
    case GSOLVE_CHOICE: snprintf(range, 160, "%s", o->choices); break;
    case GSOLVE_FLAG: snprintf(range, 160, "0 or 1"); break;
    case GSOLVE_INT:
    case GSOLVE_REAL:
        snprintf(range, 160, "%s %s %s", cli_number(o->least).text,
                 o->kind == GSOLVE_INT && o->most == o->least + 1 ? "or" : "to",
                 cli_number(o->most).text);
        break;
    }
}

static void say_option(const cli *c, const gsolve_option *o)
{
    char value[32], range[160], pair[96], text[512];

    initial_value(o, value);
    allowed_values(o, range);
    snprintf(pair, sizeof pair, "%s=%s", o->key, value);
    snprintf(text, sizeof text, "%s (%s)", o->help, range);
    fprintf(c->text, "      %-18s ", pair);
    if (c->width > 0 && strlen(pair) > 18) fprintf(c->text, "\n%*s", 25, "");
    cli_wrap(c->text, 25, c->width, text);
}

/* The device of this machine that the name selects, or why there is none. */
static void say_device(const cli *c, const char *name)
{
    gsolve_context *ctx = NULL;
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    if (gsolve_context_create(&ctx, name) == GSOLVE_OK) {
        gsolve_context_describe(ctx, &info);
        fprintf(c->text, "      found: %s\n", info.description);
        gsolve_context_destroy(&ctx);
    } else {
        fprintf(c->text, "      not available: %s\n", gsolve_error(NULL));
    }
}

/* The libraries of sparse factorisations in this build: the option library of direct. */
static void say_libraries(const cli *c)
{
    char names[128] = "";
    const char *name;

    for (int k = 0; (name = gsolve_factor_library_at(k)); k++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", k ? ", " : "", name);
    }
    fprintf(c->text, "      libraries in this build: %s\n", names);
}

static void say_list(const cli *c, const list *l)
{
    const gsolve_plugin *plugin;

    fprintf(c->text, "%s (%s)\n", l->name, l->use);
    if (l->terms) cli_wrap(c->text, 0, c->width, l->terms);
    for (int k = 0; (plugin = l->at(c->ctx, k)); k++) {
        fprintf(c->text, "  %-16s ", plugin->name);
        cli_wrap(c->text, 19, c->width, plugin->summary);
        for (const gsolve_option *o = plugin->option; o && o->key; o++) say_option(c, o);
        if (l->at == device_at) say_device(c, plugin->name);
        if (l->at == method_at && strcmp(plugin->name, "direct") == 0) say_libraries(c);
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_option(const gsolve_option *o)
{
    static const char *const kinds[] = {"int", "real", "flag", "choice"};
    cJSON *item = cJSON_CreateObject();
    char value[32];

    cJSON_AddStringToObject(item, "key", o->key);
    cJSON_AddStringToObject(item, "help", o->help);
    cJSON_AddStringToObject(item, "kind", kinds[o->kind]);
    if (o->kind == GSOLVE_CHOICE) {
        initial_value(o, value);
        cJSON_AddStringToObject(item, "default", value);
        cJSON_AddStringToObject(item, "choices", o->choices);
    } else {
        cJSON_AddNumberToObject(item, "default", o->initial);
        cJSON_AddNumberToObject(item, "minimum", o->kind == GSOLVE_FLAG ? 0 : o->least);
        cJSON_AddNumberToObject(item, "maximum", o->kind == GSOLVE_FLAG ? 1 : o->most);
    }
    return item;
}

static void json_libraries(cJSON *object)
{
    cJSON *names = cJSON_AddArrayToObject(object, "factor_libraries");
    const char *name;

    for (int k = 0; (name = gsolve_factor_library_at(k)); k++) {
        cJSON_AddItemToArray(names, cJSON_CreateString(name));
    }
}

static void json_list(cJSON *object, const cli *c, const list *l)
{
    cJSON *items = cJSON_AddArrayToObject(object, l->name);
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = l->at(c->ctx, k)); k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", plugin->name);
        cJSON_AddStringToObject(item, "summary", plugin->summary);
        cJSON *options = cJSON_AddArrayToObject(item, "options");
        for (const gsolve_option *o = plugin->option; o && o->key; o++) {
            cJSON_AddItemToArray(options, json_option(o));
        }
        cJSON_AddItemToArray(items, item);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

int cli_list(cli *c)
{
    const char *which = c->args.operands ? c->args.operand[0] : NULL;
    cJSON *object;
    int said = 0;

    if (cli_check_files(c) || cli_open(c)) return CLI_ERROR;
    object = cJSON_CreateObject();
    for (const list *l = lists; l->name; l++) {
        if (which && strcmp(which, l->name) != 0) continue;
        if (c->text && said) fputc('\n', c->text);
        if (c->text) say_list(c, l);
        json_list(object, c, l);
        if (l->at == method_at) json_libraries(object);
        said++;
    }
    if (said == 0) {
        const char *nearest = cli_nearest(which, list_name, lists);
        cJSON_Delete(object);
        return cli_fail(
            c,
            "there is no list '%s'%s%s%s; the lists are formats, solvers, preconds, products, "
            "generators and devices",
            which, nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    }
    if (!which) cli_json_reference(object);
    if (c->args.json) return cli_json_write(c, object);
    cJSON_Delete(object);
    return 0;
}
