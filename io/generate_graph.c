/* generate_graph.c: matrices of graphs: the web, circuits, R-MAT. */
#include <math.h>

#include "core/try.h"
#include "io/generators.h"

typedef struct graph_options {
    int n, seed, longest, dense, scale, degree;
    double share, ground, a, b, c;
    bool diagonal;
} graph_options;

enum { DRAW_LENGTH = GS_DRAW_PATTERN, DRAW_LINK, DRAW_RAIL, DRAW_EDGE };

/* --- web: row lengths follow a power law, links favour the first columns ---------------------- */

/* Writes the columns of row i, including the diagonal, and returns their number; col NULL: only
 * returns the number. The probabilities are divided into as many equal parts as there are links,
 * and one link is drawn from each part, so that columns ascend. */
static int64_t web_columns(const graph_options *o, int32_t i, int32_t *col)
{
    const double drawn = 1.5 / pow(1 - gs_uniform(o->seed, DRAW_LENGTH, i, 0), 0.9);
    const int longest = o->longest < o->n ? o->longest : o->n;
    const int64_t links = drawn < longest ? (int64_t)drawn : longest;
    int64_t count = 0;
    int32_t last = -1;

    for (int64_t k = 0; k < links; k++) {
        const double u = ((double)k + gs_uniform(o->seed, DRAW_LINK, i, k)) / (double)links;
        const int32_t j = (int32_t)fmin(u * u * u * o->n, o->n - 1.0);
        if (last < i && j > i) {
            if (col) col[count] = i;
            count++;
        }
        if (j == last) continue;
        if (col) col[count] = j;
        count++;
        last = j;
    }
    if (last < i) {
        if (col) col[count] = i;
        count++;
    }
    return count;
}

static int64_t count_web(const void *model, int32_t i)
{
    return web_columns(model, i, NULL);
}

static int64_t fill_web(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    const int64_t count = web_columns(o, i, col);

    for (int64_t k = 0; k < count; k++) value[k] = gs_negative(o->seed, i, col[k]);
    gs_dominate(i, count, col, value, 1);
    return count;
}

static gsolve_status generate_web(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                  gs_row_slice *slice)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, o->n, count_web, fill_web, o};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

/* --- circuit: a grid of conductances, and a few rails (power nets) that touch many nodes ------ */

static bool on_rail(const graph_options *o, int32_t rail, int32_t node)
{
    return gs_uniform(o->seed, DRAW_RAIL, rail, node) < o->share;
}

/* The columns of row i, as web_columns does. The rails are the first nodes. */
static int64_t circuit_columns(const graph_options *o, int32_t i, int32_t *col)
{
    const int32_t rails = o->dense < o->n ? o->dense : o->n, n = o->n;
    const int32_t side = (int32_t)sqrt((double)n) + 1; /* of the grid */
    const int64_t near[5] = {(int64_t)i - side, (int64_t)i - 1, i, (int64_t)i + 1,
                             (int64_t)i + side};
    int64_t count = 0;

    for (int32_t j = 0; j < (i < rails ? n : rails); j++) {
        const bool coupled =
            i < rails ? j == i || (j >= rails && on_rail(o, i, j)) : on_rail(o, j, i);
        if (coupled && col) col[count] = j;
        count += coupled;
    }
    for (int k = 0; k < 5 && i >= rails; k++) {
        const bool coupled = near[k] >= rails && near[k] < n;
        if (coupled && col) col[count] = (int32_t)near[k];
        count += coupled;
    }
    return count;
}

static int64_t count_circuit(const void *model, int32_t i)
{
    return circuit_columns(model, i, NULL);
}

static int64_t fill_circuit(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    const int64_t count = circuit_columns(o, i, col);

    for (int64_t k = 0; k < count; k++) value[k] = gs_negative_pair(o->seed, i, col[k]);
    gs_dominate(i, count, col, value, o->ground);
    return count;
}

static gsolve_status generate_circuit(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                      gs_row_slice *slice)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, o->n, count_circuit, fill_circuit, o};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

/* --- rmat ------------------------------------------------------------------------------------- */

/* At each level an edge falls into one of four quadrants, with the probabilities a, b, c and 1 - a
 * - b - c (Chakrabarti, Zhan and Faloutsos 2004). */
static void draw_edge(const graph_options *o, int levels, int64_t edge, int64_t *i, int64_t *j)
{
    const double a = o->a, ab = a + o->b, abc = ab + o->c;

    *i = *j = 0;
    for (int level = 0; level < levels; level++) {
        const double u = gs_uniform(o->seed, DRAW_EDGE, edge, level);
        *i = *i * 2 + (u >= ab);
        *j = *j * 2 + ((u >= a) - (u >= ab) +
                       (u >= abc)); /* without a branch, which would often be mispredicted */
    }
}

typedef struct edges { /* a matrix of n rows as triplets */
    int32_t n;
    int64_t diagonals, entries; /* the first `diagonals` of all `entries` are the diagonal */
    int32_t *row, *col;
    double *value;
} edges;

/* Sets t's triplets. An edge is drawn on a grid of 2^levels x 2^levels, which is scaled to n x n.
 */
