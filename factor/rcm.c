/* rcm.c: reverse Cuthill-McKee (Cuthill and McKee 1969, George 1971). Each connected component
 * begins at a pseudo-peripheral row (George and Liu 1979). Rows are numbered by breadth-first
 * search, the neighbours of a row by ascending degree and then by number; at the end the numbers
 * are reversed. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "factor/ordering.h"

#define MOST_SEARCHES 20 /* of a start; each but the last has made the levels deeper */

typedef struct search {
    const gs_adjacency *g;
    int32_t *level; /* of each row; -1: not reached */
    int32_t *queue; /* rows in the order in which they are reached */
    uint64_t *key;  /* scratch: neighbours with their degrees */
} search;

static int64_t degree(const gs_adjacency *g, int32_t i)
{
    return g->start[i + 1] - g->start[i];
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Appends the neighbours of row i that are not reached yet. Returns the new length of the queue. */
static int32_t reach_neighbours(const search *s, int32_t i, int32_t length)
{
    int32_t count = 0;

    for (int64_t k = s->g->start[i]; k < s->g->start[i + 1]; k++) {
        const int32_t j = s->g->neighbour[k];
        if (s->level[j] >= 0) continue;
        s->level[j] = s->level[i] + 1;
        s->key[count++] = (uint64_t)degree(s->g, j) << 32 | (uint32_t)j;
    }
    qsort(s->key, (size_t)count, sizeof *s->key, compare_keys);
    for (int32_t k = 0; k < count; k++) s->queue[length + k] = (int32_t)(s->key[k] & UINT32_MAX);
    return length + count;
}

/* Numbers the component of row `start`: queue[0..n). Returns n. The last row has the last level. */
static int32_t number_component(const search *s, int32_t start)
{
    int32_t length = 1;

    s->queue[0] = start;
    s->level[start] = 0;
    for (int32_t k = 0; k < length; k++) length = reach_neighbours(s, s->queue[k], length);
    return length;
}

static void forget(const search *s, int32_t length)
{
    for (int32_t k = 0; k < length; k++) s->level[s->queue[k]] = -1;
}

/* The row of least degree in the last level of the n rows in the queue. */
static int32_t end_of(const search *s, int32_t n)
{
    int32_t best = s->queue[n - 1];

    for (int32_t k = n - 2; k >= 0 && s->level[s->queue[k]] == s->level[best]; k--) {
        if (degree(s->g, s->queue[k]) <= degree(s->g, best)) best = s->queue[k];
    }
    return best;
}

/* Numbers the component of row `start` from a row whose levels are deep. Returns its length. */
static int32_t number_from_periphery(const search *s, int32_t start)
{
    int32_t depth = -1, n = number_component(s, start);

    for (int k = 0; k < MOST_SEARCHES && s->level[s->queue[n - 1]] > depth; k++) {
        depth = s->level[s->queue[n - 1]];
        start = end_of(s, n);
        forget(s, n);
        number_component(s, start);
    }
    return n;
}

gsolve_status gs_order_rcm(int32_t *order, gsolve_context *ctx, const gs_adjacency *g)
{
    search s = {.g = g, .queue = order};
    int64_t most = 0;
    gsolve_status status;

    for (int32_t i = 0; i < g->n; i++) most = degree(g, i) > most ? degree(g, i) : most;
    ALLOC(ctx, GSOLVE_HOST, s.level, g->n);
    ALLOC(ctx, GSOLVE_HOST, s.key, most);
    for (int32_t i = 0; i < g->n; i++) s.level[i] = -1;
    for (int32_t i = 0; i < g->n; i++) {
        if (s.level[i] < 0) s.queue += number_from_periphery(&s, i);
    }
    for (int32_t k = 0; k < g->n / 2; k++) {
        const int32_t first = order[k];
        order[k] = order[g->n - 1 - k];
        order[g->n - 1 - k] = first;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, s.key);
    gsolve_free(ctx, GSOLVE_HOST, s.level);
    return status;
}
