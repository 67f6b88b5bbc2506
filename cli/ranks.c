/* ranks.c: see ranks.h. */
#include "cli/ranks.h"

#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/launcher.h"

/* Allows this process all processors that it had at its start. With OMP_PROC_BIND the start of
 * OpenMP has bound it to the first place, and the program that it executes would inherit that. */
static void unbind(void)
{
    cpu_set_t all;

    CPU_ZERO(&all);
    for (int place = 0; place < omp_get_num_places(); place++) {
        int id[CPU_SETSIZE];
        const int count = omp_get_place_num_procs(place);
        if (count > CPU_SETSIZE) return;
        omp_get_place_proc_ids(place, id);
        for (int k = 0; k < count; k++) CPU_SET(id[k], &all);
    }
    if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof all, &all);
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

/* The option of gsolve-mpi alone that is among the arguments, or NULL. A script can pass it for any
 * number of ranks. */
static const char *find_option(char **argv)
{
    static const char *const names[] = {"--partition", "--ranks"};

    for (; *argv; argv++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const size_t length = strlen(names[k]);
            if (strncmp(*argv, names[k], length) != 0) continue;
            if (!(*argv)[length] || (*argv)[length] == '=') return names[k];
        }
    }
    return NULL;
}

int cli_run_ranks(char **argv)
{
    const char *option = find_option(argv);
    int rank, ranks;

    cli_find_ranks(&rank, &ranks);
    if (ranks < 2 && !option) return -1;
    unbind();
    execute_beside(argv);
    execvp("gsolve-mpi", argv);
    if (ranks < 2) {
        fprintf(stderr,
                "gsolve: %s is for several ranks, and the command gsolve-mpi, which has it, is not "
                "installed; build gsolve where CMake finds MPI, or leave %s out\n",
                option, option);
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