static void draw_edges(gsolve_context *ctx, const graph_options *o, int levels, const edges *t)
{
    const int32_t n = t->n;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t e = 0; e < t->entries; e++) {
        int64_t i = e, j = e;
        if (e >= t->diagonals) {
            draw_edge(o, levels, e - t->diagonals, &i, &j);
            i = i * n >> levels;
            j = j * n >> levels;
        }
        t->row[e] = (int32_t)i;
        t->col[e] = (int32_t)j;
        t->value[e] = gs_negative(o->seed, e, 0);
    }
}

static gsolve_status check_rmat(gsolve_context *ctx, const graph_options *o)
{
    if (o->n > 0 && o->scale > 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "rmat: n=%d and scale=%d are both given; give only one of them", o->n,
                           o->scale);
    }
    if (o->a + o->b + o->c > 1) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "rmat: a + b + c is %g; the sum of the probabilities must be at most 1",
                           o->a + o->b + o->c);
    }
    return GSOLVE_OK;
}

static gsolve_status generate_rmat(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                   gs_row_slice *slice)
{
    const graph_options *o = options;
    const int32_t n = o->n > 0 ? o->n : (int32_t)1 << (o->scale > 0 ? o->scale : 14);
    const int64_t diagonals = o->diagonal ? n : 0, entries = diagonals + (int64_t)n * o->degree;
    int levels = 0;
    int32_t *i = NULL, *j = NULL;
    double *v = NULL;
    gsolve_csr A;
    gsolve_status status;

    TRY(check_rmat(ctx, o));
    while ((int64_t)1 << levels < n) levels++;
    ALLOC(ctx, GSOLVE_HOST, i, entries);
    ALLOC(ctx, GSOLVE_HOST, j, entries);
    ALLOC(ctx, GSOLVE_HOST, v, entries);
    draw_edges(ctx, o, levels, &(edges){n, diagonals, entries, i, j, v});
    TRY(gs_csr_from_triplets(&A, ctx, n, n, entries, i, j, v));
    double *values = gs_owned_block(ctx, A.value);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t row = 0; row < n; row++) {
        const int64_t from = gs_start(&A, row);
        double *value = values + from;
        if (o->diagonal) gs_dominate(row, gs_start(&A, row + 1) - from, A.col + from, value, 1);
    }
    (void)slice; /* it has all rows */
    *csr = A;
done:
    gsolve_free(ctx, GSOLVE_HOST, i);
    gsolve_free(ctx, GSOLVE_HOST, j);
    gsolve_free(ctx, GSOLVE_HOST, v);
    return status;
}

/* --- the tables ------------------------------------------------------------------------------- */

#define OPTION(key, help, kind, initial, least, most) \
    {#key, help, kind, offsetof(graph_options, key), initial, least, most, NULL}
#define ROWS OPTION(n, "rows", GSOLVE_INT, 10000, 0, GS_MOST_ROWS)
#define SEED OPTION(seed, "seed of the random numbers", GSOLVE_INT, 1, 0, INT32_MAX)
#define GENERATOR(name, summary, ...)                                                      \
    static const gsolve_option name##_table[] = {__VA_ARGS__, {0}};                        \
    const gs_generator gs_##name = {{#name, summary, name##_table, sizeof(graph_options)}, \
                                    generate_##name}

GENERATOR(web, "links between web pages: most rows are short, some have thousands of entries", ROWS,
          OPTION(longest, "largest number of links in a row", GSOLVE_INT, 5000, 1, INT32_MAX),
          SEED);
GENERATOR(circuit, "conductances on a grid, with a few nearly dense rows and columns; SPD", ROWS,
          OPTION(dense, "number of dense rows", GSOLVE_INT, 4, 0, 1000),
          OPTION(share, "fraction of the nodes that are connected to each dense row", GSOLVE_REAL,
                 0.5, 0, 1),
          OPTION(ground, "conductance from each node to the ground", GSOLVE_REAL, 0.01, 1e-12,
                 1e12),
          SEED);
GENERATOR(
    rmat, "R-MAT graph: a few very long rows, irregular columns",
    OPTION(scale, "the matrix has 2^scale rows; 0: n rows. Give scale or n, not both", GSOLVE_INT,
           0, 0, 30),
    OPTION(n, "rows; 0: 2^scale rows, or 2^14 rows if scale is 0, too", GSOLVE_INT, 0, 0,
           GS_MOST_ROWS),
    OPTION(degree, "edges per row", GSOLVE_INT, 16, 0, 1000000),
    OPTION(a, "probability of the upper left quadrant", GSOLVE_REAL, 0.57, 0, 1),
    OPTION(b, "probability of the upper right quadrant", GSOLVE_REAL, 0.19, 0, 1),
    OPTION(c, "probability of the lower left quadrant", GSOLVE_REAL, 0.19, 0, 1),
    OPTION(
        diagonal,
        "1: add a diagonal that makes the matrix strictly diagonally dominant, and so nonsingular",
        GSOLVE_FLAG, 1, 0, 1),
    SEED);
