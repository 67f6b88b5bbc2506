/* spec_refuse.c: the sentences about a spec with an unknown name or key, or with a value that is
 * not allowed. */
#include "core/spec.h"

#include <stdio.h>
#include <string.h>

#include "core/suggest.h"

enum { MOST_WORDS = 16, WORD = 24, NAMES = 512, SUGGESTION = 160 };

/* Appends to text, an array, which stays terminated. */
#define APPEND(text, ...) snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

/* --- values ----------------------------------------------------------------------------------- */

typedef struct words { /* of a GSOLVE_CHOICE */
    char word[MOST_WORDS][WORD];
    int count;
} words;

static const char *word_at(const void *user, int index)
{
    const words *w = user;

    return index < w->count ? w->word[index] : NULL;
}

static void suggest_word(const gsolve_option *option, const char *given, char *text, size_t size)
{
    gs_suggestion s;
    words w = {.count = 0};

    for (const char *at = option->choices; *at && w.count < MOST_WORDS; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        snprintf(w.word[w.count++], WORD, "%.*s", (int)length, at);
        at += length;
    }
    gs_suggest(&s, "word", given, word_at, &w);
    gs_suggest_text(text, size, &s, given);
}

gsolve_status gs_refuse_value(gsolve_context *ctx, const gsolve_plugin *plugin,
                              const gsolve_option *option, const char *text)
{
    char allowed[256] = "", suggestion[SUGGESTION] = "";

    switch (option->kind) {
    case GSOLVE_FLAG: APPEND(allowed, "0 or 1"); break;
    case GSOLVE_CHOICE:
        suggest_word(option, text, suggestion, sizeof suggestion);
        APPEND(allowed, "one of %s", option->choices);
        break;
    case GSOLVE_INT:
        APPEND(allowed, "a whole number from %.10g to %.10g", option->least, option->most);
        break;
    case GSOLVE_REAL:
        APPEND(allowed, "a number from %.10g to %.10g", option->least, option->most);
        break;
    }
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s: %s=%s is not allowed%s; it takes %s",
                       plugin->name, option->key, text, suggestion, allowed);
}

/* --- keys ------------------------------------------------------------------------------------- */

static bool has_key(const gsolve_plugin *plugin, const char *key)
{
    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        if (strcmp(o->key, key) == 0) return true;
    }
    return false;
}

static const char *key_at(const void *plugin, int index)
{
    const gsolve_option *o = ((const gsolve_plugin *)plugin)->option;

    while (o && o->key && index-- > 0) o++;
    return o ? o->key : NULL;
}

/* text = " ('restart' is an option of gmres, fgmres)", or "" if no plug-in has the key. */
static void name_owners(const gs_spec_scope *scope, const char *key, char *text, size_t size)
{
    const gsolve_plugin *plugin;
    char names[NAMES] = "";

    for (int k = 0; scope && (plugin = gs_plugin_at(scope->registry, scope->builtin, k)); k++) {
        if (has_key(plugin, key)) APPEND(names, "%s%s", names[0] ? ", " : "", plugin->name);
    }
    snprintf(text, size, "%s", "");
    if (names[0]) snprintf(text, size, " ('%.60s' is an option of %s)", key, names);
}

gsolve_status gs_refuse_key(gsolve_context *ctx, const gs_spec_scope *scope,
                            const gsolve_plugin *plugin, const char *key)
{
    const bool transforms = strcmp(key, "scale") == 0 || strcmp(key, "order") == 0;
    char keys[NAMES] = "", suggestion[NAMES];
    gs_suggestion s;

    for (const gsolve_option *o = plugin->option; o && o->key; o++) {
        APPEND(keys, "%s%s", keys[0] ? ", " : "", o->key);
    }
    name_owners(scope, key, suggestion, sizeof suggestion);
    if (!suggestion[0]) {
        gs_suggest(&s, "option", key, key_at, plugin);
        gs_suggest_text(suggestion, sizeof suggestion, &s, key);
    }
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "%s has no option '%s'%s; %s%s%s", plugin->name, key,
                       suggestion, keys[0] ? "its options are " : "it takes none", keys,
                       transforms ? "; the automatic solver (gsolve_auto_create) has scale and "
                                    "order for every method"
                                  : "");
}

/* --- names ------------------------------------------------------------------------------------ */

/* Whether "auto" is a name, too, which the lists of these plug-ins do not have. */
static bool allows_auto(const char *what)
{
    return strcmp(what, "device") == 0 || strcmp(what, "method") == 0 ||
           strcmp(what, "preconditioner") == 0;
}

static const char *plugin_name_at(const void *user, int index)
{
    const gs_spec_scope *scope = user;
    const gsolve_plugin *last = gs_plugin_at(scope->registry, scope->builtin, index);

    if (last) return last->name;
    if (index == 0 || !gs_plugin_at(scope->registry, scope->builtin, index - 1)) return NULL;
    return allows_auto(scope->what) ? "auto" : NULL;
}

gsolve_status gs_refuse_name(gsolve_context *ctx, const gs_spec_scope *scope, const char *spec)
{
    const gs_slice_of_text given = gs_spec_trim(spec, strcspn(spec, ","));
    char names[NAMES] = "", word[61], suggestion[SUGGESTION];
    const char *name;
    gs_suggestion s;

    snprintf(word, sizeof word, "%.*s", (int)(given.length < 60 ? given.length : 60), given.at);
    for (int k = 0; (name = plugin_name_at(scope, k)); k++) {
        APPEND(names, "%s%s", names[0] ? ", " : "", name);
    }
    gs_suggest(&s, scope->what, word, plugin_name_at, scope);
    gs_suggest_text(suggestion, sizeof suggestion, &s, word);
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "unknown %s '%s'%s; allowed: %s", scope->what, word,
                       suggestion, names);
}
