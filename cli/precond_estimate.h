/* precond_estimate.h: builds the preconditioner of a solve for gsolve info, and shows it. */
#ifndef GS_CLI_PRECOND_ESTIMATE_H
#define GS_CLI_PRECOND_ESTIMATE_H

#include <cjson/cJSON.h>

#include "cli/attempt.h"

typedef struct cli_precond_estimate {
    bool asked;    /* for, by name or since auto would take one that has levels */
    cli_attempt a; /* its kind, note, levels; ran: it could be made; explanation: why not */
    size_t bytes, peak;
    gsolve_context_info device;
} cli_precond_estimate;

/* That of the arguments, or amg where auto takes it, on there's device. Its peak is that of this
 * alone where there is a context of its own. */
void cli_precond_estimate_make(const cli *c, gsolve_context *there, const cli_system *s,
                               cli_precond_estimate *p);

void cli_precond_estimate_print(const cli *c, const cli_precond_estimate *p);
void cli_precond_estimate_json(cJSON *object, const cli_precond_estimate *p);

#endif
