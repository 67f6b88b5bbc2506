/* cpu_level.c: the level of a context: which of the compiled copies of the CPU's kernels it uses,
 * see device.h. */
#include "core/context.h"

#include <gs_levels.h>

#include <stdlib.h>
#include <string.h>

static const char *const names[GS_LEVEL_COUNT] = GS_LEVEL_NAMES;

const char *gs_cpu_level_name(const gsolve_context *ctx)
{
    return names[ctx->cpu_level];
}

/* The highest level whose instructions this processor and the operating system support. */
static int highest_level(void)
{
    int level = GS_LEVEL_COUNT - 1;

    GS_LEVEL_INIT();
    while (!GS_LEVEL_RUNS(level)) level--;
    return level;
}

/* "baseline, v3 or v4", up to and including `last`. */
static const char *list_names(int last, char list[64])
{
    list[0] = 0;
    for (int k = 0; k <= last; k++) {
        if (k > 0) strcat(list, k == last ? " or " : ", ");
        strcat(list, names[k]);
    }
    return list;
}

gsolve_status gs_cpu_level_set(gsolve_context *ctx)
{
    const char *wanted = getenv("GSOLVE_CPU_LEVEL");
    const int highest = highest_level();
    int level = 0;
    char list[64];

    ctx->cpu_level = highest;
    if (!wanted || !wanted[0]) return GSOLVE_OK;
    while (level < GS_LEVEL_COUNT && strcmp(names[level], wanted) != 0) level++;
    ctx->cpu_level = level;
    if (level <= highest) return GSOLVE_OK;
    ctx->cpu_level = highest;
    if (level == GS_LEVEL_COUNT) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the environment variable GSOLVE_CPU_LEVEL is '%.40s'; this build has "
                           "kernels for %s",
                           wanted, list_names(GS_LEVEL_COUNT - 1, list));
    }
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "the environment variable GSOLVE_CPU_LEVEL is '%s', but this processor "
                       "supports only %s; unset the variable or change it",
                       wanted, list_names(highest, list));
}
