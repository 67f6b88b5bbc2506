/* history.c: the residual of each iteration as comma-separated values. */
#include <math.h>
#include <stdlib.h>

#include "cli/solve.h"

/* A residual that is not known, as after an overflow, is an empty field. */
static void write_line(FILE *file, int iteration, double residual)
{
    if (isfinite(residual)) {
        fprintf(file, "%d,%.17g\n", iteration, residual);
    } else {
        fprintf(file, "%d,\n", iteration);
    }
}

int cli_report_history(cli *c, const cli_solution *s)
{
    const cli_attempt *a = &s->attempt[s->best];
    char *text = NULL;
    size_t bytes;
    int code;

    if (!c->args.history) return 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return cli_fail(c, "out of memory while writing the history");
    fprintf(file, "iteration,residual\n");
    for (int k = 0; k < a->length; k++) write_line(file, k, a->history[k]);
    const bool done = fclose(file) == 0;
    code = done ? cli_write_text(c, c->args.history, text)
                : cli_fail(c, "out of memory while writing the history");
    free(text);
    return code;
}
