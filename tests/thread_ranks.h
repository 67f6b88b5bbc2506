/* thread_ranks.h: ranks as threads of one process: a transport of shared memory and barriers, with
 * which tests run distributed systems without MPI. */
#ifndef TESTS_THREAD_RANKS_H
#define TESTS_THREAD_RANKS_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gsolve_plugin.h"

enum { MOST_RANKS = 16 };

typedef struct thread_group {
    pthread_barrier_t barrier;
    int ranks;
    const void *sent[MOST_RANKS];
    gsolve_messages out[MOST_RANKS];
} thread_group;

typedef struct thread_rank {
    thread_group *group;
    int rank;
    gsolve_messages out, in; /* of an exchange that has begun */
} thread_rank;

static gsolve_status thread_allgather(void *self, const void *send, size_t bytes, void *recv)
{
    thread_rank *r = self;
    thread_group *g = r->group;

    g->sent[r->rank] = send;
    pthread_barrier_wait(&g->barrier);
    for (int k = 0; k < g->ranks; k++) {
        if (bytes > 0) memcpy((char *)recv + (size_t)k * bytes, g->sent[k], bytes);
    }
    pthread_barrier_wait(&g->barrier);
    return GSOLVE_OK;
}

/* The message of rank `from` to rank `to`. */
static const void *thread_message(const thread_group *g, int from, int to, size_t *bytes)
{
    const gsolve_messages *out = &g->out[from];

    for (int k = 0; k < out->count; k++) {
        if (out->rank[k] != to) continue;
        *bytes = out->offset[k + 1] - out->offset[k];
        return (const char *)out->buffer + out->offset[k];
    }
    return NULL;
}

static gsolve_status thread_exchange(void *self, const gsolve_messages *out,
                                     const gsolve_messages *in)
{
    thread_rank *r = self;
    gsolve_status status = GSOLVE_OK;

    r->group->out[r->rank] = *out;
    pthread_barrier_wait(&r->group->barrier);
    for (int k = 0; k < in->count; k++) {
        size_t bytes = 0;
        const void *message = thread_message(r->group, in->rank[k], r->rank, &bytes);
        if (!message || bytes != in->offset[k + 1] - in->offset[k]) {
            status = GSOLVE_RANK_FAILED;
        } else {
            memcpy((char *)in->buffer + in->offset[k], message, bytes);
        }
    }
    pthread_barrier_wait(&r->group->barrier);
    return status;
}

static gsolve_status thread_begin(void *self, const gsolve_messages *out, const gsolve_messages *in)
{
    thread_rank *r = self;

    r->out = *out;
    r->in = *in;
    return GSOLVE_OK;
}

static gsolve_status thread_end(void *self)
{
    thread_rank *r = self;
    const gsolve_messages out = r->out, in = r->in;

    return thread_exchange(self, &out, &in);
}

static void thread_close(void *self)
{
    free(self);
}

/* What each rank runs; returns the number of failures, which it has printed. */
typedef int rank_body(gsolve_context *ctx, int rank, int ranks, void *user);

typedef struct thread_start {
    pthread_t thread;
    thread_group *group;
    int rank, failures;
    rank_body *body;
    void *user;
} thread_start;

static void *thread_run(void *argument)
{
    static const gsolve_transport transport = {.size = sizeof transport,
                                               .name = "threads",
                                               .allgather = thread_allgather,
                                               .neighbor_exchange = thread_exchange,
                                               .close = thread_close,
                                               .exchange_begin = thread_begin,
                                               .exchange_end = thread_end};
    thread_start *s = argument;
    thread_rank *self = malloc(sizeof *self);
    gsolve_context *ctx = NULL;

    *self = (thread_rank){.group = s->group, .rank = s->rank};
    if (gsolve_context_create(&ctx, "cpu,threads=1") != GSOLVE_OK ||
        gsolve_context_set_transport(ctx, &transport, self, s->rank, s->group->ranks) !=
            GSOLVE_OK) {
        s->failures = 1;
    } else {
        s->failures = s->body(ctx, s->rank, s->group->ranks, s->user);
    }
    gsolve_context_destroy(&ctx);
    return NULL;
}

/* Runs body on `ranks` threads; returns the number of failures. */
static inline int run_ranks(int ranks, rank_body *body, void *user)
{
    thread_group group = {.ranks = ranks};
    thread_start start[MOST_RANKS];
    int failures = 0;

    pthread_barrier_init(&group.barrier, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        start[r] = (thread_start){.group = &group, .rank = r, .body = body, .user = user};
        pthread_create(&start[r].thread, NULL, thread_run, &start[r]);
    }
    for (int r = 0; r < ranks; r++) {
        pthread_join(start[r].thread, NULL);
        failures += start[r].failures;
    }
    pthread_barrier_destroy(&group.barrier);
    return failures;
}

/* In a rank_body with `int failures`: counts and prints a failure, and goes on, because the other
 * ranks wait. */
#define EXPECT(condition, ...)                                          \
    do {                                                                \
        if (!(condition)) {                                             \
            failures++;                                                 \
            fprintf(stderr, "%s:%d: rank %d of %d: %s: ", __FILE__, __LINE__, rank, ranks, \
                    #condition);                                        \
            fprintf(stderr, __VA_ARGS__);                               \
            fprintf(stderr, "\n");                                      \
        }                                                               \
    } while (0)

#endif
