/* test_transport.c: the transport over MPI, on 2 or more processes: messages that MPI must count in
 * pieces, a rank without memory, and messages that arrive after a timeout. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool no_memory; /* of this rank */

static void *test_realloc(void *at, size_t size)
{
    return no_memory ? NULL : realloc(at, size);
}

#define realloc test_realloc
#include "mpi/transport.c"
#undef realloc

static int rank, ranks, failures;

#define EXPECT(condition)                                                                  \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            failures++;                                                                    \
            fprintf(stderr, "%s:%d: rank %d of %d: %s\n", __FILE__, __LINE__, rank, ranks, \
                    #condition);                                                           \
        }                                                                                  \
    } while (0)

static gs_mpi *open_transport(double timeout)
{
    MPI_Comm comm;
    gs_mpi *m = NULL;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    EXPECT(gs_mpi_open(&m, comm, timeout, true));
    return m;
}

enum { BYTES = 1000 };

static char byte_of(int from, int to, int k)
{
    return (char)(from * 31 + to * 7 + k);
}

/* Sends BYTES bytes to each other rank. */
static void exchange(gs_mpi *m)
{
    char *out = malloc((size_t)ranks * BYTES), *in = malloc((size_t)ranks * BYTES);
    int *other = malloc((size_t)ranks * sizeof *other), count = 0;
    size_t *offset = calloc((size_t)ranks + 1, sizeof *offset);

    for (int r = 0; r < ranks; r++) {
        if (r == rank) continue;
        for (int k = 0; k < BYTES; k++) out[count * BYTES + k] = byte_of(rank, r, k);
        other[count++] = r;
        offset[count] = (size_t)count * BYTES;
    }
    const gsolve_messages sent = {count, other, offset, out}, received = {count, other, offset, in};
    EXPECT(gs_mpi_transport.neighbor_exchange(m, &sent, &received) == GSOLVE_OK);
    for (int i = 0; i < count * BYTES && failures == 0; i++) {
        EXPECT(in[i] == byte_of(other[i / BYTES], rank, i % BYTES));
    }
    free(out);
    free(in);
    free(other);
    free(offset);
}

static void gather(gs_mpi *m)
{
    char own[BYTES], *all = malloc((size_t)ranks * BYTES);

    for (int k = 0; k < BYTES; k++) own[k] = byte_of(rank, 0, k);
    EXPECT(gs_mpi_transport.allgather(m, own, BYTES, all) == GSOLVE_OK);
    for (int i = 0; i < ranks * BYTES && failures == 0; i++) {
        EXPECT(all[i] == byte_of(i / BYTES, 0, i % BYTES));
    }
    free(all);
}

/* As if MPI could count to `chunk` only. */
static void pieces(double timeout)
{
    const int chunks[] = {1 << 30, 999, 1000, 7, 1};

    for (int c = 0; c < 5; c++) {
        gs_mpi *m = open_transport(timeout);
        m->chunk = chunks[c];
        exchange(m);
        gather(m);
        exchange(m);
        gs_mpi_transport.close(m);
    }
}

/* Without a timeout an exchange needs no memory. */
static void without_memory(void)
{
    gs_mpi *m = open_transport(0);

    no_memory = rank == 0;
    exchange(m);
    gather(m);
    no_memory = false;
    gs_mpi_transport.close(m);
}

/* Rank 1 comes after the others have given up. What it then sends must not be written to memory
 * that they use for something else. */
static void late(bool gathers)
{
    gs_mpi *m = open_transport(0.2);
    char *out = malloc((size_t)ranks * BYTES), *in = malloc((size_t)ranks * BYTES);
    const int other = rank == 0 ? 1 : 0;
    const size_t offset[] = {0, BYTES};
    const gsolve_messages sent = {rank < 2, &other, offset, out},
                          received = {rank < 2, &other, offset, in};
    gsolve_status status;
    int here = 0;

    memset(out, 1, (size_t)ranks * BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) usleep(1500000);
    status = gathers ? gs_mpi_transport.allgather(m, out, BYTES, in)
                     : gs_mpi_transport.neighbor_exchange(m, &sent, &received);
    if (rank == 0) EXPECT(status == GSOLVE_RANK_FAILED);
    if (rank == 0 || gathers) EXPECT(m->failed || rank == 1);
    if (rank == 0) {
        memset(in, 2, (size_t)ranks * BYTES); /* the caller uses its memory for something else */
        memset(out, 2, (size_t)ranks * BYTES);
        for (double end = MPI_Wtime() + 3; MPI_Wtime() < end; usleep(1000)) {
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE); /* progress */
        }
        for (int i = 0; i < ranks * BYTES && failures == 0; i++) EXPECT(in[i] == 2);
        EXPECT(gs_mpi_transport.neighbor_exchange(m, &sent, &received) == GSOLVE_RANK_FAILED);
    } else if (status == GSOLVE_OK && !gathers && rank == 1) {
        for (int i = 0; i < BYTES && failures == 0; i++) EXPECT(in[i] == 1); /* not 2 */
    }
    free(in);
    free(out);
    MPI_Barrier(MPI_COMM_WORLD);
    gs_mpi_transport.close(m);
}

int main(int argc, char **argv)
{
    int provided, all;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pieces(0);
    pieces(60);
    without_memory();
    if (ranks > 1) late(false);
    if (ranks > 1) late(true);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all > 0;
}
