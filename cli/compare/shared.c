/* shared.c: what comparisons of formats and of solvers do alike. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

gsolve_location cmp_location(const cmp *m)
{
    return strcmp(m->device.device, "cpu") == 0 ? GSOLVE_HOST : GSOLVE_DEVICE;
}

double cmp_largest(const cmp *m, double value)
{
    m->backend->largest(m, &value, 1);
    return value;
}

double cmp_elapsed(cmp *m, gsolve_status status, double begin)
{
    if (status == GSOLVE_RANK_FAILED) m->lost = status;
    return cmp_largest(m, cli_now() - begin);
}

bool cmp_is_lost(cmp *m, gsolve_status status)
{
    if (status == GSOLVE_DEVICE_FAILED || status == GSOLVE_RANK_FAILED) m->lost = status;
    return m->lost != GSOLVE_OK;
}

void cmp_say_interrupt(const cli *c, int matrices)
{
    if (!cli_interrupted()) return;
    cli_say(c, "\n");
    cli_item(
        c, "interrupted",
        "The comparison is not complete. Matrices begun: %d of %d. The times of the last one are "
        "those of the rounds before the interrupt.",
        matrices, c->args.matrices.count);
}

int cmp_write_by(cli *c, const char *path, void (*write)(FILE *file, const void *of),
                 const void *of)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = path ? open_memstream(&text, &length) : NULL;
    int code = 0;

    if (!path) return 0;
    if (file) write(file, of);
    if (!file || fclose(file) != 0) {
        code = cli_fail(c, "out of memory while writing %s", path);
    } else {
        code = cli_write_text(c, path, text);
    }
    free(text);
    return code;
}
