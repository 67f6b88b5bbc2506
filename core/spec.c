/* spec.c: parses specs "name,key=value,..." by the option tables, and finds plug-ins by name. */
#include "core/context.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Appends to text, which stays terminated. */
#define APPEND(text, ...) snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

bool gs_spec_is(const char *spec, const char *name)
{
    const size_t length = strcspn(spec, ",");
    return strlen(name) == length && strncmp(spec, name, length) == 0;
}

/* --- values --------------------------------------------------------------------- */

/* Parses digits, one point and an exponent, independently of the locale. */
static bool parse_real(const char *text, double *value)
{
    const char *p = text + (*text == '-' || *text == '+');
    double mantissa = 0;
    int exponent = 0, digits = 0, shift = 0;
    char *end;

    for (; *p >= '0' && *p <= '9'; p++, digits++) mantissa = mantissa * 10 + (*p - '0');
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9'; p++, digits++, shift++) {
            mantissa = mantissa * 10 + (*p - '0');
        }
    }
    if (digits == 0) return false;
    if (*p == 'e' || *p == 'E') {
        const char *digits_at = p + 1 + (p[1] == '-' || p[1] == '+');
        if (*digits_at < '0' || *digits_at > '9') return false;
        const long e = strtol(p + 1, &end, 10);
        if (e < -400 || e > 400) return false;
        exponent = (int)e;
        p = end;
    }
    if (*p) return false;
    exponent -= shift;
    mantissa = exponent < 0 ? mantissa / pow(10, -exponent) : mantissa * pow(10, exponent);
    *value = *text == '-' ? -mantissa : mantissa;
    return isfinite(*value);
}

static bool parse_flag(const char *text, double *value)
{
    static const char *const no[] = {"0", "no", "false", "off"};
    static const char *const yes[] = {"1", "yes", "true", "on"};

    for (int k = 0; k < 4; k++) {
        if (strcasecmp(text, no[k]) == 0 || strcasecmp(text, yes[k]) == 0) {
            *value = strcasecmp(text, yes[k]) == 0;
            return true;
        }
    }
    return false;
}

/* *value = the index of text among the words "a|b|c". */
static bool parse_choice(const char *choices, const char *text, double *value)
{
    int index = 0;

    for (const char *word = choices; word; index++) {
        const size_t length = strcspn(word, "|");
        if (strlen(text) == length && strncmp(word, text, length) == 0) {
            *value = index;
            return true;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return false;
}

static bool parse_value(const gsolve_option *option, const char *text, double *value)
{
    switch (option->kind) {
    case GSOLVE_FLAG: return parse_flag(text, value);
    case GSOLVE_CHOICE: return parse_choice(option->choices, text, value);
    case GSOLVE_INT:
        return parse_real(text, value) && *value == rint(*value) && *value >= option->least &&
               *value <= option->most;
    case GSOLVE_REAL:
        return parse_real(text, value) && *value >= option->least && *value <= option->most;
    }
    return false;
}

static void store(const gsolve_option *option, double value, void *options)
{
    char *member = (char *)options + option->offset;

    switch (option->kind) {
    case GSOLVE_INT:
    case GSOLVE_CHOICE: *(int *)(void *)member = (int)value; break;
    case GSOLVE_REAL: *(double *)(void *)member = value; break;
    case GSOLVE_FLAG: *(bool *)(void *)member = value != 0; break;
    }
}

static gsolve_status bad_value(gsolve_context *ctx, const gsolve_plugin *plugin,
                               const gsolve_option *option, const char *text)
{
    char allowed[256] = "";

    switch (option->kind) {
    case GSOLVE_FLAG: APPEND(allowed, "0 or 1"); break;
    case GSOLVE_CHOICE: APPEND(allowed, "one of %s", option->choices); break;
    case GSOLVE_INT:
        APPEND(allowed, "a whole number from %.10g to %.10g", option->least, option->most);
        break;
    case GSOLVE_REAL:
        APPEND(allowed, "a number from %.10g to %.10g", option->least, option->most);
        break;
    }
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s: %s=%s is not allowed; it takes %s", plugin->name,
                       option->key, text, allowed);
}

static gsolve_status bad_key(gsolve_context *ctx, const gsolve_plugin *plugin, const char *pair)
{
    const bool transforms = strcmp(pair, "scale") == 0 || strcmp(pair, "order") == 0;
    char keys[512] = "";

    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        APPEND(keys, "%s%s", keys[0] ? ", " : "", o->key);
    }
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s has no option '%s'; %s%s%s", plugin->name, pair,
                       keys[0] ? "its options are " : "it takes none", keys,
                       transforms ? "; the automatic solver has scale and order for every method "
                                    "(in the command --scale and --order)"
                                  : "");
}

