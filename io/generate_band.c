/* generate_band.c: tridiagonal matrices, and a band matrix similar to one of finite elements: nodes
 * of five unknowns, each fully coupled with a varying number of other nodes.
 *
 * The nodes are divided into blocks of a fixed length. Node number r of block B can be coupled with
 * one node of each of the blocks B + 1 .. B + steps: node number (r + shift) mod length, where
 * shift is a random number of the pair of blocks. A random share of these pairs is kept. So both
 * nodes of a pair can be computed from each other without a search, and columns ascend without
 * sorting. */
#include <math.h>

#include "core/try.h"
#include "io/generators.h"

typedef struct band_options {
    int n, row, width, seed;
} band_options;

enum { NODE = 5 };
enum { DRAW_SHIFT = GS_DRAW_PATTERN, DRAW_KEPT };

typedef struct band {
    const band_options *o;
    int32_t nodes, length, steps;
    double kept; /* share of the pairs that are kept */
} band;

static int32_t shift(const band *m, int32_t block, int32_t step)
{
    return (int32_t)(gs_uniform(m->o->seed, DRAW_SHIFT, step, block) * m->length);
}

/* The node `step` blocks after `node` (before it if step is negative) with which it is coupled; -1:
 * there is none. */
static int32_t partner(const band *m, int32_t node, int32_t step)
{
    const int32_t block = node / m->length, r = node % m->length;
    int64_t other;

    if (step > 0) {
        other = (int64_t)(block + step) * m->length + (r + shift(m, block, step)) % m->length;
    } else {
        const int32_t back = m->length - shift(m, block + step, -step);
        other = (int64_t)(block + step) * m->length + (r + back) % m->length;
    }
    if (other < 0 || other >= m->nodes) return -1;
    const int64_t low = step > 0 ? node : other, high = step > 0 ? other : node;
    return gs_uniform(m->o->seed, DRAW_KEPT, low, high) < m->kept ? (int32_t)other : -1;
}

/* The unknowns of a node; n may cut off the last one. */
static int32_t unknowns(const band *m, int32_t node)
{
    return node + 1 < m->nodes ? NODE : m->o->n - node * NODE;
}

static int64_t count_row(const void *model, int32_t i)
{
    const band *m = model;
    int64_t count = unknowns(m, i / NODE);

    for (int32_t step = -m->steps; step <= m->steps; step++) {
        const int32_t other = step ? partner(m, i / NODE, step) : -1;
        if (other >= 0) count += unknowns(m, other);
    }
    return count;
}

static int64_t fill_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const band *m = model;
    int64_t count = 0;

    for (int32_t step = -m->steps; step <= m->steps; step++) {
        const int32_t other = step ? partner(m, i / NODE, step) : i / NODE;
        const int32_t length = other >= 0 ? unknowns(m, other) : 0;
        for (int32_t j = other * NODE; j < other * NODE + length; j++, count++) {
            col[count] = j;
            value[count] = gs_negative_pair(m->o->seed, i, j);
        }
    }
    gs_dominate(i, count, col, value, 1);
    return count;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                              gs_row_slice *slice)
{
    const band_options *o = options;
    const double others = fmax(0, ((double)o->row / NODE - 1) / 2); /* mean nodes on each side */
    const int32_t most = (o->width - (NODE - 1)) / NODE; /* nodes that fit on each side */
    band m = {.o = o, .nodes = o->n / NODE + (o->n % NODE > 0)};
    const gs_row_source source = {o->n, o->n, count_row, fill_row, &m};

    if (others > 0.75 * (most - 1) && others > 0) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_SPEC,
            "band: row=%d needs a half bandwidth of at least %.0f; set width= to that (it is %d)",
            o->row, (ceil(others / 0.75) + 1) * NODE + NODE - 1, o->width);
    }
    m.steps = (int32_t)ceil(others / 0.75);
    m.kept = m.steps ? others / m.steps : 0;
    m.length = most / (m.steps + 1); /* the nodes of a pair are less than steps + 1 blocks apart */
    if (m.length == 0) m.length = 1;
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

#define OPTION(key, help, initial, least, most) \
    {#key, help, GSOLVE_INT, offsetof(band_options, key), initial, least, most, NULL}

static const gsolve_option table[] = {
    OPTION(n, "rows", 10000, 0, GS_MOST_ROWS),
    OPTION(row, "mean number of entries per row; the first and last rows have fewer", 60, 5,
           1000000),
    OPTION(width, "largest half bandwidth: largest distance of an entry from the diagonal", 300, 4,
           INT32_MAX),
    OPTION(seed, "seed of the random numbers", 1, 0, INT32_MAX),
    {0},
};

const gs_generator gs_band = {
    {"band", "band matrix of dense 5 x 5 blocks, similar to finite elements; SPD", table,
     sizeof(band_options)},
    generate,
};

/* --- tridiagonal: three diagonals, each of one value ----------------------------------------- */

typedef struct tridiagonal_options {
    int n;
    double low, diag, high;
} tridiagonal_options;

static int64_t count_tridiagonal(const void *model, int32_t i)
{
    return 1 + (i > 0) + (i + 1 < ((const tridiagonal_options *)model)->n);
}

static int64_t fill_tridiagonal(const void *model, int32_t i, int32_t *col, double *value)
{
    const tridiagonal_options *o = model;
    const double diagonal[3] = {o->low, o->diag, o->high};
    int64_t count = 0;

    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < o->n; j++) {
        col[count] = j;
        value[count++] = diagonal[j - i + 1];
    }
    return count;
}

static gsolve_status generate_tridiagonal(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                          gs_row_slice *slice)
{
    const int64_t n = ((const tridiagonal_options *)options)->n;
    const gs_row_source source = {n, n, count_tridiagonal, fill_tridiagonal, options};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

#define DIAGONAL(key, help, initial) \
    {#key, help, GSOLVE_REAL, offsetof(tridiagonal_options, key), initial, -1e300, 1e300, NULL}

static const gsolve_option tridiagonal_table[] = {
    {"n", "rows", GSOLVE_INT, offsetof(tridiagonal_options, n), 1000, 0, GS_MOST_ROWS, NULL},
    DIAGONAL(low, "values below the diagonal", -1),
    DIAGONAL(diag, "values on the diagonal", 2),
    DIAGONAL(high, "values above the diagonal", -1),
    {0},
};

const gs_generator gs_tridiagonal = {
    {"tridiagonal", "tridiagonal matrix with one value on each diagonal", tridiagonal_table,
     sizeof(tridiagonal_options)},
    generate_tridiagonal,
};
