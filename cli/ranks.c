/* ranks.c: see ranks.h. */
#include "cli/ranks.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/launcher.h"

/* Executes gsolve-mpi in the folder of this program. */
static void execute_beside(char **argv)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 20);
    char *slash;

    if (length <= 0) return;
    path[length] = 0;
    slash = strrchr(path, '/');
    if (!slash) return;
    strcpy(slash, "/gsolve-mpi");
    execv(path, argv);
}

/* Whether an argument is an option of gsolve-mpi alone. A script can pass it for any number of
 * ranks. */
static bool is_for_ranks(char **argv)
{
    for (; *argv; argv++) {
        if (strcmp(*argv, "--partition") == 0 || strncmp(*argv, "--partition=", 12) == 0) {
            return true;
        }
    }
    return false;
}

int cli_run_ranks(char **argv)
{
    int rank, ranks;

    cli_find_ranks(&rank, &ranks);
    if (ranks < 2 && !is_for_ranks(argv)) return -1;
    execute_beside(argv);
    execvp("gsolve-mpi", argv);
    if (ranks < 2) {
        fprintf(stderr,
                "gsolve: --partition is for several ranks, and the command gsolve-mpi, which "
                "has it, is not installed; build gsolve where CMake finds MPI, or leave "
                "--partition out\n");
    } else if (rank <= 0) {
        fprintf(
            stderr,
            "gsolve: %d ranks were started, and the command gsolve-mpi, which solves one system "
            "with all of them, is not installed; build gsolve where CMake finds MPI, or start "
            "gsolve without mpirun\n",
            ranks);
    }
    return 1;
}
