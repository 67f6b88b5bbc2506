/* precond_estimate.h: builds the preconditioner of a solve for gsolve info, and shows it. */
#ifndef GS_CLI_PRECOND_ESTIMATE_H
#define GS_CLI_PRECOND_ESTIMATE_H

#include <cjson/cJSON.h>

#include "cli/attempt.h"

typedef struct cli_precond_estimate {
    bool asked;    /* the user named it, or auto would choose amg: it is built */
    cli_attempt a; /* its kind, note and levels; ran: it was built; explanation: why it was not */
    size_t bytes, peak;
    gsolve_context_info device;
} cli_precond_estimate;

/* Builds the preconditioner of the arguments, or amg if auto would choose it, on target's device.
 * The peak of memory is that of `target`, which should be a new context. */
void cli_precond_estimate_make(const cli *c, gsolve_context *target, const cli_system *s,
                               cli_precond_estimate *p);

void cli_precond_estimate_print(const cli *c, const cli_precond_estimate *p);
void cli_precond_estimate_json(cJSON *object, const cli_precond_estimate *p);

#endif
