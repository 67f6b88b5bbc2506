/* generate_shuffled.c: the 7-point Laplacian on a cube whose points are numbered at random, like a
 * mesh in arbitrary order. The numbering is a Feistel network (Luby and Rackoff 1988) on the
 * smallest even number of bits that holds all points. It is applied again while its result is no
 * point (cycle walking). It needs no memory, and its inverse costs the same. */
#include "io/generators.h"

typedef struct shuffled_options {
    int n, seed;
} shuffled_options;

enum { DRAW_ROUND = GS_DRAW_PATTERN };
enum { ROUNDS = 4, NEAR = 7 };

typedef struct shuffled {
    const shuffled_options *o;
    int32_t points;
    int half; /* bits of each half of a number */
} shuffled;

static uint32_t scramble(const shuffled *m, int round, uint32_t half)
{
    return (uint32_t)(gs_uniform(m->o->seed, DRAW_ROUND, round, half) * (double)(1u << m->half));
}

/* The number of the point at place `at` in the order of the grid. */
static int32_t number_of(const shuffled *m, int32_t at)
{
    uint32_t left, right, number = (uint32_t)at;

    do {
        left = number >> m->half;
        right = number & ((1u << m->half) - 1);
        for (int round = 0; round < ROUNDS; round++) {
            const uint32_t old = right;
            right = left ^ scramble(m, round, right);
            left = old;
        }
        number = left << m->half | right;
    } while (number >= (uint32_t)m->points);
    return (int32_t)number;
}

/* The inverse of number_of. */
static int32_t place_of(const shuffled *m, int32_t number)
{
    uint32_t left, right, at = (uint32_t)number;

    do {
        left = at >> m->half;
        right = at & ((1u << m->half) - 1);
        for (int round = ROUNDS - 1; round >= 0; round--) {
            const uint32_t old = left;
            left = right ^ scramble(m, round, left);
            right = old;
        }
        at = left << m->half | right;
    } while (at >= (uint32_t)m->points);
    return (int32_t)at;
}

/* The places of the point `at` and of its neighbours, the point first; returns their number. */
static int neighbours(const shuffled *m, int32_t at, int32_t place[NEAR])
{
    const int32_t n = m->o->n, p[3] = {at % n, at / n % n, at / n / n}, step[3] = {1, n, n * n};
    int count = 0;

    place[count++] = at;
    for (int axis = 0; axis < 3; axis++) {
        if (p[axis] > 0) place[count++] = at - step[axis];
        if (p[axis] + 1 < n) place[count++] = at + step[axis];
    }
    return count;
}

static int64_t count_row(const void *model, int32_t i)
{
    int32_t place[NEAR];
    return neighbours(model, place_of(model, i), place);
}

static int64_t fill_row(const void *model, int32_t i, int32_t *col, double *value)
{
    int32_t place[NEAR];
    const int count = neighbours(model, place_of(model, i), place);

    for (int k = 0; k < count; k++) {
        const int32_t j = k ? number_of(model, place[k]) : i;
        int at = k;
        for (; at > 0 && col[at - 1] > j; at--) col[at] = col[at - 1];
        col[at] = j;
    }
    for (int k = 0; k < count; k++) value[k] = col[k] == i ? 6 : -1;
    return count;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                              gs_row_slice *slice)
{
    const shuffled_options *o = options;
    const double rows = (double)o->n * o->n * o->n;
    const gsolve_status status = gs_check_rows(ctx, "shuffled3d", rows);
    shuffled m = {.o = o, .half = 1};

    if (status != GSOLVE_OK) return status;
    m.points = (int32_t)rows;
    while (rows > (double)(1ull << 2 * m.half)) m.half++;
    const gs_row_source source = {m.points, m.points, count_row, fill_row, &m};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

static const gsolve_option table[] = {
    {"n", "points along an edge", GSOLVE_INT, offsetof(shuffled_options, n), 32, 1, GS_MOST_ROWS,
     NULL},
    {"seed", "seed of the random numbering", GSOLVE_INT, offsetof(shuffled_options, seed), 1, 0,
     INT32_MAX, NULL},
    {0},
};

const gs_generator gs_shuffled3d = {
    {"shuffled3d", "7-point Laplacian on a cube, points numbered in random order; SPD", table,
     sizeof(shuffled_options)},
    generate,
};
