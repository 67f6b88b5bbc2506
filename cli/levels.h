/* levels.h: the levels of a preconditioner that has several, told. */
#ifndef GS_CLI_LEVELS_H
#define GS_CLI_LEVELS_H

#include "cli/attempt.h"
#include "cli/json.h"

/* a's kind, note and levels are those of M. */
void cli_levels_take(cli_attempt *a, const gsolve_precond *M);

void cli_levels_say(const cli *c, const cli_attempt *a);
void cli_levels_json(cJSON *object, const cli_attempt *a);

#endif
