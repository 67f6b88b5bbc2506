/* memory_estimate.h: estimates the memory of a solve on the device. */
#ifndef GS_CLI_MEMORY_ESTIMATE_H
#define GS_CLI_MEMORY_ESTIMATE_H

#include <cjson/cJSON.h>

#include "cli/system.h"

/* The memory of the device, of the matrix in each format, and of the work space of three methods.
 */
void cli_memory_estimate_print(const cli *c, const cli_system *s);
void cli_memory_estimate_json(cJSON *object, const cli *c, const cli_system *s);

#endif
