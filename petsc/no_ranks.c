/* no_ranks.c: replaces ranks.c in a build without libgsolve_mpi. */
#include "petsc/plugin.h"

gsolve_status gs_petsc_context_over_ranks(gsolve_context **ctx, const char *device, MPI_Comm comm,
                                          const char **sentence)
{
    (void)ctx, (void)device, (void)comm;
    *sentence = "this build of the plug-in works on one rank, and this object has several. Use "
                "-pc_type bjacobi -sub_pc_type gsolve, or build gsolve with -DGSOLVE_MPI=ON";
    return GSOLVE_UNSUPPORTED;
}
