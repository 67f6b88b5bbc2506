/* at_level.c: runs a program on a level of the processor: at_level LEVEL PROGRAM ARGUMENTS. Exit
 * code 77: the processor does not have the level. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gsolve.h"

int main(int count, char **argument)
{
    gsolve_context *ctx = NULL;

    if (count < 3 || setenv("GSOLVE_CPU_LEVEL", argument[1], 1) != 0) return 1;
    if (gsolve_context_create(&ctx, "cpu") != GSOLVE_OK) {
        printf("skipped: %s\n", gsolve_error(NULL));
        return 77;
    }
    gsolve_context_destroy(&ctx);
    execv(argument[2], argument + 2);
    perror(argument[2]);
    return 1;
}
