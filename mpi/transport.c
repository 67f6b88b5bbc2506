/* transport.c: allgather and messages by MPI. All requests are allocated when the context is
 * created, so an exchange needs no memory, except for the copies that a timeout needs. */
#include "mpi/transport.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

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

/* --- what MPI counts in int ------------------------------------------------------------------- */

typedef struct element { /* bytes as `count` elements of a type */
    int count;
    MPI_Datatype type;
} element;

/* e = `bytes` bytes. Free it with drop_element as soon as MPI has begun with it. */
static gsolve_status new_element(element *e, gs_mpi *m, size_t bytes)
{
    const size_t chunk = (size_t)m->chunk, whole = bytes / chunk * chunk;
    const MPI_Aint at[] = {0, (MPI_Aint)whole};
    const int length[] = {1, (int)(bytes - whole)};
    MPI_Datatype block, part[2] = {MPI_BYTE, MPI_BYTE};
    bool made;

    *e = (element){(int)bytes, MPI_BYTE};
    if (bytes <= chunk) return GSOLVE_OK;
    e->count = 1;
    if (MPI_Type_contiguous(m->chunk, MPI_BYTE, &block) != MPI_SUCCESS) return fail(m);
    made = MPI_Type_contiguous((int)(bytes / chunk), block, &part[0]) == MPI_SUCCESS;
    MPI_Type_free(&block);
    if (!made) return fail(m);
    made = MPI_Type_create_struct(2, length, at, part, &e->type) == MPI_SUCCESS;
    MPI_Type_free(&part[0]);
    return made && MPI_Type_commit(&e->type) == MPI_SUCCESS ? GSOLVE_OK : fail(m);
}

static void drop_element(element *e)
{
    if (e->type != MPI_BYTE) MPI_Type_free(&e->type);
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Returns memory of b for `size` bytes, or NULL. Nothing is on its way in b. */
static char *reserve(gs_mpi_buffer *b, size_t size)
{
    char *larger;

    if (b->at && size <= b->size) return b->at;
    larger = realloc(b->at, size + 1);
    if (!larger) return NULL;
    *b = (gs_mpi_buffer){larger, size};
    return larger;
}

/* --- allgather -------------------------------------------------------------------------------- */

/* Without a timeout MPI reads and writes the caller's memory. A rank without memory for the copies
 * fails; the others then reach their timeout. */
static gsolve_status allgather(void *self, const void *send, size_t bytes, void *recv)
{
    gs_mpi *m = self;
    const size_t all = bytes * (size_t)m->ranks;
    const void *from = send;
    void *to = recv;
    MPI_Request request;
    MPI_Status ignored;
    element e;
    gsolve_status status;

    if (m->failed) return GSOLVE_RANK_FAILED;
    if (bytes == 0) return GSOLVE_OK;
    if (m->timeout > 0) {
        char *copy = reserve(&m->given, bytes);
        to = reserve(&m->gathered, all);
        if (!copy || !to) return fail(m);
        from = memcpy(copy, send, bytes);
    }
    status = new_element(&e, m, bytes);
    if (status != GSOLVE_OK) return status;
    if (m->timeout <= 0 && !m->crowded) {
        if (MPI_Allgather(from, e.count, e.type, to, e.count, e.type, m->comm) != MPI_SUCCESS) {
            status = fail(m);
        }
        drop_element(&e);
        return status;
    }
    if (MPI_Iallgather(from, e.count, e.type, to, e.count, e.type, m->comm, &request) !=
        MPI_SUCCESS) {
        status = fail(m);
    }
    drop_element(&e);
    if (status == GSOLVE_OK) status = wait_for(m, 1, &request, &ignored);
    if (status == GSOLVE_OK && to != recv) memcpy(recv, to, all);
    return status;
}

/* --- messages --------------------------------------------------------------------------------- */

/* The first byte of all messages, and the number of bytes. */
static char *begin_of(const gsolve_messages *m)
{
    return m->count > 0 ? (char *)m->buffer + m->offset[0] : NULL;
}

static size_t bytes_of(const gsolve_messages *m)
{
    return m->count > 0 ? m->offset[m->count] - m->offset[0] : 0;
}

/* Starts all sends or all receives; `at` takes the place of the first byte of messages->buffer. */
static gsolve_status start(gs_mpi *m, const gsolve_messages *messages, char *at, bool receive)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < messages->count && status == GSOLVE_OK; k++) {
        const size_t size = messages->offset[k + 1] - messages->offset[k];
        char *data = at + (messages->offset[k] - messages->offset[0]);
        MPI_Request *request = &m->request[m->requests];
        element e;
        if (size == 0) continue;
        status = new_element(&e, m, size);
        if (status != GSOLVE_OK) break;
        const int rank = messages->rank[k];
        const int error = receive ? MPI_Irecv(data, e.count, e.type, rank, 0, m->comm, request)
                                  : MPI_Isend(data, e.count, e.type, rank, 0, m->comm, request);
        drop_element(&e);
        if (error != MPI_SUCCESS) return fail(m);
        m->requests++;
    }
    return status;
}

