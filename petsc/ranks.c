/* ranks.c: contexts whose ranks are those of an object of PETSc. */
#include "gsolve_mpi.h"
#include "petsc/plugin.h"

gsolve_status gs_petsc_context_over_ranks(gsolve_context **ctx, const char *device, MPI_Comm comm,
                                          const char **sentence)
{
    const gsolve_status status = gsolve_context_create_mpi(ctx, device, comm);

    *sentence = gsolve_mpi_error();
    return status;
}
