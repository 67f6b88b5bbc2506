/* generate_lengths.c: a matrix with given row lengths, from what published tables contain: rows,
 * columns, entries, the shortest and the longest row. Lengths are log-normal within their bounds,
 * with a scale that gives the mean; the row in the middle is the longest. The columns of a row lie
 * in a range around the diagonal, which is divided into as many equal parts as the row has entries,
 * with one entry in each part. With block=b all of this holds for nodes of b unknowns each, which
 * are fully coupled. */
#include <math.h>

#include "io/generators.h"

typedef struct lengths_options {
    int n, cols, shortest, longest, width, block, seed;
    double mean, deviation;
} lengths_options;

enum { DRAW_NORMAL = GS_DRAW_PATTERN, DRAW_ROUNDING, DRAW_COLUMN };

typedef struct lengths {
    const lengths_options *o;
    int32_t ncols, nodes, column_nodes;
    double shortest, longest; /* in nodes, like all lengths below */
    double scale, spread;     /* of the logarithms: mean and deviation */
} lengths;

/* --- row lengths ----------------------------------------------------------------------------- */

/* The length for the value of a normal variable, before it is rounded to a whole number. */
static double length_at(const lengths *m, double normal)
{
    return fmin(fmax(exp(m->scale + m->spread * normal), m->shortest), m->longest);
}

/* The mean length, integrated over the normal distribution. */
static double mean_length(const lengths *m)
{
    enum { POINTS = 1200 };
    double sum = 0, weights = 0;

    for (int k = 0; k < POINTS; k++) {
        const double z = 12 * (k + 0.5) / POINTS - 6, weight = exp(-z * z / 2);
        sum += weight * length_at(m, z);
        weights += weight;
    }
    return sum / weights;
}

/* Finds the scale that gives this mean length, by bisection. */
static void choose_scale(lengths *m, double mean)
{
    double low = -80, high = log(m->longest + 1) + 7 * m->spread;

    for (int step = 0; step < 80; step++) {
        m->scale = 0.5 * (low + high);
        if (mean_length(m) < mean) {
            low = m->scale;
        } else {
            high = m->scale;
        }
    }
}

/* The number of column nodes of a node. */
static int32_t length_of(const lengths *m, int32_t node)
{
    const int seed = m->o->seed;
    const double radius = sqrt(-2 * log(1 - gs_uniform(seed, DRAW_NORMAL, node, 0)));
    const double angle = 6.283185307179586 * gs_uniform(seed, DRAW_NORMAL, node, 1);
    const double length = length_at(m, radius * cos(angle)); /* Box and Muller 1958 */

    if (m->o->longest > 0 && node == m->nodes / 2) return (int32_t)m->longest;
    return (int32_t)(length + gs_uniform(seed, DRAW_ROUNDING, node, 0));
}

/* --- columns --------------------------------------------------------------------------------- */

typedef struct node_range { /* column nodes low .. low + size - 1 */
    int64_t low, size;
} node_range;

static node_range range_of(const lengths *m, int32_t node, int32_t length)
{
    const int64_t all = m->column_nodes, centre = (int64_t)node * all / m->nodes;
    const int64_t asked = 2 * (int64_t)(m->o->width / m->o->block) + 1;
    node_range r = {0, all};

    if (m->o->width > 0 && asked < all) r.size = asked > length ? asked : length;
    r.low = centre - r.size / 2;
    if (r.low > all - r.size) r.low = all - r.size;
    if (r.low < 0) r.low = 0;
    return r;
}

/* Column node k of a node: a random one of part k, or the diagonal if part k contains it. */
static int32_t column_node(const lengths *m, int32_t node, node_range r, int32_t length, int32_t k)
{
    const int64_t low = r.low + k * r.size / length, high = r.low + (k + 1) * r.size / length;
    const double part = gs_uniform(m->o->seed, DRAW_COLUMN, node, k) * (double)(high - low);

    if (m->ncols == m->o->n && low <= node && node < high) return node;
    return (int32_t)(low + (int64_t)part);
}

