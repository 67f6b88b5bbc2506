/* comm.c: the communicator of a context, see comm.h. */
#include "dist/comm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dense.h"
#include "core/interrupt.h"
#include "core/try.h"
#include "matrix/csr.h"

/* --- the transport ---------------------------------------------------------------------------- */

static gsolve_status fail_broken(gs_comm *comm)
{
    comm->broken = true;
    return gsolve_fail(comm->ctx, GSOLVE_RANK_FAILED,
                       "rank %d: the transport %s failed: another rank is gone or does not answer. "
                       "Destroy the context",
                       comm->rank, comm->transport.name);
}

gsolve_status gs_comm_allgather(gs_comm *comm, const void *send, size_t bytes, void *recv)
{
    if (comm->broken) return fail_broken(comm);
    if (comm->transport.allgather(comm->self, send, bytes, recv) == GSOLVE_OK) return GSOLVE_OK;
    return fail_broken(comm);
}

gsolve_status gs_comm_exchange(gs_comm *comm, const gsolve_messages *out, const gsolve_messages *in)
{
    if (comm->broken) return fail_broken(comm);
    if (comm->transport.neighbor_exchange(comm->self, out, in) == GSOLVE_OK) return GSOLVE_OK;
    return fail_broken(comm);
}

gsolve_status gs_comm_exchange_begin(gs_comm *comm, const gsolve_messages *out,
                                     const gsolve_messages *in)
{
    if (!comm->transport.exchange_begin || comm->broken) return gs_comm_exchange(comm, out, in);
    if (comm->transport.exchange_begin(comm->self, out, in) != GSOLVE_OK) return fail_broken(comm);
    comm->pending = true;
    return GSOLVE_OK;
}

gsolve_status gs_comm_exchange_end(gs_comm *comm)
{
    if (!comm->pending) return comm->broken ? fail_broken(comm) : GSOLVE_OK;
    comm->pending = false;
    return comm->transport.exchange_end(comm->self) == GSOLVE_OK ? GSOLVE_OK : fail_broken(comm);
}

/* --- numbers ----------------------------------------------------------------------------------
 * An allgather of `count` numbers sends 1 + count: the first is the status of the rank, plus
 * INTERRUPTED if the rank is to stop. Those of few numbers all have the same size: a rank that has
 * failed can be in gs_comm_check while others agree on numbers. */

#define INTERRUPTED 64

/* The numbers that are sent in the place of `count`. */
static int sent(int count)
{
    return count < GS_COMM_FEW ? GS_COMM_FEW : count;
}

/* The numbers of a rank after `gather`. */
static const double *numbers_of(const gs_comm *comm, int rank, int count)
{
    return comm->recv + (int64_t)rank * (1 + sent(count)) + 1;
}

/* The first number that a rank sent. */
static int word_of(const gs_comm *comm, int rank, int count)
{
    return (int)numbers_of(comm, rank, count)[-1];
}

/* The lowest rank that has sent a failure, or -1. */
static int first_failed(const gs_comm *comm, int count)
{
    for (int k = 0; k < comm->ranks; k++) {
        if (word_of(comm, k, count) % INTERRUPTED != GSOLVE_OK) return k;
    }
    return -1;
}

static bool any_interrupted(const gs_comm *comm, int count)
{
    for (int k = 0; k < comm->ranks; k++) {
        if (word_of(comm, k, count) >= INTERRUPTED) return true;
    }
    return false;
}

/* All ranks fail with the status and the sentence of rank `first`. */
static gsolve_status fail_as(gs_comm *comm, int first, gsolve_status failed)
{
    const char *all = (const char *)comm->recv, *sentence;
    bool same = true;
    gsolve_status status;

    memset(comm->send, 0, GS_COMM_SENTENCE);
    if (comm->failed != GSOLVE_OK) memcpy(comm->send, comm->sentence, GS_COMM_SENTENCE);
    comm->failed = GSOLVE_OK;
    TRY(gs_comm_allgather(comm, comm->send, GS_COMM_SENTENCE, comm->recv));
    sentence = all + (size_t)first * GS_COMM_SENTENCE;
    for (int k = 0; k < comm->ranks; k++) {
        same = same && !memcmp(sentence, all + (size_t)k * GS_COMM_SENTENCE, GS_COMM_SENTENCE);
    }
    status = same ? gsolve_fail(comm->ctx, failed, "%s", sentence)
                  : gsolve_fail(comm->ctx, failed, "rank %d: %s", first, sentence);
    comm->ctx->agreed = failed;
done:
    return status;
}

