/* json.h: results as JSON. */
#ifndef GS_CLI_JSON_H
#define GS_CLI_JSON_H

#include <cjson/cJSON.h>

#include "cli/system.h"

/* Adds text that may hold any bytes, such as a file name; those that are not UTF-8 become '?'. */
void cli_json_text(cJSON *object, const char *key, const char *text);

/* value as JSON; null for nan and inf, which JSON does not have. */
cJSON *cli_json_number(double value);
void cli_json_add(cJSON *object, const char *key, double value);

/* Adds matrix{rows, cols, entries, symmetric, source, ...}. */
void cli_json_matrix(cJSON *object, const cli_system *s);

/* Puts gsolve, the version, and index_base before the other members, unless object has them: rows,
 * columns and elements of lists are numbered from 0 in all values. */
void cli_json_head(cJSON *object);

/* Writes object with its head to the file of --json, and deletes it. Returns 0 or CLI_ERROR. */
int cli_json_write(cli *c, cJSON *object);

/* Writes s's matrix to the file path, prints a line, and writes the JSON of --json. Returns 0 or
 * CLI_ERROR. */
int cli_write_matrix(cli *c, cli_system *s, const char *path, gsolve_symmetry symmetry,
                     const char *comment);

/* Adds the parts of the reference pages that are not plug-ins: version, commands, examples,
 * exit_codes, environment, outcomes and statuses. */
void cli_json_reference(cJSON *object);

/* Writes {"error": c->error} to the file of --json, if that can be written. */
void cli_json_error(cli *c);

#endif
