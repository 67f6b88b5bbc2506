/* launcher.h: what the program that started this process says about the others: mpirun of Open MPI,
 * mpirun of MPICH and others with PMI, or srun. */
#ifndef GS_CLI_LAUNCHER_H
#define GS_CLI_LAUNCHER_H

#include <stdlib.h>

/* The number in an environment variable; -1: it is not set. */
static inline int cli_number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text ? atoi(text) : -1;
}

/* This process is *rank of *ranks. Both are -1 if that is not known. In a batch job of Slurm a
 * process that srun has not started has neither PMIX_RANK nor PMI_FD, and is alone. */
static inline void cli_find_ranks(int *rank, int *ranks)
{
    static const struct {
        const char *needs, *ranks, *rank;
    } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                     {"PMI_SIZE", "PMI_SIZE", "PMI_RANK"},
                     {"PMIX_RANK", "SLURM_NTASKS", "SLURM_PROCID"},
                     {"PMI_FD", "SLURM_NTASKS", "SLURM_PROCID"}};

    *rank = *ranks = -1;
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
        if (!getenv(launchers[k].needs)) continue;
        *ranks = cli_number_of(launchers[k].ranks);
        *rank = cli_number_of(launchers[k].rank);
        return;
    }
}

#endif
