/* mpi_ranks.h: ranks as MPI processes, in place of those of thread_ranks.h, for the same tests.
 * Each process runs the test program. */
#ifndef TESTS_MPI_RANKS_H
#define TESTS_MPI_RANKS_H

#include <stdio.h>

#include "gsolve_mpi.h"
#include "tests/apart.h"

typedef int rank_body(gsolve_context *ctx, int rank, int ranks, void *user);

#define EXPECT(condition, ...)                                                             \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            failures++;                                                                    \
            fprintf(stderr, "%s:%d: rank %d of %d: %s: ", __FILE__, __LINE__, rank, ranks, \
                    #condition);                                                           \
            fprintf(stderr, __VA_ARGS__);                                                  \
            fprintf(stderr, "\n");                                                         \
        }                                                                                  \
    } while (0)

/* EXPECT that a call succeeds. */
#define EXPECT_OK(ctx, call)                                              \
    do {                                                                  \
        const gsolve_status status_ = (call);                             \
        EXPECT(status_ == GSOLVE_OK, "%s: %s", #call, gsolve_error(ctx)); \
    } while (0)

/* Runs body on `ranks` processes: on this one alone if `ranks` is 1, else on all. Returns the
 * number of failures of all. */
static inline int run_ranks(int ranks, rank_body *body, void *user)
{
    const MPI_Comm comm = ranks == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    gsolve_context *ctx = NULL;
    int rank, failures = 0, all;

    MPI_Comm_rank(comm, &rank);
    EXPECT(gsolve_context_create_mpi(&ctx,
                                     test_device_is("cuda") ? "cuda,threads=1,timeout=60"
                                                            : "cpu,threads=1,timeout=60",
                                     comm) == GSOLVE_OK,
           "%s", gsolve_mpi_error());
    if (failures == 0) failures = body(ctx, rank, ranks, user);
    gsolve_context_destroy(&ctx);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

/* The numbers of ranks of a test; 0 ends them. */
static inline int rank_count(int k)
{
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return k == 0 ? 1 : k == 1 && ranks > 1 ? ranks : 0;
}

static inline void begin_ranks(int *argc, char ***argv)
{
    int provided;

    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
}

/* Ends the program; status: of this process. */
static inline int end_ranks(int status)
{
    int all;

    MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return all;
}

enum { RANKS_ARE_PROCESSES = 1 };

#endif
