/* test_core_spec.c: specs parsed against option tables, and lists of plug-ins. */
#include "core_support.h"

typedef struct recipe {
    int count, kind;
    double rate;
    bool quick;
} recipe;

static const gsolve_option recipe_options[] = {
    {"count", "of things", GSOLVE_INT, offsetof(recipe, count), 3, -5, 2147483647, NULL},
    {"kind", "of thing", GSOLVE_CHOICE, offsetof(recipe, kind), 1, 0, 0, "auto|lu|qr"},
    {"rate", "of change", GSOLVE_REAL, offsetof(recipe, rate), 1e-8, 0, 1e300, NULL},
    {"quick", "or not", GSOLVE_FLAG, offsetof(recipe, quick), 1, 0, 1, NULL},
    {0},
};
static const gsolve_plugin cake = {"cake", "a recipe", recipe_options, sizeof(recipe)};
static const gsolve_plugin bread = {"bread", "takes no options", NULL, 0};
static const gsolve_plugin *const recipes[] = {&cake, &bread, NULL};

static gsolve_status parse(const char *spec, recipe *r)
{
    const gsolve_plugin *plugin;
    void *options;
    const gsolve_status status =
        gs_plugin_parse(ctx, NULL, recipes, "recipe", spec, &plugin, &options);

    if (status != GSOLVE_OK) return status;
    if (plugin == &cake) memcpy(r, options, sizeof *r);
    gsolve_free(ctx, GSOLVE_HOST, options);
    return GSOLVE_OK;
}

static void good_options_are_stored(void **state)
{
    static const struct {
        const char *spec;
        recipe r;
    } cases[] = {
        {"cake", {3, 1, 1e-8, true}},
        {"cake,count=-5,kind=qr,rate=0.25,quick=no", {-5, 2, 0.25, false}},
        {"cake,count=1,count=2", {2, 1, 1e-8, true}},
        {"cake,count=2147483647", {2147483647, 1, 1e-8, true}},
        {"cake,count=1e3,kind=auto", {1000, 0, 1e-8, true}},
        {"cake,count=+4,quick=0", {4, 1, 1e-8, false}},
        {"cake,rate=1e-10,quick=TRUE", {3, 1, 1e-10, true}},
        {"cake,rate=.5", {3, 1, 0.5, true}},
        {"cake,rate=5.", {3, 1, 5, true}},
        {"cake,rate=123.456E2,quick=off", {3, 1, 12345.6, false}},
        {"cake,rate=0,kind=lu", {3, 1, 0, true}},
        {"bread", {0, 0, 0, false}},
        {"Bread", {0, 0, 0, false}},
        {"CAKE,count=2", {2, 1, 1e-8, true}},
        {" cake , count = -5,\tkind= qr , rate =0.25, quick=no ", {-5, 2, 0.25, false}},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        recipe r = {0};
        if (parse(cases[k].spec, &r) != GSOLVE_OK) fail_msg("%s", gsolve_error(ctx));
        assert_int_equal(r.count, cases[k].r.count);
        assert_int_equal(r.kind, cases[k].r.kind);
        assert_true(r.rate == cases[k].r.rate);
        assert_int_equal(r.quick, cases[k].r.quick);
    }
}

