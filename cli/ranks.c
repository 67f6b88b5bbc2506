/* ranks.c: see ranks.h. */
#include "cli/ranks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in an environment variable; -1: it is not set. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text ? atoi(text) : -1;
}

/* *rank of *ranks, as the launcher says: Open MPI, MPICH and others with PMI. */
static void find_ranks(int *rank, int *ranks)
{
    *ranks = number_of("OMPI_COMM_WORLD_SIZE");
    *rank = number_of("OMPI_COMM_WORLD_RANK");
    if (*ranks > 0) return;
    *ranks = number_of("PMI_SIZE");
    *rank = number_of("PMI_RANK");
}

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

    find_ranks(&rank, &ranks);
    if (ranks < 2 && !is_for_ranks(argv)) return -1;
    execute_beside(argv);
    execvp("gsolve-mpi", argv);
    if (rank <= 0) {
        fprintf(
            stderr,
            "gsolve: %s, and the command gsolve-mpi, which solves one system with several ranks, "
            "is not installed; build gsolve where CMake finds MPI, or start gsolve without %s\n",
            ranks < 2 ? "--partition is given" : "several ranks were started",
            ranks < 2 ? "it" : "mpirun");
    }
    return 1;
}