/* Gathers the numbers send[1] to send[count] of all ranks. Fails on all ranks if one has failed. */
static gsolve_status gather(gs_comm *comm, int count)
{
    const size_t bytes = (1 + (size_t)sent(count)) * sizeof(double);
    gsolve_status status;
    int first;

    comm->send[0] = (int)comm->failed + (gs_stop_asked(comm->ctx) ? INTERRUPTED : 0);
    TRY(gs_comm_allgather(comm, comm->send, bytes, comm->recv));
    comm->ctx->agreed = GSOLVE_OK;
    comm->stop_asked = any_interrupted(comm, count);
    first = first_failed(comm, count);
    if (first < 0) return GSOLVE_OK;
    status = fail_as(comm, first, (gsolve_status)(word_of(comm, first, count) % INTERRUPTED));
done:
    return status;
}

/* How two numbers become one. */
typedef double combination(double a, double b);

static double add(double a, double b)
{
    return a + b;
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* The number i of all ranks, combined in rank order. */
static double combined(const gs_comm *comm, int count, int i, combination *with)
{
    double total = numbers_of(comm, 0, count)[i];

    for (int k = 1; k < comm->ranks; k++) total = with(total, numbers_of(comm, k, count)[i]);
    return total;
}

/* total[i] = the number own[i] of all ranks, combined, for i < count. */
static gsolve_status combine(gs_comm *comm, const double *own, double *total, int count,
                             combination *with)
{
    gsolve_status status;

    memcpy(&comm->send[1], own, (size_t)count * sizeof *own);
    TRY(gather(comm, count));
    for (int i = 0; i < count; i++) total[i] = combined(comm, count, i, with);
done:
    return status;
}

/* Combines numbers on the host, as many at a time as fit. */
static gsolve_status combine_on_host(gs_comm *comm, double *number, int count, combination *with)
{
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < count && status == GSOLVE_OK; i += GS_COMM_NUMBERS) {
        const int some = count - i < GS_COMM_NUMBERS ? count - i : GS_COMM_NUMBERS;
        status = combine(comm, number + i, number + i, some, with);
    }
    return status;
}

gsolve_status gs_comm_largest(gs_comm *comm, double *number, int count)
{
    return comm ? combine_on_host(comm, number, count, larger) : GSOLVE_OK;
}

gsolve_status gs_comm_sum_on_host(gs_comm *comm, double *number, int count)
{
    return comm ? combine_on_host(comm, number, count, add) : GSOLVE_OK;
}

gsolve_status gs_comm_fail_sum(gs_comm *comm, int count, gsolve_status local)
{
    gsolve_status status = gs_comm_defer(comm, local);

    if (status != GSOLVE_OK) return status;
    return gather(comm, count < GS_COMM_NUMBERS ? count : GS_COMM_NUMBERS);
}

/* --- sums of numbers of the device --------------------------------------------------------------
 * On a GPU a kernel writes the numbers to page-locked memory of the host, which adds those of all
 * ranks, and a kernel reads the totals. Both buffers are free again when the host has waited for
 * the numbers of the next sum, since the stream has passed the kernel that read the totals. */

static gsolve_status collect_on_host(gs_queue *q, const gs_numbers *part, int parts, double *all)
{
    (void)q;
    for (int p = 0; p < parts; all += part[p++].count) {
        memcpy(all, part[p].at, (size_t)part[p].count * sizeof *all);
    }
    return GSOLVE_OK;
}

static gsolve_status deliver_on_host(gs_queue *q, const gs_numbers *part, int parts,
                                     const double *all)
{
    (void)q;
    for (int p = 0; p < parts; all += part[p++].count) {
        memcpy(part[p].at, all, (size_t)part[p].count * sizeof *all);
    }
    return GSOLVE_OK;
}

const gs_numbers_kernels gs_numbers_host = {collect_on_host, deliver_on_host};

gsolve_status gs_comm_mark(gs_comm *comm)
{
    const gsolve_context *ctx = comm->ctx;

    return gs_comm_is_asynchronous(comm) ? ctx->device->mark(ctx->queue, &comm->written)
                                         : GSOLVE_OK;
}

gsolve_status gs_comm_reach(gs_comm *comm)
{
    const gsolve_context *ctx = comm->ctx;

    return gs_comm_is_asynchronous(comm) ? ctx->device->reach(ctx->queue, comm->written)
                                         : GSOLVE_OK;
}

