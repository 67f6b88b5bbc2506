/* rank_denials.h: calls of a function on all ranks, while one rank may make 0, 1, 2, ...
 * allocations: all ranks fail with the same status and sentence, or all succeed; afterwards the
 * function succeeds. The ranks are threads, see thread_ranks.h, whose transport also fails if ranks
 * call different functions. */
#ifndef TESTS_RANK_DENIALS_H
#define TESTS_RANK_DENIALS_H

#include "tests/common.h"

#include "dist/comm.h"
#include "gsolve_auto.h"
#include "gsolve_dist.h"
#include "tests/thread_ranks.h"

enum { RANKS = 3, SIDE = 9, ROWS = SIDE * SIDE };

/* What a rank has before the function is called. */
typedef struct rank_state {
    gsolve_context *ctx;
    thread_rank *self;
    int rank, ranks;
    int64_t start[ROWS + 1], col[5 * ROWS], row[5 * ROWS];
    double value[5 * ROWS], b[4 * ROWS], x[4 * ROWS], diagonal[ROWS];
    gsolve_dist_csr csr;
    int32_t n;
    gsolve_matrix *A;
    gsolve_precond *M, *given;
    gsolve_solver *S;
    gsolve_auto *automatic;
    const char *matrix, *vector, *symmetric; /* files */
} rank_state;

static inline gsolve_dense columns(double *v, int32_t n, int32_t count)
{
    return (gsolve_dense){n, count, n, v, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

/* The five-point Laplacian on a grid of SIDE x SIDE points, with a stronger diagonal. */
static inline void make_rows(rank_state *s)
{
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, s->rank, s->ranks);
    const int step[] = {-SIDE, -1, 0, 1, SIDE};
    int64_t at = 0;

    for (int32_t r = 0; r < rows.count; r++) {
        const int64_t i = rows.first + r;
        s->start[r] = at;
        s->diagonal[r] = 4.1;
        for (int k = 0; k < 5; k++) {
            const int64_t j = i + step[k];
            if (j < 0 || j >= ROWS || (k % 4 && j / SIDE != i / SIDE)) continue;
            s->row[at] = i;
            s->col[at] = j;
            s->value[at++] = k == 2 ? 4.1 : -1;
        }
    }
    s->start[rows.count] = at;
    s->n = rows.count;
    for (int i = 0; i < 4 * ROWS; i++) s->b[i] = 1 + i % 7, s->x[i] = 0;
    s->csr = (gsolve_dist_csr){.rows = rows,
                               .start = s->start,
                               .col = s->col,
                               .value = s->value,
                               .offset = GSOLVE_O64,
                               .type = GSOLVE_F64};
}

/* --- denied allocations ----------------------------------------------------------------------- */

/* A function that all ranks call. */
typedef struct function {
    const char *name;
    gsolve_status (*call)(rank_state *s);
} function;

typedef struct plan {
    const function *function;
    gsolve_status (*prepare)(rank_state *s); /* before the function is called */
    void (*drop)(rank_state *s);             /* what `prepare` has made */
    int bad;
    const char *matrix, *vector, *symmetric;
    /* shared by all ranks, which use them between two messages */
    gsolve_status status[RANKS];
    char error[RANKS][1024];
    int64_t denied; /* numbers of allocations that were tried */
} plan;

/* Compares status and sentence of all ranks. */
static inline int compare(const plan *p, int64_t granted, int rank, int ranks)
{
    int failures = 0;

    for (int k = 1; k < ranks && rank == 0; k++) {
        EXPECT(p->status[k] == p->status[0], "%s, %lld allocations on rank %d: %d, rank %d: %d",
               p->function->name, (long long)granted, p->bad, p->status[0], k, p->status[k]);
        EXPECT(p->status[0] == GSOLVE_OK || strcmp(p->error[k], p->error[0]) == 0, "%s: %s, %s",
               p->function->name, p->error[0], p->error[k]);
    }
    return failures;
}

static inline int deny(gsolve_context *ctx, int rank, int ranks, void *user)
{
    plan *p = user;
    rank_state *s = calloc(1, sizeof *s);
    int64_t granted = 0;
    int failures = 0;
    double done = 0;

    *s = (rank_state){.ctx = ctx,
                      .self = ctx->comm->self,
                      .rank = rank,
                      .ranks = ranks,
                      .matrix = p->matrix,
                      .vector = p->vector,
                      .symmetric = p->symmetric};
    make_rows(s);
    EXPECT_OK(ctx, p->prepare(s));
    for (; granted < 2000 && done == 0 && failures == 0; granted++) {
        gsolve_context_limit_allocations(ctx, rank == p->bad ? granted : -1);
        p->status[rank] = p->function->call(s);
        snprintf(p->error[rank], sizeof p->error[rank], "%s", gsolve_error(ctx));
        const int64_t left = ctx->allocations_left;
        gsolve_context_limit_allocations(ctx, -1);
        EXPECT(p->status[rank] == GSOLVE_OK || p->status[rank] == GSOLVE_NO_MEMORY, "%s: %s",
               p->function->name, gsolve_error(ctx));
        EXPECT_OK(ctx, gs_comm_check(ctx->comm, GSOLVE_OK)); /* all have written */
        failures += compare(p, granted, rank, ranks);
        /* with less memory some functions do without what they would like to have; the end is
         * where no allocation was denied */
        done = rank == p->bad && p->status[rank] == GSOLVE_OK && left > 0;
        EXPECT_OK(ctx, gs_comm_sum_on_host(ctx->comm, &done, 1));
    }
    if (rank == 0) p->denied = granted - 1;
    EXPECT(done > 0, "%s: never succeeded", p->function->name);
    EXPECT_OK(ctx, p->function->call(s)); /* the context can be used afterwards */
    p->drop(s);
    free(s);
    return failures;
}

/* Denies allocations of each rank in turn. */
static inline void deny_all(const function *f, const plan *of)
{
    for (int bad = 0; bad < RANKS; bad++) {
        plan p = *of;
        p.function = f;
        p.bad = bad;
        const int failures = run_delayed_ranks(RANKS, 0, deny, &p);
        if (failures) fail_msg("%s on rank %d: %d failures", f->name, bad, failures);
        if (bad == 0) printf("%s: %d allocations\n", f->name, (int)p.denied);
    }
}

#endif