static gsolve_status parse_pair(gsolve_context *ctx, const gsolve_plugin *plugin, char *pair,
                                void *options)
{
    char *equals = strchr(pair, '=');
    const gsolve_option *o = plugin->option;
    double value;

    if (equals) *equals = 0;
    while (o && o->key && strcmp(o->key, pair) != 0) o++;
    if (!o || !o->key) return bad_key(ctx, plugin, pair);
    if (!equals) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s: option '%s' needs a value: write %s=VALUE",
                           plugin->name, pair, pair);
    }
    if (!parse_value(o, equals + 1, &value)) return bad_value(ctx, plugin, o, equals + 1);
    store(o, value, options);
    return GSOLVE_OK;
}

gsolve_status gs_spec_pairs(gsolve_context *ctx, const gsolve_plugin *plugin, const char *pairs,
                            void *options)
{
    char pair[128];

    for (const char *p = pairs; true; p++) {
        const size_t length = strcspn(p, ",");
        if (length == 0) {
            return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                               "%s: an option is missing %s; write key=value between the commas",
                               plugin->name, *p ? "before a comma" : "after the last comma");
        }
        if (length >= sizeof pair) {
            return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s: the option '%.40s...' is too long",
                               plugin->name, p);
        }
        memcpy(pair, p, length);
        pair[length] = 0;
        const gsolve_status status = parse_pair(ctx, plugin, pair, options);
        if (status != GSOLVE_OK) return status;
        p += length;
        if (!*p) return GSOLVE_OK;
    }
}

gsolve_status gs_spec_options(gsolve_context *ctx, const gsolve_plugin *plugin, const char *spec,
                              void *options)
{
    const char *pairs = spec + strcspn(spec, ",");

    if (options && plugin->option_size) memset(options, 0, plugin->option_size);
    for (const gsolve_option *o = plugin->option; o && o->key; o++) store(o, o->initial, options);
    return *pairs ? gs_spec_pairs(ctx, plugin, pairs + 1, options) : GSOLVE_OK;
}

/* --- lists ------------------------------------------------------------------------ */

const gsolve_plugin *gs_plugin_at(const gs_registry *registry, const gsolve_plugin *const *builtin,
                                  int index)
{
    if (index < 0) return NULL;
    for (; *builtin; builtin++) {
        if (!(*builtin)->name) continue; /* not in this build */
        if (index-- == 0) return *builtin;
    }
    return registry && index < registry->count ? &registry->plugin[index].any.plugin : NULL;
}

static const gsolve_plugin *find(const gs_registry *registry, const gsolve_plugin *const *builtin,
                                 const char *spec)
{
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = gs_plugin_at(registry, builtin, k)); k++) {
        if (gs_spec_is(spec, plugin->name)) return plugin;
    }
    return NULL;
}

/* Whether "auto" is a name, too, which the lists of these plug-ins do not have. */
static bool allows_auto(const char *what)
{
    return strcmp(what, "device") == 0 || strcmp(what, "method") == 0 ||
           strcmp(what, "preconditioner") == 0;
}

static gsolve_status bad_name(gsolve_context *ctx, const gs_registry *registry,
                              const gsolve_plugin *const *builtin, const char *what,
                              const char *spec)
{
    char names[512] = "";
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = gs_plugin_at(registry, builtin, k)); k++) {
        APPEND(names, "%s%s", names[0] ? ", " : "", plugin->name);
    }
    if (allows_auto(what)) APPEND(names, ", auto");
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "unknown %s '%.*s'; allowed: %s", what,
                       (int)(strcspn(spec, ",") < 60 ? strcspn(spec, ",") : 60), spec, names);
}

