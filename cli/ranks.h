/* ranks.h: what gsolve does when mpirun has started it with several ranks. */
#ifndef GS_CLI_RANKS_H
#define GS_CLI_RANKS_H

/* Returns -1 if this process is not one of several ranks, and no option is for them. Otherwise
 * executes gsolve-mpi, which lies beside gsolve or in the PATH, in place of this process. If that
 * fails, the first rank prints a sentence, and all return the exit code 1. */
int cli_run_ranks(char **argv);

#endif