static void bad_options_are_explained(void **state)
{
    static const struct {
        const char *spec, *said, *too;
    } cases[] = {
        {"pie", "unknown recipe 'pie'", "cake, bread"},
        {"cake x,count=1", "unknown recipe 'cake x'", "cake, bread"},
        {"cakes", "unknown recipe 'cakes'", "did you mean 'cake'?"},
        {"bred", "unknown recipe 'bred'", "did you mean 'bread'?"},
        {"cake(count=1)", "unknown recipe 'cake(count=1)'", "after commas: 'cake,key=value'"},
        {"cake,size=1", "cake has no option 'size'", "count, kind, rate, quick"},
        {"cake,Count=1", "cake has no option 'Count'", "did you mean 'count'?"},
        {"cake,cuont=1", "cake has no option 'cuont'", "did you mean 'count'?"},
        {"bread,count=1", "bread has no option 'count'", "it takes none"},
        {"cake,count", "option 'count' needs a value", "count=VALUE"},
        {"cake,", "cake: an option is missing after the last comma", "key=value"},
        {"cake,count=1,", "missing after the last comma", "key=value"},
        {"cake,,count=1", "missing before a comma", "key=value"},
        {"bread,count=1", "bread has no option", "'count' is an option of cake"},
        {"cake,=1", "cake has no option ''", "count"},
        {"cake,count=", "count= is not allowed", "-5 to 2147483647"},
        {"cake,count=-6", "count=-6 is not allowed", "-5 to 2147483647"},
        {"cake,count=2147483648", "count=2147483648 is not allowed", "-5 to 2147483647"},
        {"cake,count=1e400", "count=1e400 is not allowed", "whole number"},
        {"cake,count=1=2", "count=1=2 is not allowed", "whole number"},
        {"cake,count=0x10", "count=0x10 is not allowed", "whole number"},
        {"cake,count=1 0", "count=1 0 is not allowed", "whole number"},
        {"cake, ,count=1", "missing before a comma", "key=value"},
        {"cake,count=1, ", "missing after the last comma", "key=value"},
        {"cake,count=ten", "count=ten is not allowed", "whole number"},
        {"cake,rate=nan", "rate=nan is not allowed", "a number from 0 to"},
        {"cake,rate=inf", "rate=inf is not allowed", "a number from 0 to"},
        {"cake,rate=1e", "rate=1e is not allowed", "a number from 0 to"},
        {"cake,rate=1e 5", "rate=1e 5 is not allowed", "a number from 0 to"},
        {"cake,rate=-", "rate=- is not allowed", "a number from 0 to"},
        {"cake,rate=1e301", "rate=1e301 is not allowed", "1e+300"},
        {"cake,kind=QR", "kind=QR is not allowed (did you mean 'qr'?)", "auto|lu|qr"},
        {"cake,kind=atuo", "kind=atuo is not allowed (did you mean 'auto'?)", "auto|lu|qr"},
        {"cake,kind=l", "kind=l is not allowed", "auto|lu|qr"},
        {"cake,kind=", "kind= is not allowed", "auto|lu|qr"},
        {"cake,kind=lu|qr", "kind=lu|qr is not allowed", "auto|lu|qr"},
        {"cake,quick=2", "quick=2 is not allowed", "0 or 1"},
    };
    char longest[400] = "cake,count=";
    recipe r;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (parse(cases[k].spec, &r) == GSOLVE_OK) fail_msg("%s was taken", cases[k].spec);
        assert_says(ctx, cases[k].said);
        assert_says(ctx, cases[k].too);
        assert_int_equal(info_of(ctx).blocks, 0);
    }
    memset(longest + strlen(longest), '1', 300);
    assert_int_equal(parse(longest, &r), GSOLVE_BAD_SPEC);
    assert_says(ctx, "too long");
}

static gsolve_status parse_default(void *r)
{
    return parse("cake,count=4", r);
}

static void parsing_survives_without_memory(void **state)
{
    recipe r = {0};

    (void)state;
    assert_int_equal(sweep(parse_default, &r), 1);
    assert_int_equal(r.count, 4);
}

static void plugins_are_registered(void **state)
{
    gs_registry registry = {0};
    gs_user_plugin own[GS_MAX_USER_PLUGINS + 1];
    char name[GS_MAX_USER_PLUGINS + 1][16];
    const gsolve_plugin bad[] = {{.name = NULL}, {.name = ""},     {.name = "a-b"},
                                 {.name = "A"},  {.name = "cake"}, {.name = "a,b"}};

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const gs_user_plugin plugin = {.any = {.plugin = bad[k]}};
        assert_int_equal(gs_register(ctx, &registry, recipes, &plugin, "recipe"),
                         GSOLVE_BAD_ARGUMENT);
    }
    for (int k = 0; k <= GS_MAX_USER_PLUGINS; k++) {
        snprintf(name[k], sizeof name[k], "own_%d", k);
        own[k] = (gs_user_plugin){.any = {.plugin = {.name = name[k]}}};
        assert_int_equal(gs_register(ctx, &registry, recipes, &own[k], "recipe"),
                         k < GS_MAX_USER_PLUGINS ? GSOLVE_OK : GSOLVE_BAD_ARGUMENT);
    }
    assert_says(ctx, "cannot register more than 32 recipes");
    assert_int_equal(gs_register(ctx, &registry, recipes, &own[3], "recipe"), GSOLVE_BAD_ARGUMENT);
    assert_ptr_equal(gs_plugin_at(&registry, recipes, 1), &bread);
    assert_string_equal(gs_plugin_at(&registry, recipes, 2)->name, "own_0");
    assert_string_equal(gs_plugin_at(&registry, recipes, 33)->name, "own_31");
    assert_null(gs_plugin_at(&registry, recipes, 34));
    assert_null(gs_plugin_at(&registry, recipes, -1));
    assert_null(gs_plugin_at(NULL, recipes, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(good_options_are_stored),
        TEST(bad_options_are_explained),
        TEST(plugins_are_registered),
        TEST(parsing_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
