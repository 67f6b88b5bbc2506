/* gsolve_mpi.h: contexts whose ranks are MPI processes, for the distributed systems of
 * gsolve_dist.h. Only this header includes mpi.h, and only the library libgsolve_mpi (link
 * -lgsolve_mpi -lgsolve) calls MPI; libgsolve itself does not.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *     gsolve_context_create_mpi(&ctx, "cpu", MPI_COMM_WORLD);
 *     gsolve_matrix_create_dist(&A, ctx, "auto", &csr);
 *     ...
 *     gsolve_context_destroy(&ctx);
 *     MPI_Finalize();
 *
 * The library calls MPI on the thread that calls the library. Messages travel in a duplicate of the
 * caller's communicator, so that they never meet the caller's.
 */
#ifndef GSOLVE_MPI_H
#define GSOLVE_MPI_H

#include <mpi.h>

#include "gsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates the context of this rank. All processes of comm call it, with the same spec. `spec` names
 * the device, as for gsolve_context_create; "auto" is "cpu". With "cuda" and without the key
 * `index`, rank r of a host takes its GPU r; if a host has fewer GPUs than ranks, ranks share them.
 * Messages of GPUs pass through the memory of the hosts, so any MPI will do. The spec may have
 * another key:
 *
 *     timeout     seconds that the rank waits for another one; then the call fails with
 *                 GSOLVE_RANK_FAILED, and so does every later one. 0, the default: wait for ever.
 *                 With a timeout, messages travel by copies, which are never freed after a
 *                 failure: MPI may still use them
 *
 * Without the key `threads`, the ranks of one host divide the processors that they may use: if they
 * are not bound to different ones, each takes its share of them.
 *
 * MPI must be initialised, and must not be finalised before gsolve_context_destroy, which is
 * collective. If one rank fails, all fail with its status. Fails with GSOLVE_BAD_ARGUMENT if MPI is
 * not initialised; with GSOLVE_UNSUPPORTED if the context has more than one thread and MPI was not
 * initialised with MPI_THREAD_FUNNELED or more, or if the launcher belongs to another MPI, so that
 * each process is alone in MPI_COMM_WORLD; with GSOLVE_RANK_FAILED if MPI fails; and like
 * gsolve_context_create. */
GSOLVE_API gsolve_status gsolve_context_create_mpi(gsolve_context **ctx, const char *spec,
                                                   MPI_Comm comm);

/* Returns one sentence about the last gsolve_context_create_mpi of this thread that failed. */
GSOLVE_API const char *gsolve_mpi_error(void);

#ifdef __cplusplus
}
#endif
#endif