/* The columns of a column node; the last node may be cut off. */
static int32_t unknowns(const lengths *m, int32_t node)
{
    const int32_t left = m->ncols - node * m->o->block;
    return left < m->o->block ? left : m->o->block;
}

static int64_t count_row(const void *model, int32_t i)
{
    const lengths *m = model;
    const int32_t node = i / m->o->block, length = length_of(m, node);
    const node_range r = range_of(m, node, length);

    if (length == 0) return 0;
    return (int64_t)(length - 1) * m->o->block +
           unknowns(m, column_node(m, node, r, length, length - 1));
}

static int64_t fill_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const lengths *m = model;
    const int32_t node = i / m->o->block, length = length_of(m, node);
    const node_range r = range_of(m, node, length);
    int64_t count = 0;

    for (int32_t k = 0; k < length; k++) {
        const int32_t other = column_node(m, node, r, length, k), first = other * m->o->block;
        for (int32_t j = first; j < first + unknowns(m, other); j++, count++) {
            col[count] = j;
            value[count] = 2 * gs_uniform(m->o->seed, GS_DRAW_VALUE, i, j) - 1;
        }
    }
    if (m->ncols == m->o->n) gs_dominate(i, count, col, value, 1);
    return count;
}

/* --- the generator --------------------------------------------------------------------------- */

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                              gs_row_slice *slice)
{
    const lengths_options *o = options;
    const int block = o->block;
    lengths m = {.o = o, .ncols = o->cols >= 0 ? o->cols : o->n};
    const gs_row_source source = {o->n, m.ncols, count_row, fill_row, &m};
    double mean = o->mean / block;

    m.nodes = o->n / block + (o->n % block > 0);
    m.column_nodes = m.ncols / block + (m.ncols % block > 0);
    m.longest = fmin(o->longest > 0 ? o->longest / block : m.column_nodes, m.column_nodes);
    m.shortest = o->shortest / block;
    if (m.nodes > 0 && (mean < m.shortest || mean > m.longest)) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_SPEC,
            "lengths: mean=%g is not between the lengths of the shortest row, %g, and the "
            "longest row, %g, in blocks of %d",
            o->mean, m.shortest * block, m.longest * block, block);
    }
    if (o->longest > 0 && m.nodes > 1) { /* the mean of the other rows */
        mean = fmax((mean * m.nodes - m.longest) / (m.nodes - 1), m.shortest);
    }
    m.spread = mean > 0 ? sqrt(log1p(pow(o->deviation / block / mean, 2))) : 0;
    choose_scale(&m, mean);
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

#define OPTION(key, help, kind, initial, least, most) \
    {#key, help, kind, offsetof(lengths_options, key), initial, least, most, NULL}

static const gsolve_option table[] = {
    OPTION(n, "rows", GSOLVE_INT, 10000, 0, GS_MOST_ROWS),
    OPTION(cols, "columns; -1: as many as rows", GSOLVE_INT, -1, -1, GS_MOST_ROWS),
    OPTION(mean, "mean number of entries per row", GSOLVE_REAL, 10, 0, GS_MOST_ROWS),
    OPTION(deviation, "standard deviation of the entries per row, before the bounds apply",
           GSOLVE_REAL, 3, 0, GS_MOST_ROWS),
    OPTION(shortest, "smallest number of entries in a row", GSOLVE_INT, 1, 0, GS_MOST_ROWS),
    OPTION(longest, "largest number of entries in a row; 0: no bound", GSOLVE_INT, 0, 0,
           GS_MOST_ROWS),
    OPTION(width,
           "largest distance of an entry from the diagonal; if a row has more entries than fit, "
           "its distance is larger; 0: all columns",
           GSOLVE_INT, 0, 0, GS_MOST_ROWS),
    OPTION(block, "rows and columns of the dense blocks that form the matrix; 1: no blocks",
           GSOLVE_INT, 1, 1, 64),
    OPTION(seed, "seed of the random numbers", GSOLVE_INT, 1, 0, INT32_MAX),
    {0},
};

const gs_generator gs_lengths = {
    {"lengths", "random rows whose lengths have a given mean, deviation and bounds", table,
     sizeof(lengths_options)},
    generate,
};
