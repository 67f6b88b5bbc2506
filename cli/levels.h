/* levels.h: the levels of a multilevel preconditioner, as text and as JSON. */
#ifndef GS_CLI_LEVELS_H
#define GS_CLI_LEVELS_H

#include "cli/json.h"

enum { CLI_MOST_LEVELS = 32 };

typedef struct cli_levels {
    gsolve_level_info level[CLI_MOST_LEVELS]; /* 0 is the finest */
    int count;                                /* 0: the preconditioner has no levels */
} cli_levels;

/* *levels = the levels of M. */
void cli_read_levels(cli_levels *levels, const gsolve_precond *M);

void cli_print_levels(const cli *c, const cli_levels *levels);
void cli_levels_json(cJSON *object, const cli_levels *levels);

#endif
