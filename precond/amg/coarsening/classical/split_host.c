/* split_host.c: the splitting on the CPU, in rounds (PMIS: De Sterck, Yang and Heys, Reducing
 * complexity in parallel algebraic multigrid preconditioners, SIAM J. Matrix Anal. Appl. 27, 2006).
 * A point becomes C if its measure is larger than those of all undecided points that it depends on
 * or that depend on it. Either row of a pair of points finds which one is dominated, so that no
 * transpose is needed. */
#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"

#define SMALL static inline
#include "precond/amg/coarsening/classical/classical_rules.h"

/* The dependences between points: by one strong connection, and if two_steps by two as well. */
typedef struct dependences {
    const gs_points *p;
    int threads;
    bool two_steps;
    int32_t *influence; /* the number of paths that lead to each point */
    uint8_t *dominated; /* the last round in which the point was dominated */
} dependences;

/* The next strong entry of a row after k, or end. Begin with k = begin - 1. */
static inline int64_t next_strong(const gs_points *p, int64_t k, int64_t end)
{
    do k++;
    while (k < end && !(p->mark[k] & GS_STRONG));
    return k;
}

/* Calls found(w, i, j, round) for each undecided j that i depends on, once for each path, until it
 * returns true. Returns whether it did. */
static inline bool each_path(const dependences *w, int32_t i, int round,
                             bool (*found)(const dependences *w, int32_t i, int32_t j, int round))
{
    const gs_points *p = w->p;
    const int64_t end = gs_start(p->A, i + 1);

    for (int64_t k = next_strong(p, gs_start(p->A, i) - 1, end); k < end;
         k = next_strong(p, k, end)) {
        const int32_t j = p->A->col[k];
        const int64_t end_j = w->two_steps ? gs_start(p->A, j + 1) : 0;
        if (p->kind[j] == GS_UNDECIDED && found(w, i, j, round)) return true;
        if (!w->two_steps) continue;
        for (int64_t m = next_strong(p, gs_start(p->A, j) - 1, end_j); m < end_j;
             m = next_strong(p, m, end_j)) {
            const int32_t l = p->A->col[m];
            if (l != i && p->kind[l] == GS_UNDECIDED && found(w, i, l, round)) return true;
        }
    }
    return false;
}

static inline bool add_influence(const dependences *w, int32_t i, int32_t j, int round)
{
    (void)i, (void)round;
#pragma omp atomic
    w->influence[j]++;
    return false;
}

static inline bool mark_dominated(const dependences *w, int32_t i, int32_t j, int round)
{
    const bool i_is_less = gs_measure_of(w->influence[i], i) < gs_measure_of(w->influence[j], j);
    const int32_t less = i_is_less ? i : j;

#pragma omp atomic write
    w->dominated[less] = (uint8_t)round;
    return false;
}

/* Whether j becomes C in this round. */
static inline bool becomes_c(const dependences *w, int32_t i, int32_t j, int round)
{
    (void)i;
    return w->dominated[j] != round;
}

/* One round: undecided points become C, `other`, or stay undecided. Returns how many stay. next:
 * work space. */
static int64_t decide(const dependences *w, int round, uint8_t other, uint8_t *next)
{
    const int32_t n = w->p->A->nrows;
    uint8_t *kind = w->p->kind;
    int64_t open = 0;

#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < n; i++) {
        if (kind[i] == GS_UNDECIDED) each_path(w, i, round, mark_dominated);
    }
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < n; i++) {
        next[i] = kind[i];
        if (kind[i] != GS_UNDECIDED) continue;
        if (w->dominated[i] != round) {
            next[i] = GS_C;
        } else if (each_path(w, i, round, becomes_c)) {
            next[i] = other;
        }
    }
#pragma omp parallel for schedule(static) num_threads(w->threads) reduction(+ : open)
    for (int32_t i = 0; i < n; i++) {
        kind[i] = next[i];
        open += kind[i] == GS_UNDECIDED;
    }
    return open;
}

/* Makes all undecided points C or `other`. Each round decides the undecided point with the largest
 * measure, so that the loop ends. */
static gsolve_status split(gsolve_context *ctx, const gs_points *p, bool two_steps)
{
    const uint8_t other = two_steps ? GS_INTERMEDIATE_C : GS_F;
    const int32_t n = p->A->nrows;
    dependences w = {p, gsolve_threads(ctx), two_steps, NULL, NULL};
    uint8_t *next = NULL;
    int64_t open = 1;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.influence, n);
    ALLOC(ctx, GSOLVE_HOST, w.dominated, n);
    ALLOC(ctx, GSOLVE_HOST, next, n);
    for (int32_t i = 0; i < n; i++) w.influence[i] = w.dominated[i] = 0;
#pragma omp parallel for schedule(static) num_threads(w.threads)
    for (int32_t i = 0; i < n; i++) {
        if (p->kind[i] == GS_UNDECIDED) each_path(&w, i, 0, add_influence);
    }
    for (int32_t i = 0; i < n && !two_steps; i++) {
        if (p->kind[i] == GS_UNDECIDED && w.influence[i] == 0) p->kind[i] = GS_F;
    }
    for (int round = 1; open > 0; round = round % 255 + 1) open = decide(&w, round, other, next);
done:
    gsolve_free(ctx, GSOLVE_HOST, w.influence);
    gsolve_free(ctx, GSOLVE_HOST, w.dominated);
    gsolve_free(ctx, GSOLVE_HOST, next);
    return status;
}

const gs_classical_split_kernels GS_LEVEL(gs_classical_split_host)[GSOLVE_TYPE_COUNT] = {{split},
                                                                                         {split}};
