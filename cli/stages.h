/* stages.h: what the library does in a long call, such as the set-up of a preconditioner: on a
 * terminal as a line that changes, and as the words of a sentence after Ctrl-C. */
#ifndef GS_CLI_STAGES_H
#define GS_CLI_STAGES_H

#include "cli/live_progress.h"

typedef struct cli_stages {
    gsolve_context *ctx;
    cli_live live;
    char what[200];
} cli_stages;

/* From now on the stages of calls in c->ctx are followed. what: "checking the matrix". */
__attribute__((format(printf, 3, 4))) void cli_stages_begin(cli_stages *s, const cli *c,
                                                            const char *what, ...);
/* Erases the line. */
void cli_stages_end(cli_stages *s);

#endif