/* Whether the plug-in has an option with the key of "key=value". */
static bool has_option(const gsolve_plugin *plugin, const char *pair)
{
    const size_t length = strcspn(pair, "=,");

    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        if (strlen(o->key) == length && strncmp(o->key, pair, length) == 0) return true;
    }
    return false;
}

/* After a spec of `found` was refused: if a key of it is an option of other plug-ins only, adds
 * their names to the sentence. */
static void name_owners(gsolve_context *ctx, const gs_registry *registry,
                        const gsolve_plugin *const *builtin, const gsolve_plugin *found,
                        const char *spec)
{
    const char *pair = strchr(spec, ',');
    const gsolve_plugin *plugin;
    char names[512] = "";

    while (pair && has_option(found, pair + 1)) pair = strchr(pair + 1, ',');
    if (!pair) return;
    for (int k = 0; (plugin = gs_plugin_at(registry, builtin, k)); k++) {
        if (has_option(plugin, pair + 1)) APPEND(names, "%s%s", names[0] ? ", " : "", plugin->name);
    }
    if (!names[0]) return;
    const size_t used = strlen(ctx->error);
    snprintf(ctx->error + used, sizeof ctx->error - used, "; '%.*s' is an option of %s",
             (int)strcspn(pair + 1, "=,"), pair + 1, names);
}

gsolve_status gs_plugin_parse(gsolve_context *ctx, const gs_registry *registry,
                              const gsolve_plugin *const *builtin, const char *what,
                              const char *spec, const gsolve_plugin **plugin, void **options)
{
    const gsolve_plugin *found = find(registry, builtin, spec);
    void *parsed;
    gsolve_status status;

    if (!found) return bad_name(ctx, registry, builtin, what, spec);
    parsed = gsolve_alloc(ctx, GSOLVE_HOST, 1, found->option_size);
    if (!parsed) return GSOLVE_NO_MEMORY;
    status = gs_spec_options(ctx, found, spec, parsed);
    if (status != GSOLVE_OK) {
        name_owners(ctx, registry, builtin, found, spec);
        gsolve_free(ctx, GSOLVE_HOST, parsed);
        return status;
    }
    *plugin = found;
    *options = parsed;
    return GSOLVE_OK;
}

gsolve_status gs_copy_plugin(gsolve_context *ctx, gs_user_plugin *copy, size_t known,
                             const void *given, const char *what)
{
    const char *bytes = given;
    size_t size;

    memcpy(&size, given, sizeof size);
    if (size < sizeof copy->any || size > (1 << 16)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the member size of a %s is %zu; set it to the sizeof of its struct",
                           what, size);
    }
    for (size_t k = known; k < size; k++) {
        if (bytes[k] == 0) continue;
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "a %s of %zu bytes has a member that this version of the library, which "
                           "knows %zu bytes, does not have; set it to 0, or link a newer library",
                           what, size, known);
    }
    memset(copy, 0, sizeof *copy);
    memcpy(copy, given, size < known ? size : known);
    return GSOLVE_OK;
}

gsolve_status gs_register(gsolve_context *ctx, gs_registry *registry,
                          const gsolve_plugin *const *builtin, const gs_user_plugin *plugin,
                          const char *what)
{
    const char *name = plugin->any.plugin.name;

    if (!name || !*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")]) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "a %s cannot be named '%s'; use only a-z, 0-9 and '_'", what,
                           name ? name : "");
    }
    if (find(registry, builtin, name)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "a %s named '%s' exists already", what, name);
    }
    if (registry->count == GS_MAX_USER_PLUGINS) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "cannot register more than %d %ss",
                           GS_MAX_USER_PLUGINS, what);
    }
    registry->plugin[registry->count++] = *plugin;
    return GSOLVE_OK;
}