/* comm->own = the numbers of these parts, for the host. */
static gsolve_status collect(gs_comm *comm, const gs_numbers_kernels *kernels,
                             const gs_numbers *part, int parts)
{
    gsolve_status status;

    TRY(kernels->collect(comm->ctx->queue, part, parts, comm->own));
    TRY(gs_comm_mark(comm));
    TRY(gs_comm_reach(comm));
done:
    return status;
}

/* Sums parts that fit into one message, of `count` numbers. A device that fails on one rank fails
 * on all of them: before the message with it, and after it with the next one. */
static gsolve_status sum_parts(gs_comm *comm, const gs_numbers *part, int parts, int count)
{
    const gs_numbers_kernels *kernels = gs_on_gpu(comm->ctx) ? &gs_numbers_cuda : &gs_numbers_host;
    gsolve_status status;

    TRY(gs_comm_defer(comm, collect(comm, kernels, part, parts)));
    TRY(combine(comm, comm->own, comm->total, count, add));
    TRY(gs_comm_defer(comm, kernels->deliver(comm->ctx->queue, part, parts, comm->total)));
done:
    return status;
}

gsolve_status gs_comm_sum(gs_comm *comm, const gs_numbers *part, int parts)
{
    gs_numbers some[GS_COMM_PARTS]; /* of the next message, which has `count` numbers */
    int waiting = 0, count = 0;
    gsolve_status status = GSOLVE_OK;

    for (int p = 0; comm && p < parts; p++) {
        for (gs_numbers left = part[p]; left.count > 0;) {
            const int space = GS_COMM_NUMBERS - count;
            some[waiting] = left;
            if (left.count > space) some[waiting].count = space;
            left.at += some[waiting].count;
            left.count -= some[waiting].count;
            count += some[waiting++].count;
            if (count < GS_COMM_NUMBERS && waiting < GS_COMM_PARTS) continue;
            TRY(sum_parts(comm, some, waiting, count));
            waiting = count = 0;
        }
    }
    if (count > 0) status = sum_parts(comm, some, waiting, count);
done:
    return status;
}

/* --- agreement -------------------------------------------------------------------------------- */

gsolve_status gs_comm_defer(gs_comm *comm, gsolve_status local)
{
    if (!comm || local == GSOLVE_OK || comm->broken || local == comm->ctx->agreed) return local;
    if (comm->failed == GSOLVE_OK) {
        comm->failed = local;
        memset(comm->sentence, 0, sizeof comm->sentence);
        snprintf(comm->sentence, sizeof comm->sentence, "%.*s", GS_COMM_SENTENCE - 1,
                 comm->ctx->error);
    }
    return GSOLVE_OK;
}

gsolve_status gs_comm_check(gs_comm *comm, gsolve_status local)
{
    gsolve_status status;

    if (!comm) return local;
    status = gs_comm_defer(comm, local);
    return status == GSOLVE_OK ? gather(comm, 0) : status;
}

gsolve_status gs_comm_place(gs_comm *comm, int64_t count, int64_t *first, int64_t *total)
{
    int64_t sum = 0;
    gsolve_status status = GSOLVE_OK;

    *first = 0;
    *total = count;
    if (!comm) return GSOLVE_OK;
    comm->send[1] = (double)count;
    TRY(gather(comm, 1));
    for (int k = 0; k < comm->ranks; k++) {
        if (k == comm->rank) *first = sum;
        sum += (int64_t)numbers_of(comm, k, 1)[0];
    }
    *total = sum;
done:
    return status;
}

gsolve_status gs_comm_same(gs_comm *comm, uint64_t value, const char *what)
{
    gsolve_status status = GSOLVE_OK;

    if (!comm) return GSOLVE_OK;
    memcpy(&comm->send[1], &value, sizeof value);
    TRY(gather(comm, 1));
    for (int k = 1; k < comm->ranks; k++) {
        if (!memcmp(numbers_of(comm, k, 1), numbers_of(comm, 0, 1), sizeof value)) continue;
        return gsolve_fail(comm->ctx, GSOLVE_BAD_ARGUMENT,
                           "rank %d: %s are not those of rank 0; pass the same ones on all ranks",
                           k, what);
    }
done:
    return status;
}

/* --- create and destroy ----------------------------------------------------------------------- */

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