static gsolve_status exchange_begin(void *self, const gsolve_messages *out,
                                    const gsolve_messages *in)
{
    gs_mpi *m = self;
    char *from = begin_of(out), *to = begin_of(in);
    gsolve_status status;

    if (m->failed) return GSOLVE_RANK_FAILED;
    if (m->timeout > 0) {
        char *copy = reserve(&m->sent, bytes_of(out));
        to = reserve(&m->received, bytes_of(in));
        if (!copy || !to) return fail(m);
        if (from) from = memcpy(copy, from, bytes_of(out));
    }
    m->in = *in;
    m->requests = 0;
    status = start(m, in, to, true);
    return status == GSOLVE_OK ? start(m, out, from, false) : status;
}

static gsolve_status exchange_end(void *self)
{
    gs_mpi *m = self;
    gsolve_status status;

    if (m->failed) return GSOLVE_RANK_FAILED;
    status = wait_for(m, m->requests, m->request, m->ignored);
    if (status == GSOLVE_OK && m->timeout > 0 && m->in.count > 0) {
        memcpy(begin_of(&m->in), m->received.at, bytes_of(&m->in));
    }
    return status;
}

static gsolve_status neighbor_exchange(void *self, const gsolve_messages *out,
                                       const gsolve_messages *in)
{
    const gsolve_status status = exchange_begin(self, out, in);

    return status == GSOLVE_OK ? exchange_end(self) : status;
}

/* --- open and close --------------------------------------------------------------------------- */

bool gs_mpi_open(gs_mpi **out, MPI_Comm comm, double timeout, bool crowded)
{
    gs_mpi *m = calloc(1, sizeof *m);

    if (!m) return false;
    *m = (gs_mpi){.comm = comm, .crowded = crowded, .timeout = timeout, .chunk = 1 << 30};
    MPI_Comm_rank(comm, &m->rank);
    MPI_Comm_size(comm, &m->ranks);
    m->request = calloc(2 * (size_t)m->ranks, sizeof *m->request);
    m->ignored = calloc(2 * (size_t)m->ranks, sizeof *m->ignored);
    *out = m;
    if (m->request && m->ignored) return true;
    gs_mpi_drop(m);
    *out = NULL;
    return false;
}

void gs_mpi_drop(gs_mpi *m)
{
    if (!m) return;
    free(m->request);
    free(m->ignored);
    if (!m->failed) { /* else MPI may still use the copies */
        free(m->sent.at);
        free(m->received.at);
        free(m->given.at);
        free(m->gathered.at);
    }
    free(m);
}

/* After a failure the communicator stays: freeing it waits for all ranks. */
static void close_transport(void *self)
{
    gs_mpi *m = self;
    int finalized = 1;

    MPI_Finalized(&finalized);
    if (!m->failed && !finalized) MPI_Comm_free(&m->comm);
    gs_mpi_drop(m);
}

const gsolve_transport gs_mpi_transport = {
    .size = sizeof gs_mpi_transport,
    .name = "mpi",
    .allgather = allgather,
    .neighbor_exchange = neighbor_exchange,
    .close = close_transport,
    .exchange_begin = exchange_begin,
    .exchange_end = exchange_end,
};
