/* spec.c: parses specs "name,key=value,..." by the option tables. A name may be written in
 * any case. Blanks around names, keys and values are ignored. */
#include "core/spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Cuts "key = value" into its two words, and sets *value to the second one, or to NULL. */
static char *cut_pair(char *pair, char **value)
{
    char *equals = strchr(pair, '=');
    const gs_slice_of_text key =
        gs_spec_trim(pair, equals ? (size_t)(equals - pair) : strlen(pair));
    char *begin = pair + (key.at - pair);

    *value = NULL;
    if (equals) {
        const gs_slice_of_text text = gs_spec_trim(equals + 1, strlen(equals + 1));
        *value = equals + 1 + (text.at - (equals + 1));
        (*value)[text.length] = 0;
    }
    begin[key.length] = 0;
    return begin;
}

static gsolve_status parse_pair(gsolve_context *ctx, const gs_spec_scope *scope,
                                const gsolve_plugin *plugin, char *pair, void *options)
{
    const gsolve_option *o = plugin->option;
    char *text;
    const char *key = cut_pair(pair, &text);
    double value;

    while (o && o->key && strcmp(o->key, key) != 0) o++;
    if (!o || !o->key) return gs_refuse_key(ctx, scope, plugin, key);
    if (!text) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s: option '%s' needs a value: write %s=VALUE",
                           plugin->name, key, key);
    }
    if (!parse_value(o, text, &value)) return gs_refuse_value(ctx, plugin, o, text);
    store(o, value, options);
    return GSOLVE_OK;
}

static gsolve_status parse_pairs(gsolve_context *ctx, const gs_spec_scope *scope,
                                 const gsolve_plugin *plugin, const char *pairs, void *options)
{
    char pair[128];

    for (const char *p = pairs; true; p++) {
        const size_t length = strcspn(p, ",");
        if (gs_spec_trim(p, length).length == 0) {
            return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                               "%s: an option is missing %s; write key=value between the commas",
                               plugin->name, p[length] ? "before a comma" : "after the last comma");
        }
        if (length >= sizeof pair) {
            return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s: the option '%.40s...' is too long",
                               plugin->name, p);
        }
        memcpy(pair, p, length);
        pair[length] = 0;
        const gsolve_status status = parse_pair(ctx, scope, plugin, pair, options);
        if (status != GSOLVE_OK) return status;
        p += length;
        if (!*p) return GSOLVE_OK;
    }
}

gsolve_status gs_spec_pairs(gsolve_context *ctx, const gsolve_plugin *plugin, const char *pairs,
                            void *options)
{
    return parse_pairs(ctx, NULL, plugin, pairs, options);
}

static gsolve_status parse_options(gsolve_context *ctx, const gs_spec_scope *scope,
                                   const gsolve_plugin *plugin, const char *spec, void *options)
{
    const char *pairs = spec + strcspn(spec, ",");

    if (options && plugin->option_size) memset(options, 0, plugin->option_size);
    for (const gsolve_option *o = plugin->option; o && o->key; o++) store(o, o->initial, options);
    return *pairs ? parse_pairs(ctx, scope, plugin, pairs + 1, options) : GSOLVE_OK;
}

gsolve_status gs_spec_options(gsolve_context *ctx, const gsolve_plugin *plugin, const char *spec,
                              void *options)
{
    return parse_options(ctx, NULL, plugin, spec, options);
}

/* --- specs ------------------------------------------------------------------------------------ */

gsolve_status gs_plugin_parse(gsolve_context *ctx, const gs_registry *registry,
                              const gsolve_plugin *const *builtin, const char *what,
                              const char *spec, const gsolve_plugin **plugin, void **options)
{
    const gsolve_plugin *found = gs_plugin_named(registry, builtin, spec);
    const gs_spec_scope scope = {registry, builtin, what};
    void *parsed;
    gsolve_status status;

    if (!found) return gs_refuse_name(ctx, &scope, spec);
    parsed = gsolve_alloc(ctx, GSOLVE_HOST, 1, found->option_size);
    if (!parsed) return GSOLVE_NO_MEMORY;
    status = parse_options(ctx, &scope, found, spec, parsed);
    if (status != GSOLVE_OK) {
        gsolve_free(ctx, GSOLVE_HOST, parsed);
        return status;
    }
    *plugin = found;
    *options = parsed;
    return GSOLVE_OK;
}
