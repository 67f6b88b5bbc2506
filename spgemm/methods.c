/* methods.c: the list of methods that multiply two sparse matrices. */
#include "spgemm/cusparse/cusparse.h"
#include "spgemm/hash/hash.h"

const gsolve_plugin *const gs_multipliers[] = {
    &gs_gustavson_multiplier.plugin, &gs_esc_multiplier.plugin,  &gs_hash_multiplier.plugin,
    &gs_cusparse_multiplier.plugin,  &gs_auto_multiplier.plugin, NULL,
};

const gs_multiplier *gs_multiplier_named(const char *name)
{
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = gs_plugin_at(NULL, gs_multipliers, k)); k++) {
        if (gs_spec_is(name, plugin->name)) return (const gs_multiplier *)(const void *)plugin;
    }
    return NULL;
}

const gsolve_plugin *gsolve_multiplier_at(int index)
{
    return gs_plugin_at(NULL, gs_multipliers, index);
}
