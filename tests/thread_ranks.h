/* thread_ranks.h: ranks as threads of one process, and a transport between them, for tests without
 * MPI. Each rank has a context of its own. The transport checks that all ranks call its functions
 * in the same order with the same sizes; if not, or if a rank does not come within 60 seconds (or
 * another time limit of the test), it prints what the ranks did and fails on all of them. Delays of
 * random length change the order in which the ranks arrive. */
#ifndef TESTS_THREAD_RANKS_H
#define TESTS_THREAD_RANKS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gsolve_plugin.h"
#include "tests/apart.h"

enum { MOST_RANKS = 16, PATIENCE = 60000 /* ms */ };

/* What a rank has called. */
typedef struct thread_call {
    const char *name;
    size_t bytes;
    const void *send;                /* of allgather */
    const gsolve_messages *out, *in; /* of neighbor_exchange */
} thread_call;

typedef struct thread_world {
    int ranks;
    unsigned seed; /* of the delays; 0: none */
    int patience;  /* ms that a rank waits for the others */
    pthread_mutex_t mutex;
    pthread_cond_t all_here;
    int waiting;
    long round;
    bool failed; /* a rank is gone, or the calls do not fit each other */
    thread_call call[MOST_RANKS];
} thread_world;

typedef struct thread_rank {
    thread_world *world;
    int rank;
    unsigned delay;          /* state of the random delays */
    gsolve_messages out, in; /* of an exchange that has begun */
    long sums, exchanges;    /* its calls of the transport */
} thread_rank;

/* Waits for all ranks. The last one to come checks, unless check is NULL. False: failed. */
static bool thread_barrier(thread_world *w, bool (*check)(const thread_world *w))
{
    struct timespec until;
    bool fine;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(w->patience % 1000) * 1000000;
    until.tv_sec += w->patience / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->mutex);
    const long round = w->round;
    if (++w->waiting == w->ranks) {
        if (check && !w->failed && !check(w)) w->failed = true;
        w->waiting = 0;
        w->round++;
        pthread_cond_broadcast(&w->all_here);
    }
    while (w->round == round && !w->failed) {
        if (pthread_cond_timedwait(&w->all_here, &w->mutex, &until) == 0) continue;
        fprintf(stderr, "thread_ranks: %d of %d ranks wait, the others do not come\n", w->waiting,
                w->ranks);
        w->failed = true;
        pthread_cond_broadcast(&w->all_here);
    }
    fine = !w->failed;
    pthread_mutex_unlock(&w->mutex);
    return fine;
}

/* From here on all calls of all ranks fail, as if this rank had died. */
static inline void thread_rank_dies(thread_rank *r)
{
    pthread_mutex_lock(&r->world->mutex);
    r->world->failed = true;
    pthread_cond_broadcast(&r->world->all_here);
    pthread_mutex_unlock(&r->world->mutex);
}

/* This rank makes no more calls until the others have given up. */
static inline void thread_rank_hangs(thread_rank *r)
{
    pthread_mutex_lock(&r->world->mutex);
    while (!r->world->failed) pthread_cond_wait(&r->world->all_here, &r->world->mutex);
    pthread_mutex_unlock(&r->world->mutex);
}

static void thread_delay(thread_rank *r)
{
    if (r->world->seed == 0) return;
    r->delay = r->delay * 1664525u + 1013904223u;
    if (r->delay >> 30) return; /* three of four calls are not delayed */
    nanosleep(&(struct timespec){0, (long)(r->delay >> 8) % 50000}, NULL);
}

static bool print_calls(const thread_world *w)
{
    for (int k = 0; k < w->ranks; k++) {
        fprintf(stderr, "thread_ranks: rank %d calls %s of %zu bytes\n", k, w->call[k].name,
                w->call[k].bytes);
    }
    return false;
}

/* Bytes of the message between this rank and `other` in m; 0: there is none. */
static size_t message_bytes(const gsolve_messages *m, int other, char **at)
{
    for (int i = 0; m && i < m->count; i++) {
        if (m->rank[i] != other) continue;
        *at = (char *)m->buffer + m->offset[i];
        return m->offset[i + 1] - m->offset[i];
    }
    return 0;
}

static bool calls_agree(const thread_world *w)
{
    char *at;

    for (int k = 0; k < w->ranks; k++) {
        if (strcmp(w->call[k].name, w->call[0].name) || w->call[k].bytes != w->call[0].bytes) {
            return print_calls(w);
        }
        for (int to = 0; to < w->ranks; to++) {
            const size_t sent = message_bytes(w->call[k].out, to, &at);
            if (sent == message_bytes(w->call[to].in, k, &at)) continue;
            fprintf(stderr,
                    "thread_ranks: rank %d sends %zu bytes to rank %d, which expects others\n", k,
                    sent, to);
            return false;
        }
    }
    return true;
}

