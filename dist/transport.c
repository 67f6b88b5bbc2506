/* transport.c: gives a context its transport: creates and destroys the communicator. */
#include <stdio.h>
#include <string.h>

#include "core/dense.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/csr.h"

static void destroy(void *handle)
{
    gs_comm *comm = handle;
    gsolve_context *ctx = comm->ctx;

    if (ctx->comm == comm && comm->transport.close) comm->transport.close(comm->self);
    ctx->comm = NULL;
    if (comm->written) ctx->device->unmark(comm->written);
    gsolve_free(ctx, GSOLVE_HOST, comm->send);
    gsolve_free(ctx, GSOLVE_HOST, comm->recv);
    gsolve_free(ctx, GSOLVE_HOST, comm->own);
    gsolve_free(ctx, GSOLVE_HOST, comm->total);
    gsolve_free(ctx, GSOLVE_HOST, comm);
}

static gsolve_status create(gs_comm **out, gsolve_context *ctx)
{
    gs_comm *comm = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, comm, 1);
    memset(comm, 0, sizeof *comm);
    comm->ctx = ctx;
    gs_own(ctx, comm, destroy);
    *out = comm;
done:
    return status;
}

static gsolve_status create_buffers(gs_comm *comm)
{
    const size_t numbers = 1 + (size_t)GS_COMM_NUMBERS;
    gsolve_status status;

    ALLOC(comm->ctx, GSOLVE_HOST, comm->send, numbers);
    memset(comm->send, 0, numbers * sizeof *comm->send);
    ALLOC(comm->ctx, GSOLVE_HOST, comm->recv, numbers * (size_t)comm->ranks);
    comm->own = gs_alloc_pinned(comm->ctx, GS_COMM_NUMBERS, sizeof *comm->own);
    comm->total = gs_alloc_pinned(comm->ctx, GS_COMM_NUMBERS, sizeof *comm->total);
    if (!comm->own || !comm->total) status = GSOLVE_NO_MEMORY;
done:
    return status;
}

/* The lowest rank that failed, and its status. */
typedef struct verdict {
    int first, status;
} verdict;

/* The status of the lowest rank that failed, on all ranks, without memory: in round k each rank
 * sends what it knows 2^k ranks on. */
static gsolve_status check_in_rounds(gsolve_context *ctx, const gsolve_transport *t, void *self,
                                     int rank, int ranks, gsolve_status local)
{
    const size_t offset[2] = {0, sizeof(verdict)};
    verdict own = {local == GSOLVE_OK ? ranks : rank, (int)local}, other;

    for (int step = 1; step < ranks; step *= 2) {
        const int next = (rank + step) % ranks, last = (rank + ranks - step) % ranks;
        const gsolve_messages out = {1, &next, offset, &own}, in = {1, &last, offset, &other};
        if (t->neighbor_exchange(self, &out, &in) != GSOLVE_OK) {
            return gsolve_fail(ctx, GSOLVE_RANK_FAILED, "the transport %s failed", t->name);
        }
        if (other.first < own.first) own = other;
    }
    if (own.first == ranks) return GSOLVE_OK;
    return gsolve_fail(ctx, (gsolve_status)own.status,
                       "rank %d: no memory for the transport between ranks", own.first);
}

/* Fails unless all ranks compute on a CPU, or all on a GPU: on a GPU the host learns later which
 * columns have ended, and sends other messages until then. */
static gsolve_status check_devices(gs_comm *comm)
{
    const char *name = comm->ctx->device->plugin.name;

    return gs_comm_same(comm, gs_hash(comm->ctx, name, strlen(name), 0),
                        "the kinds of devices, cpu or cuda,");
}

/* Fails unless the arguments, as far as this rank can tell, are those of a transport. */
static gsolve_status check_arguments(gsolve_context *ctx, const gsolve_transport *t, int rank,
                                     int ranks)
{
    if (!t || t->size < offsetof(gsolve_transport, close) || !t->name || strlen(t->name) > 15 ||
        !t->allgather || !t->neighbor_exchange) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_context_set_transport: the transport lacks its size, a name of "
                           "at most 15 characters, allgather or neighbor_exchange");
    }
    if (t->size > sizeof *t) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "a gsolve_transport of %zu bytes; this version of the library knows %zu: "
            "link a newer library",
            t->size, sizeof *t);
    }
    if (ranks < 1 || rank < 0 || rank >= ranks) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_context_set_transport: rank %d of %d; ranks count from 0", rank,
                           ranks);
    }
    if (ctx->comm || ctx->handles > 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the transport of a context must be set once, before matrices and "
                           "preconditioners are created in it");
    }
    return GSOLVE_OK;
}

gsolve_status gsolve_context_set_transport(gsolve_context *ctx, const gsolve_transport *transport,
                                           void *self, int rank, int ranks)
{
    gs_comm *comm = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    TRY(check_arguments(ctx, transport, rank, ranks));
    status = create(&comm, ctx);
    if (comm) {
        memcpy(&comm->transport, transport, transport->size);
        comm->self = self;
        comm->rank = rank;
        comm->ranks = ranks;
        status = create_buffers(comm);
    }
    TRY(check_in_rounds(ctx, transport, self, rank, ranks, status));
    TRY(check_devices(comm));
    ctx->comm = comm;
    ctx->rank = rank;
    ctx->ranks = ranks;
    snprintf(ctx->transport, sizeof ctx->transport, "%s", transport->name);
done:
    if (status != GSOLVE_OK && comm) destroy(comm);
    return status;
}

/* --- errors of the caller --------------------------------------------------------------------- */

gsolve_status gsolve_context_agree(gsolve_context *ctx, gsolve_status status, const char *sentence,
                                   const char *same)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!same) same = "";
    if ((unsigned)status >= GSOLVE_STATUS_COUNT) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_context_agree: %d is not a status; pass one of gsolve_status",
                             (int)status);
    } else if (status != GSOLVE_OK) {
        gsolve_fail(ctx, status, "%s", sentence ? sentence : "");
    }
    TRY(gs_comm_defer(ctx->comm, status));
    status = gs_comm_same(ctx->comm, gs_hash(ctx, same, strlen(same), 0), "the arguments");
done:
    return status;
}
