/* spec.h: what the files of specs share: the text of a spec, the plug-in that it names, and the
 * sentences about what is wrong with it. */
#ifndef GS_CORE_SPEC_H
#define GS_CORE_SPEC_H

#include "core/context.h"

typedef struct gs_slice_of_text {
    const char *at;
    size_t length;
} gs_slice_of_text;

/* The first `length` characters of text without the blanks at both ends. */
gs_slice_of_text gs_spec_trim(const char *text, size_t length);

typedef struct gs_spec_scope { /* the plug-ins among which a spec names one */
    const gs_registry *registry;
    const gsolve_plugin *const *builtin;
    const char *what; /* "method" */
} gs_spec_scope;

/* The plug-in that spec names, or NULL. */
const gsolve_plugin *gs_plugin_named(const gs_registry *registry,
                                     const gsolve_plugin *const *builtin, const char *spec);

/* Each fails with GSOLVE_BAD_SPEC and a sentence that says what is allowed and, if something is
 * near, what was probably meant. */
gsolve_status gs_refuse_name(gsolve_context *ctx, const gs_spec_scope *scope, const char *spec);
/* scope: NULL, or the plug-ins that may have the key. */
gsolve_status gs_refuse_key(gsolve_context *ctx, const gs_spec_scope *scope,
                            const gsolve_plugin *plugin, const char *key);
gsolve_status gs_refuse_value(gsolve_context *ctx, const gsolve_plugin *plugin,
                              const gsolve_option *option, const char *text);

#endif
