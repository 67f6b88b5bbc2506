/* test_suggest.c: the tables of synonyms agree with the lists of plug-ins, and words are understood
 * but for case and punctuation. */
#include "core/spec.h"
#include "core/suggest.h"
#include "core_support.h"
#include "gsolve_io.h"

static const gsolve_plugin *plugin_at(const char *kind, int k)
{
    if (strcmp(kind, "method") == 0) return gsolve_method_at(k);
    if (strcmp(kind, "preconditioner") == 0) return gsolve_precond_at(ctx, k);
    if (strcmp(kind, "format") == 0) return gsolve_format_at(ctx, k);
    if (strcmp(kind, "generator") == 0) return gsolve_generator_at(k);
    if (strcmp(kind, "product") == 0) return gsolve_multiplier_at(k);
    if (strcmp(kind, "device") == 0) return gsolve_device_at(k);
    return NULL;
}

static const char *name_at(const void *kind, int k)
{
    const gsolve_plugin *plugin = plugin_at(kind, k);
    return plugin ? plugin->name : NULL;
}

/* Whether each name of a kind that could be taken for another one is in the row of its kind. */
static void kinds_have_all_names(void **state)
{
    const gsolve_plugin *plugin;
    char padded[600], name[64];

    (void)state;
    for (const gs_synonym *t = gs_kinds_of_names; t->kind; t++) {
        snprintf(padded, sizeof padded, " %s ", t->words);
        for (int k = 0; (plugin = plugin_at(t->kind, k)); k++) {
            if (strcmp(plugin->name, "none") == 0 || strcmp(plugin->name, "auto") == 0) continue;
            snprintf(name, sizeof name, " %s ", plugin->name);
            if (!strstr(padded, name)) fail_msg("core/synonyms.c lacks the %s %s", t->kind, name);
        }
    }
}

/* Each synonym leads to a name that exists, and is no name itself. */
static void synonyms_lead_to_names(void **state)
{
    gs_suggestion s;
    char word[64];

    (void)state;
    for (const gs_synonym *t = gs_synonyms; t->kind; t++) {
        if (!name_at(t->kind, 0)) continue; /* a key or a word of a value */
        const bool absent = strcmp(t->name, "cuda") == 0 || strcmp(t->name, "cusparse") == 0;
        for (const char *at = t->words; *at; at += strspn(at, " ")) {
            snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
            at += strlen(word);
            gs_suggest(&s, t->kind, word, name_at, t->kind);
            if (strcmp(s.name, t->name) != 0) fail_msg("%s %s: %s", t->kind, word, s.name);
            if (!absent) assert_int_equal(s.relation, t->similar ? GS_SIMILAR : GS_SYNONYM);
        }
    }
}

static const gsolve_option *table_of(const char *kind, const char *spec)
{
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = plugin_at(kind, k)); k++) {
        if (gs_spec_is(spec, plugin->name)) return plugin->option;
    }
    return NULL;
}

/* The options in the names of synonyms, such as "direct,factor=lu", exist. */
static void options_of_synonyms_exist(void **state)
{
    (void)state;
    for (const gs_synonym *t = gs_synonyms; t->kind; t++) {
        const char *pair = strchr(t->name, ','), *equals = pair ? strchr(pair, '=') : NULL;
        bool found = false;
        if (!equals) continue;
        for (const gsolve_option *o = table_of(t->kind, t->name); o && o->key; o++) {
            if (strncmp(o->key, pair + 1, (size_t)(equals - pair - 1)) != 0) continue;
            found = o->kind == GSOLVE_CHOICE && strstr(o->choices, equals + 1);
        }
        if (!found) fail_msg("%s %s is no spec", t->kind, t->name);
    }
}

static const char *no_name_at(const void *user, int k)
{
    (void)user;
    (void)k;
    return NULL;
}

static void nearest_names_are_found(void **state)
{
    static const struct {
        const char *kind, *word, *name;
    } cases[] = {
        {"method", "Conjugate-Gradient", "cg"},
        {"method", "gmrse", "gmres"},
        {"method", "direct", "direct"},
        {"preconditioner", "ILU(0)", "ilu"},
        {"method", "", NULL},
        {"method", "xyzzyxyzzy", NULL},
        {"generator", "laplace2d", "poisson2d"},
        {"device", "host", "cpu"},
    };
    char most[200];

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *name =
            gsolve_nearest_name(cases[k].kind, cases[k].word, name_at, cases[k].kind);
        if (!name || !cases[k].name) {
            assert_ptr_equal(name, cases[k].name);
        } else {
            assert_string_equal(name, cases[k].name);
        }
    }
    memset(most, 'g', sizeof most - 1);
    most[sizeof most - 1] = 0;
    assert_null(gsolve_nearest_name("method", most, name_at, "method"));
    assert_null(gsolve_nearest_name("method", "cg", no_name_at, NULL));
    assert_null(gsolve_nearest_name("method", NULL, name_at, "method"));
    assert_null(gsolve_nearest_name(NULL, "cg", name_at, "method"));
    assert_null(gsolve_nearest_name("method", "cg", NULL, NULL));
}

static void specs_are_tidied(void **state)
{
    static const char *const cases[][2] = {
        {"cg", "cg"},
        {" GMRES , restart = 50 ", "gmres,restart=50"},
        {"a b, c d", "a b,c d"},
        {"", ""},
        {"\tX,\tKey=Word", "x,Key=Word"},
        {" , =", ",="},
    };
    char spec[64];

    (void)state;
    gsolve_tidy_spec(NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(spec, sizeof spec, "%s", cases[k][0]);
        gsolve_tidy_spec(spec);
        assert_string_equal(spec, cases[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kinds_have_all_names),      TEST(synonyms_lead_to_names),
        TEST(options_of_synonyms_exist), TEST(nearest_names_are_found),
        TEST(specs_are_tidied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
