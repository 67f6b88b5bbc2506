/* generate_graph.c: matrices of graphs: the web, circuits, R-MAT. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
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
    const graph_options *o;
    int32_t n;
    int levels;                 /* edges are drawn on a grid of 2^levels x 2^levels */
    int64_t diagonals, entries; /* the first `diagonals` of all `entries` are the diagonal */
} edges;

static edges edges_of(const graph_options *o)
{
    edges t = {o, o->n > 0 ? o->n : (int32_t)1 << (o->scale > 0 ? o->scale : 14), 0, 0, 0};

    while ((int64_t)1 << t.levels < t.n) t.levels++;
    t.diagonals = o->diagonal ? t.n : 0;
    t.entries = t.diagonals + (int64_t)t.n * o->degree;
    return t;
}

/* Triplet e; the grid of an edge is scaled to n x n. Returns its value. */
static double draw_triplet(const edges *t, int64_t e, int64_t *i, int64_t *j)
{
    *i = *j = e;
    if (e >= t->diagonals) {
        draw_edge(t->o, t->levels, e - t->diagonals, i, j);
        *i = *i * t->n >> t->levels;
        *j = *j * t->n >> t->levels;
    }
    return gs_negative(t->o->seed, e, 0);
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

/* *csr = all rows. */
static gsolve_status make_all(gsolve_csr *csr, gsolve_context *ctx, const edges *t)
{
    int32_t *i = NULL, *j = NULL;
    double *v = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, i, t->entries);
    ALLOC(ctx, GSOLVE_HOST, j, t->entries);
    ALLOC(ctx, GSOLVE_HOST, v, t->entries);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t e = 0; e < t->entries; e++) {
        int64_t row, col;
        v[e] = draw_triplet(t, e, &row, &col);
        i[e] = (int32_t)row;
        j[e] = (int32_t)col;
    }
    TRY(gs_csr_from_triplets(csr, ctx, t->n, t->n, t->entries, i, j, v));
done:
    gsolve_free(ctx, GSOLVE_HOST, i);
    gsolve_free(ctx, GSOLVE_HOST, j);
    gsolve_free(ctx, GSOLVE_HOST, v);
    return status;
}

/* *part = the rows that are given, from triplets that all ranks draw: each draws its share of them,
 * which travel to the owners of the rows. The shares follow one another in rank order, so that
 * duplicates are added in the order of all triplets, as on one rank. */
static gsolve_status assemble(gsolve_dist_csr *part, gsolve_context *ctx, const edges *t,
                              const gs_row_slice *slice)
{
    const int64_t share = t->entries / slice->ranks, more = t->entries % slice->ranks;
    const int64_t first = slice->rank * share + (slice->rank < more ? slice->rank : more);
    const int64_t count = share + (slice->rank < more);
    int64_t *i, *j;
    double *v;
    gsolve_status status;

    i = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof *i);
    j = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof *j);
    v = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof *v);
    TRY(gs_comm_check(ctx->comm, i && j && v ? GSOLVE_OK : GSOLVE_NO_MEMORY));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t e = 0; e < count; e++) v[e] = draw_triplet(t, first + e, &i[e], &j[e]);
    TRY(gsolve_dist_csr_assemble(part, ctx, slice->rows, count, i, j, v));
done:
    gsolve_free(ctx, GSOLVE_HOST, i);
    gsolve_free(ctx, GSOLVE_HOST, j);
    gsolve_free(ctx, GSOLVE_HOST, v);
    return status;
}

/* *csr = the rows of the slice. Collective. */
static gsolve_status make_part(gsolve_csr *csr, gsolve_context *ctx, const edges *t,
                               gs_row_slice *slice)
{
    gsolve_dist_csr part = {0};
    gsolve_status status;

    slice->rows = slice->cols = gsolve_row_range_even(t->n, slice->rank, slice->ranks);
    TRY(assemble(&part, ctx, t, slice));
    const int64_t *start = part.start;
    const int64_t entries = start[slice->rows.count];
    TRY(gs_csr_new(csr, ctx, slice->rows.count, t->n, entries, GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, csr);
    for (int32_t i = 0; i <= slice->rows.count; i++) gs_set_start(&to, i, start[i]);
    for (int64_t k = 0; k < entries; k++) to.col[k] = (int32_t)part.col[k];
    memcpy(to.value, part.value, (size_t)entries * sizeof(double));
done:
    gsolve_dist_csr_free(&part, ctx);
    return status;
}

static gsolve_status generate_rmat(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                   gs_row_slice *slice)
{
    const graph_options *o = options;
    const edges t = edges_of(o);
    gsolve_status status;

    TRY(check_rmat(ctx, o));
    TRY(slice ? make_part(csr, ctx, &t, slice) : make_all(csr, ctx, &t));
    const int32_t first = slice ? (int32_t)slice->rows.first : 0;
    double *values = gs_owned_block(ctx, csr->value);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t row = 0; row < csr->nrows; row++) {
        const int64_t from = gs_start(csr, row), entries = gs_start(csr, row + 1) - from;
        if (o->diagonal) gs_dominate(first + row, entries, csr->col + from, values + from, 1);
    }
done:
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
