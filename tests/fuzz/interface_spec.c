/* interface_spec.c: random specs, with names, options and values of the registries. */
#include "tests/fuzz/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPEND(s, ...) \
    snprintf((s)->text + strlen((s)->text), sizeof(s)->text - strlen((s)->text), __VA_ARGS__)

static const gsolve_plugin *plugin_at(const fuzz *f, spec_kind kind, int index)
{
    switch (kind) {
    case FORMAT: return gsolve_format_at(f->ctx, index);
    case PRECOND: return gsolve_precond_at(f->ctx, index);
    case METHOD: return gsolve_method_at(index);
    case MULTIPLIER: return gsolve_multiplier_at(index);
    }
    return NULL;
}

/* One that is not skipped; NULL stands for "auto", which every kind knows. */
static const gsolve_plugin *draw_plugin(fuzz *f, spec_kind kind)
{
    const gsolve_plugin *plugin;
    int count = 0;

    while (plugin_at(f, kind, count)) count++;
    for (int k = 0, often = kind == PRECOND && chance(f, 20); k < count && often; k++) {
        plugin = plugin_at(f, kind, k); /* amg has by far the most options and code */
        if (strcmp(plugin->name, "amg") == 0 && !skips(f, "amg")) return plugin;
    }
    for (int attempt = 0; attempt < 50; attempt++) {
        plugin = plugin_at(f, kind, (int)below(f, count + (kind != MULTIPLIER)));
        if (!skips(f, plugin ? plugin->name : "auto")) return plugin;
    }
    return plugin_at(f, kind, 0);
}

/* Options whose largest values take long. */
static bool is_slow(const char *key)
{
    static const char *const slow[] = {"maxit", "inner_maxit", "pre",   "post",  "degree", "its",
                                       "relax", "pairings",    "tries", "power", "memory"};

    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++) {
        if (strcmp(slow[k], key) == 0) return true;
    }
    return false;
}

/* Whether the option may make bits depend on time: its value 0 or first word does not. */
static bool is_timed(const char *key)
{
    return strcmp(key, "tune") == 0 || strcmp(key, "trial") == 0;
}

/* One of words, "a|b|c"; not one that is skipped, as long as there are others. */
static void add_word(fuzz *f, random_spec *s, const char *words)
{
    char word[64];
    int count = 1;

    for (const char *p = words; *p; p++) count += *p == '|';
    for (int attempt = 0; attempt < 20; attempt++) {
        const char *from = words;
        for (int64_t wanted = below(f, count); wanted > 0; wanted--) from = strchr(from, '|') + 1;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(from, "|"), from);
        if (!skips(f, word)) break;
    }
    APPEND(s, "%s", word);
}

static void add_integer(fuzz *f, random_spec *s, const gsolve_option *o)
{
    const double most = is_slow(o->key) && o->most > 6 ? 6 : o->most;
    const double span = most - o->least > 1e9 ? 1e9 : most - o->least;
    double value = o->least;

    switch (below(f, 5)) {
    case 0: break;
    case 1: value = most; break;
    case 2: value = (double)(1 << below(f, 11)); break;
    case 3: value = o->least + (double)below(f, (int64_t)span + 1); break;
    default: value = o->least + (double)below(f, span < 10 ? (int64_t)span + 1 : 10); break;
    }
    APPEND(s, "%.0f", value > most ? most : value < o->least ? o->least : value);
}

static void add_real(fuzz *f, random_spec *s, const gsolve_option *o)
{
    const double most = o->most > 100 ? 100 : o->most, least = o->least;
    const double share = (uniform(f) + 1) / 2;
    double value = least + (most - least) * share * share * share;

    if (chance(f, 15)) value = least;
    if (chance(f, 10)) value = o->most;
    if (chance(f, 30)) value = o->initial;
    APPEND(s, "%.6g", value < least ? least : value);
}

static void add_bad_value(fuzz *f, random_spec *s, const gsolve_option *o)
{
    static const char *const bad[] = {"", "x", "nan", "1e999", "--1", "0x10", "1 1", "auto|"};

    s->invalid = true;
    if (o->kind == GSOLVE_INT && chance(f, 50)) {
        APPEND(s, "%.0f", chance(f, 50) ? o->most + 1 : o->least - 1);
    } else {
        APPEND(s, "%s", bad[below(f, sizeof bad / sizeof *bad)]);
    }
}

static void add_option(fuzz *f, random_spec *s, const gsolve_option *o)
{
    APPEND(s, ",%s=", o->key);
    if (chance(f, 1)) {
        add_bad_value(f, s, o);
        return;
    }
    switch (o->kind) {
    case GSOLVE_CHOICE: add_word(f, s, o->choices); break;
    case GSOLVE_FLAG: APPEND(s, "%d", (int)below(f, 2)); break;
    case GSOLVE_INT: add_integer(f, s, o); break;
    case GSOLVE_REAL: add_real(f, s, o); break;
    }
    if (is_timed(o->key)) f->untimed = false;
}

/* Those that the checks need to know, and those that bound the time. */
static bool is_fixed(spec_kind kind, const char *key)
{
    return kind == METHOD && (strcmp(key, "rtol") == 0 || strcmp(key, "atol") == 0 ||
                              strcmp(key, "maxit") == 0 || strcmp(key, "inner_maxit") == 0 ||
                              strcmp(key, "limit") == 0 || strcmp(key, "work") == 0);
}

static void add_tolerances(fuzz *f, random_spec *s)
{
    static const char *const rtol[] = {"1e-8", "1e-6", "1e-10", "1e-3", "1e-12", "1e-14", "0", "1"};
    static const char *const atol[] = {"1e-8", "1e-300", "1", "1e-150", "1e300"};
    const char *relative = rtol[chance(f, 70) ? 0 : below(f, 8)];
    const char *absolute = chance(f, 90) ? "0" : atol[below(f, 5)];

    s->maxit = chance(f, 10) ? (int)below(f, 3) : 20 + (int)below(f, 180);
    s->rtol = strtod(relative, NULL);
    s->atol = strtod(absolute, NULL);
    APPEND(s, ",rtol=%s,maxit=%d", relative, s->maxit);
    if (s->atol > 0) APPEND(s, ",atol=%s", absolute);
}

void draw_spec(fuzz *f, spec_kind kind, random_spec *s)
{
    const gsolve_plugin *plugin = draw_plugin(f, kind);
    const int often = chance(f, 40) ? 0 : chance(f, 50) ? 12 : 40;

    memset(s, 0, sizeof *s);
    APPEND(s, "%s", plugin ? plugin->name : "auto");
    if (kind == METHOD) add_tolerances(f, s);
    for (const gsolve_option *o = plugin ? plugin->option : NULL; o && o->key; o++) {
        const bool coarsens = strcmp(o->key, "coarsest") == 0 && chance(f, 60);
        if (coarsens) APPEND(s, ",coarsest=%d", 1 + (int)below(f, 20)); /* small ones, too */
        if (!coarsens && !is_fixed(kind, o->key) && chance(f, often)) add_option(f, s, o);
    }
    if (kind == METHOD && plugin && strcmp(plugin->name, "refine") == 0) {
        APPEND(s, ",inner_maxit=100");
    }
    if (strstr(s->text, "cusparse")) f->untimed = false;
    if (!chance(f, 3)) return;
    s->invalid = true;
    switch (below(f, 4)) {
    case 0: APPEND(s, ",nonsense=1"); break;
    case 1: APPEND(s, ",,="); break;
    case 2: snprintf(s->text, sizeof s->text, "nobody,a=1"); break;
    default: s->text[0] = 0; break;
    }
}