/* The ranks tell each other their calls, copy, and wait until all have copied. */
static gsolve_status thread_allgather(void *self, const void *send, size_t bytes, void *recv)
{
    thread_rank *r = self;
    thread_world *w = r->world;

    thread_delay(r);
    r->sums++;
    w->call[r->rank] = (thread_call){"allgather", bytes, send, NULL, NULL};
    if (!thread_barrier(w, calls_agree)) return GSOLVE_RANK_FAILED;
    for (int k = 0; k < w->ranks && bytes > 0; k++) {
        memcpy((char *)recv + (size_t)k * bytes, w->call[k].send, bytes);
    }
    return thread_barrier(w, NULL) ? GSOLVE_OK : GSOLVE_RANK_FAILED;
}

static gsolve_status thread_exchange(void *self, const gsolve_messages *out,
                                     const gsolve_messages *in)
{
    thread_rank *r = self;
    thread_world *w = r->world;

    thread_delay(r);
    r->exchanges++;
    w->call[r->rank] = (thread_call){"neighbor_exchange", 0, NULL, out, in};
    if (!thread_barrier(w, calls_agree)) return GSOLVE_RANK_FAILED;
    for (int i = 0; i < in->count; i++) {
        char *from = NULL;
        const size_t bytes = message_bytes(w->call[in->rank[i]].out, r->rank, &from);
        memcpy((char *)in->buffer + in->offset[i], from, bytes);
    }
    return thread_barrier(w, NULL) ? GSOLVE_OK : GSOLVE_RANK_FAILED;
}

/* Both parts of an exchange in the second. */
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

    return thread_exchange(self, &r->out, &r->in);
}

static const gsolve_transport thread_transport = {
    .size = sizeof(gsolve_transport),
    .name = "threads",
    .allgather = thread_allgather,
    .neighbor_exchange = thread_exchange,
    .exchange_begin = thread_begin,
    .exchange_end = thread_end,
};

/* --- running a function on all ranks ---------------------------------------------------------- */

/* What each rank runs. It destroys what it creates, and returns the number of failures, which it
 * has printed. */
typedef int rank_body(gsolve_context *ctx, int rank, int ranks, void *user);

/* In a rank_body with `int failures`: counts and prints a failure, and goes on, because the other
 * ranks wait. (An assertion of cmocka must be in the main thread.) */
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

/* The device of all ranks; NULL: that of $GSOLVE_TEST_DEVICE, or the CPU. */
static const char *thread_device;

typedef struct thread_job {
    thread_rank self;
    rank_body *body;
    void *user;
    gsolve_context *ctx;
    pthread_t thread;
    int failures;
} thread_job;

/* Memory full of the address of the communicator: if a rank that leaves early, because another one
 * failed, frees pointers that it has not set, the communicator is gone. */
static void *allocate_filled(size_t bytes, void *user)
{
    const thread_job *job = user;
    const void *word = job->ctx ? job->ctx->comm : NULL;
    char *block = malloc(bytes);

    for (size_t at = 0; block && at + sizeof word <= bytes; at += sizeof word) {
        memcpy(block + at, &word, sizeof word);
    }
    return block;
}

static void release_filled(void *block, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    free(block);
}

static gsolve_status open_rank(thread_job *job)
{
    gsolve_context_options options = GSOLVE_INIT(gsolve_context_options);

    options.user = job;
    options.allocate_host = allocate_filled;
    options.release_host = release_filled;
    return thread_device ? gsolve_context_create_with(&job->ctx, thread_device, &options)
                         : open_test_device_with(&job->ctx, "cpu", ",threads=1", &options);
}

static void *run_thread_job(void *at)
{
    thread_job *job = at;
    const int rank = job->self.rank, ranks = job->self.world->ranks;
    int failures = 0;

    EXPECT_OK(NULL, open_rank(job));
    EXPECT_OK(job->ctx,
              gsolve_context_set_transport(job->ctx, &thread_transport, &job->self, rank, ranks));
    if (failures == 0) failures = job->body(job->ctx, rank, ranks, job->user);
    gsolve_context_destroy(&job->ctx);
    job->failures = failures;
    return NULL;
}

/* Runs body on `ranks` threads, which wait for each other for at most `patience` ms. Returns the
 * number of failures. seed: of the delays; 0: none. */
static inline int run_impatient_ranks(int ranks, unsigned seed, int patience, rank_body *body,
                                      void *user)
{
    thread_world w = {.ranks = ranks, .seed = seed, .patience = patience};
    thread_job job[MOST_RANKS];
    int failures = 0;

    pthread_mutex_init(&w.mutex, NULL);
    pthread_cond_init(&w.all_here, NULL);
    for (int k = 0; k < ranks; k++) {
        job[k] = (thread_job){.self = {.world = &w, .rank = k, .delay = seed + (unsigned)k * 7919u},
                              .body = body,
                              .user = user};
        if (pthread_create(&job[k].thread, NULL, run_thread_job, &job[k])) abort();
    }
    for (int k = 0; k < ranks; k++) {
        pthread_join(job[k].thread, NULL);
        failures += job[k].failures;
    }
    pthread_cond_destroy(&w.all_here);
    pthread_mutex_destroy(&w.mutex);
    return failures;
}

static inline int run_delayed_ranks(int ranks, unsigned seed, rank_body *body, void *user)
{
    return run_impatient_ranks(ranks, seed, PATIENCE, body, user);
}

static inline int run_ranks(int ranks, rank_body *body, void *user)
{
    return run_delayed_ranks(ranks, 0, body, user);
}

#endif
