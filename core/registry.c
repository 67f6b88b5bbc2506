/* registry.c: lists of plug-ins: the built-in ones and those that the user added. */
#include "core/spec.h"

#include <string.h>

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

const gsolve_plugin *gs_plugin_named(const gs_registry *registry,
                                     const gsolve_plugin *const *builtin, const char *spec)
{
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = gs_plugin_at(registry, builtin, k)); k++) {
        if (gs_spec_is(spec, plugin->name)) return plugin;
    }
    return NULL;
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
    if (gs_plugin_named(registry, builtin, name)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "a %s named '%s' exists already", what, name);
    }
    if (registry->count == GS_MAX_USER_PLUGINS) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "cannot register more than %d %ss",
                           GS_MAX_USER_PLUGINS, what);
    }
    registry->plugin[registry->count++] = *plugin;
    return GSOLVE_OK;
}
