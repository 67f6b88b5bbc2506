/* json.h: results as JSON. */
#ifndef GS_CLI_JSON_H
#define GS_CLI_JSON_H

#include <cjson/cJSON.h>

#include "cli/system.h"

/* Adds text that may hold any bytes, such as a file name; those that are not UTF-8 become '?'. */
void cli_json_text(cJSON *object, const char *key, const char *text);

/* value as JSON, which has no nan nor inf: null for these. */
cJSON *cli_json_number(double value);
void cli_json_add(cJSON *object, const char *key, double value);

/* Adds matrix{rows, cols, entries, symmetric, source, ...}. */
void cli_json_matrix(cJSON *object, const cli_system *s);

/* Writes object to where --json says, and deletes it. Returns 0 or CLI_ERROR. */
int cli_json_write(cli *c, cJSON *object);

/* path = s's matrix; says so, and writes JSON where --json asks for it. 0 or CLI_ERROR. */
int cli_write_matrix(cli *c, cli_system *s, const char *path, gsolve_symmetry symmetry,
                     const char *comment);

/* Adds what the reference pages tell beside the plug-ins: version, commands, examples, exit_codes,
 * environment, outcomes and statuses. */
void cli_json_reference(cJSON *object);

/* Writes {"error": c->error} to where --json says, if that can take it. */
void cli_json_error(cli *c);

#endif
