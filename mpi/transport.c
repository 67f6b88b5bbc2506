/* transport.c: allgather and messages by MPI. Messages of more than CHUNK bytes travel in pieces,
 * because MPI counts in int. */
#include "mpi/transport.h"

#include <sched.h>
#include <stdlib.h>

enum { CHUNK = 1 << 30 };

/* --- waiting ---------------------------------------------------------------------------------- */

static gsolve_status fail(gs_mpi *m)
{
    m->failed = true;
    return GSOLVE_RANK_FAILED;
}

/* Waits for `count` requests. MPI has no wait with a time limit, so with one the rank asks. It also
 * asks where ranks share processors, and lets others run in between: MPI's own waiting may not. */
static gsolve_status wait_for(gs_mpi *m, int count, MPI_Request *request, MPI_Status *ignored)
{
    const double end = MPI_Wtime() + m->timeout;
    int done = 0;

    if (m->timeout <= 0 && !m->crowded) {
        return MPI_Waitall(count, request, ignored) == MPI_SUCCESS ? GSOLVE_OK : fail(m);
    }
    while (!done) {
        if (MPI_Testall(count, request, &done, ignored) != MPI_SUCCESS) return fail(m);
        if (!done && m->timeout > 0 && MPI_Wtime() > end) return fail(m);
        if (!done && m->crowded) sched_yield();
    }
    return GSOLVE_OK;
}

/* --- allgather -------------------------------------------------------------------------------- */

static gsolve_status gather(gs_mpi *m, const void *send, int bytes, void *recv)
{
    MPI_Request request;
    MPI_Status ignored;

    if (m->timeout <= 0 && !m->crowded) {
        return MPI_Allgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, m->comm) == MPI_SUCCESS
                   ? GSOLVE_OK
                   : fail(m);
    }
    if (MPI_Iallgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, m->comm, &request) !=
        MPI_SUCCESS) {
        return fail(m);
    }
    return wait_for(m, 1, &request, &ignored);
}

static gsolve_status allgather(void *self, const void *send, size_t bytes, void *recv)
{
    gs_mpi *m = self;
    gsolve_status status = GSOLVE_OK;

    if (m->failed) return GSOLVE_RANK_FAILED;
    if (bytes <= CHUNK) return gather(m, send, (int)bytes, recv);
    for (int r = 0; r < m->ranks && status == GSOLVE_OK; r++) { /* too large for one call */
        const char *from = send;
        char *to = (char *)recv + (size_t)r * bytes;
        for (size_t at = 0; at < bytes && status == GSOLVE_OK; at += CHUNK) {
            const int size = bytes - at < CHUNK ? (int)(bytes - at) : CHUNK;
            for (int k = 0; r == m->rank && k < size; k++)
                to[at + (size_t)k] = from[at + (size_t)k];
            if (MPI_Bcast(to + at, size, MPI_BYTE, r, m->comm) != MPI_SUCCESS) status = fail(m);
        }
    }
    return status;
}

/* --- messages --------------------------------------------------------------------------------- */

static int pieces(const gsolve_messages *m)
{
    int count = 0;

    for (int k = 0; k < m->count; k++) {
        count += (int)((m->offset[k + 1] - m->offset[k] + CHUNK - 1) / CHUNK);
    }
    return count;
}

/* Space for `count` requests. */
static bool reserve(gs_mpi *m, int count)
{
    MPI_Request *requests;
    MPI_Status *ignored;

    if (count <= m->most) return true;
    requests = realloc(m->request, (size_t)count * sizeof *requests);
    if (requests) m->request = requests;
    ignored = realloc(m->ignored, (size_t)count * sizeof *ignored);
    if (ignored) m->ignored = ignored;
    if (!requests || !ignored) return false;
    m->most = count;
    return true;
}

/* Starts all sends or all receives. */
static gsolve_status start(gs_mpi *m, const gsolve_messages *messages, bool receive)
{
    for (int k = 0; k < messages->count; k++) {
        for (size_t at = messages->offset[k]; at < messages->offset[k + 1]; at += CHUNK) {
            const size_t left = messages->offset[k + 1] - at;
            const int size = left < CHUNK ? (int)left : CHUNK, rank = messages->rank[k];
            char *piece = (char *)messages->buffer + at;
            MPI_Request *request = &m->request[m->requests++];
            const int error = receive ? MPI_Irecv(piece, size, MPI_BYTE, rank, 0, m->comm, request)
                                      : MPI_Isend(piece, size, MPI_BYTE, rank, 0, m->comm, request);
            if (error != MPI_SUCCESS) return fail(m);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status exchange_begin(void *self, const gsolve_messages *out,
                                    const gsolve_messages *in)
{
    gs_mpi *m = self;
    gsolve_status status;

    if (m->failed || !reserve(m, pieces(out) + pieces(in))) return fail(m);
    m->requests = 0;
    status = start(m, in, true);
    return status == GSOLVE_OK ? start(m, out, false) : status;
}

static gsolve_status exchange_end(void *self)
{
    gs_mpi *m = self;

    return m->failed ? GSOLVE_RANK_FAILED : wait_for(m, m->requests, m->request, m->ignored);
}

static gsolve_status neighbor_exchange(void *self, const gsolve_messages *out,
                                       const gsolve_messages *in)
{
    const gsolve_status status = exchange_begin(self, out, in);

    return status == GSOLVE_OK ? exchange_end(self) : status;
}

/* After a failure the communicator stays: freeing it waits for all ranks. */
void gs_mpi_close(void *self)
{
    gs_mpi *m = self;
    int finalized = 1;

    MPI_Finalized(&finalized);
    if (!m->failed && !finalized) MPI_Comm_free(&m->comm);
    free(m->request);
    free(m->ignored);
    free(m);
}

const gsolve_transport gs_mpi_transport = {
    .size = sizeof gs_mpi_transport,
    .name = "mpi",
    .allgather = allgather,
    .neighbor_exchange = neighbor_exchange,
    .close = gs_mpi_close,
    .exchange_begin = exchange_begin,
    .exchange_end = exchange_end,
};
