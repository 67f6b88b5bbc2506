/* shared.c: what comparisons of formats and of solvers do alike: read a system, write a file. */
#include <stdlib.h>

#include "cli/compare/compare.h"

int cmp_read_system(cli *c, const char *name, cli_system *s)
{
    if (cli_read_matrix(c, name, s) || cli_read_vectors(c, s) || cli_analyse(c, s) ||
        cli_make_vectors(c, s, &s->csr)) {
        return CLI_ERROR;
    }
    cli_item(c, "", "%s%s", cli_symmetry_words(&s->statistics),
             c->args.type == GSOLVE_F32 ? "; computed in single precision" : "");
    cli_say_device(c);
    return 0;
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
