/* print_c.h: gsolve solve --print-c: the C program that does the same. */
#ifndef GS_CLI_PRINT_C_H
#define GS_CLI_PRINT_C_H

#include "cli/system.h"

/* Refuses outputs that the program does not make. Returns 0 or CLI_ERROR. */
int cli_check_print_c(cli *c);

/* Prints a C program that solves the system s, which is read and not solved yet, through the public
 * interface. Returns 0 or CLI_ERROR. */
int cli_print_c(cli *c, const cli_system *s);

#endif
