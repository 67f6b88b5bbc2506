/* comm.h: the ranks among which the rows of a distributed matrix are split. A communicator belongs
 * to a context. NULL stands for one rank everywhere: then nothing is communicated.
 *
 * All ranks call the functions below in the same order, with the same counts. They return the same
 * numbers, bits included, and the same status on all ranks, so all ranks go on in the same way.
 *
 * A failure of one rank between two such calls must not make this rank leave, because the others
 * would wait for it. Either it calls gs_comm_check(status), where all ranks do; or it stores the
 * failure by gs_comm_defer and goes on: the next sum fails on all ranks, with the sentence of the
 * rank that failed. */
#ifndef GS_DIST_COMM_H
#define GS_DIST_COMM_H

#include "core/context.h"

enum {
    GS_COMM_FEW = 7,         /* an allgather of fewer numbers sends as many */
    GS_COMM_NUMBERS = 511,   /* most numbers of one allgather */
    GS_COMM_PARTS = 96,      /* and most parts that they come from */
    GS_COMM_SENTENCE = 1000, /* bytes of an error sentence that travels */
};

/* What a rank does in a message. */
typedef enum gs_message_kind {
    GS_MESSAGE_EXCHANGE, /* with neighbours */
    GS_MESSAGE_SUM,      /* numbers of all ranks: sums and agreements */
    GS_MESSAGE_GATHER,   /* arrays of all ranks */
    GS_MESSAGE_WAIT,     /* waits until all ranks have come to one of these */
    GS_MESSAGE_KINDS
} gs_message_kind;

typedef struct gs_message_time {
    int64_t calls;
    double bytes, seconds; /* bytes: of arrays that were sent and received */
} gs_message_time;

typedef struct gs_comm {
    gsolve_context *ctx;
    gsolve_transport transport;
    void *self;
    int rank, ranks;
    double *send, *recv;  /* 1 + GS_COMM_NUMBERS numbers; those of all ranks */
    double *own, *total;  /* GS_COMM_NUMBERS numbers that kernels write, and that they read */
    gs_moment *written;   /* the device has written what the host sends next; or NULL */
    gsolve_status failed; /* a failure of this rank that the others do not know yet */
    char sentence[GS_COMM_SENTENCE];
    bool pending;    /* an exchange has begun and not ended */
    bool broken;     /* the transport has failed: every later call fails at once */
    bool stop_asked; /* at the last sum or agreement a rank was interrupted, see interrupt.h */
    bool timed;      /* on all ranks or on none, see gs_comm_time */
    gs_message_time time[GS_MESSAGE_KINDS]; /* of the messages while `timed` */
} gs_comm;

/* A number of consecutive doubles where kernels of the device write them. guard: NULL, or a number
 * on the device: if it is not 0 when their sum is known, they stay as they are. */
typedef struct gs_numbers {
    double *at;
    int count;
    const int *guard;
} gs_numbers;

/* On a GPU both are submitted to q. At most GS_COMM_PARTS parts. */
typedef struct gs_numbers_kernels {
    /* all = the numbers of the parts, one behind the other */
    gsolve_status (*collect)(gs_queue *q, const gs_numbers *part, int parts, double *all);
    /* The reverse. Nothing is written if q's guard says so. */
    gsolve_status (*deliver)(gs_queue *q, const gs_numbers *part, int parts, const double *all);
} gs_numbers_kernels;

extern const gs_numbers_kernels gs_numbers_host, gs_numbers_cuda;

/* recv = the bytes of all ranks in rank order. */
gsolve_status gs_comm_allgather(gs_comm *comm, const void *send, size_t bytes, void *recv);

/* Sends and receives messages. */
gsolve_status gs_comm_exchange(gs_comm *comm, const gsolve_messages *out,
                               const gsolve_messages *in);

/* gs_comm_exchange in two parts, between which this rank computes. end returns at once if nothing
 * is on its way. */
gsolve_status gs_comm_exchange_begin(gs_comm *comm, const gsolve_messages *out,
                                     const gsolve_messages *in);
gsolve_status gs_comm_exchange_end(gs_comm *comm);

/* Replaces the numbers of these parts by their sums over all ranks, added in rank order. The parts
 * travel together. comm NULL: nothing changes. */
gsolve_status gs_comm_sum(gs_comm *comm, const gs_numbers *part, int parts);

/* gs_comm_sum of `count` numbers. */
static inline gsolve_status gs_comm_sum_of(gs_comm *comm, double *number, int count)
{
    const gs_numbers all = {number, count, NULL};

    return comm ? gs_comm_sum(comm, &all, 1) : GSOLVE_OK;
}

/* gs_comm_sum of numbers on the host; those of gs_comm_sum are where kernels write them. */
gsolve_status gs_comm_sum_on_host(gs_comm *comm, double *number, int count);

/* Joins a gs_comm_sum of that many numbers. This rank has none of them since it has failed: all
 * ranks fail. comm NULL: returns `local`. */
gsolve_status gs_comm_fail_sum(gs_comm *comm, int count, gsolve_status local);

/* Replaces the numbers, on the host, by the largest of all ranks. A NaN of any rank stays. */
gsolve_status gs_comm_largest(gs_comm *comm, double *number, int count);

/* Begins to time the messages, which all ranks do, or stops. Before each message all ranks then
 * wait for each other, so that the time of a message is not that of a rank that comes late. Numbers
 * and bits are those without. */
static inline void gs_comm_time(gs_comm *comm, bool on)
{
    for (int k = 0; on && k < GS_MESSAGE_KINDS; k++) comm->time[k] = (gs_message_time){0};
    comm->timed = on;
}

/* Seconds of all messages while they were timed, with the waits before them. comm NULL: 0. */
double gs_comm_seconds(const gs_comm *comm);

/* Whether the device computes on while the host communicates. */
static inline bool gs_comm_is_asynchronous(const gs_comm *comm)
{
    return comm->ctx->device->reach != NULL;
}

/* After kernels that write what the host will send: marks this point, and waits for it. */
gsolve_status gs_comm_mark(gs_comm *comm);
gsolve_status gs_comm_reach(gs_comm *comm);

/* The number of ranks. */
static inline int gs_comm_ranks(const gs_comm *comm)
{
    return comm ? comm->ranks : 1;
}

/* --- all ranks agree on errors ---------------------------------------------------------------- */

/* Returns the status of the lowest rank that failed, on all ranks. Its sentence, the context's last
 * one, gets the prefix "rank 3: ", unless all ranks failed with the same sentence. If `local` is
 * such a failure, it returns at once, since all ranks know it. comm NULL: returns local. */
gsolve_status gs_comm_check(gs_comm *comm, gsolve_status local);

/* Stores a failure of this rank for the next call, and returns GSOLVE_OK. A failure that all ranks
 * know is returned. comm NULL: returns `local`. */
gsolve_status gs_comm_defer(gs_comm *comm, gsolve_status local);

/* *total = the sum of `count` over all ranks, *first = that over the ranks before this one. comm
 * NULL: count and 0. */
gsolve_status gs_comm_place(gs_comm *comm, int64_t count, int64_t *first, int64_t *total);

/* Fails on all ranks unless `value` is the same on all of them. what: for the sentence, such as
 * "the specs of the solver". */
gsolve_status gs_comm_same(gs_comm *comm, uint64_t value, const char *what);

#endif
