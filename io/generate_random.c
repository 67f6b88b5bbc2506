/* generate_random.c: matrices of graphs. Every draw is a function of the seed and of the place it is
 * for, so that neither threads nor order matter. Square ones have a diagonal that exceeds the sum of
 * the row's other magnitudes by one, so that they can be solved. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/try.h"
#include "io/generators.h"

typedef struct graph_options {
    int n, cols, row, width, seed, scale, degree, dense, every, longest;
    double share;
} graph_options;

static int compare_columns(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the columns and drops repeated ones. */
static int64_t sort_columns(int64_t count, int32_t *col)
{
    int64_t kept = 0;

    qsort(col, (size_t)count, sizeof *col, compare_columns);
    for (int64_t k = 0; k < count; k++) {
        if (kept == 0 || col[k] != col[kept - 1]) col[kept++] = col[k];
    }
    return kept;
}

/* A number in [-1, 0) for the pair (i, j), the same for (j, i) if mirrored. */
static double pair_value(const graph_options *o, int32_t i, int32_t j, bool mirrored)
{
    const bool turn = mirrored && i > j;
    return -1 + gs_uniform((uint64_t)o->seed, 2 + (uint64_t)(turn ? j : i), (uint64_t)(turn ? i : j));
}

/* Values of a row; a diagonal entry, if any, is 1 + the sum of the magnitudes of the others. */
static void set_values(const graph_options *o, int32_t i, int64_t count, const int32_t *col,
                       double *value, bool mirrored)
{
    double sum = 1;
    int64_t diagonal = -1;

    for (int64_t k = 0; k < count; k++) {
        value[k] = pair_value(o, i, col[k], mirrored);
        if (col[k] == i) {
            diagonal = k;
        } else {
            sum -= value[k];
        }
    }
    if (diagonal >= 0) value[diagonal] = sum;
}

/* --- band: nodes of five unknowns coupled within a half bandwidth --------------------------------- */

enum { NODE = 5 };

static int64_t band_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    const int32_t node = i / NODE, reach = o->width / NODE, last = (o->n - 1) / NODE;
    const double chance = reach > 0 ? ((double)o->row / NODE - 1) / (2.0 * reach) : 0;
    int64_t count = 0;

    for (int32_t other = node > reach ? node - reach : 0; other <= last && other <= node + reach;
         other++) {
        const int32_t low = other < node ? other : node, high = other < node ? node : other;
        if (other != node &&
            gs_uniform((uint64_t)o->seed, 1 + ((uint64_t)low << 32), (uint64_t)high) >= chance) {
            continue;
        }
        for (int32_t j = other * NODE; j < (other + 1) * NODE && j < o->n; j++) col[count++] = j;
    }
    set_values(o, i, count, col, value, true);
    return count;
}

static gsolve_status generate_band(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, o->n, 2 * (int64_t)o->width + 3 * NODE, band_row, o};
    return gs_csr_by_rows(csr, ctx, &source);
}

/* --- web: the length of a row follows a power law, columns favour the first ones ------------------- */

static int64_t web_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    const uint64_t seed = (uint64_t)o->seed, place = (uint64_t)(uint32_t)i << 8;
    const double wished = 1.5 / pow(1 - gs_uniform(seed, 1, place), 0.9);
    const int64_t links = wished < o->longest ? (int64_t)wished : o->longest;
    int64_t count = 0;

    col[count++] = i;
    for (int64_t k = 0; k < links; k++) {
        const double u = gs_uniform(seed ^ 0x77, (uint64_t)(uint32_t)i, (uint64_t)k);
        col[count++] = (int32_t)(u * u * u * o->n);
    }
    count = sort_columns(count, col);
    set_values(o, i, count, col, value, false);
    return count;
}

static gsolve_status generate_web(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, o->n, o->longest + 1, web_row, o};
    return gs_csr_by_rows(csr, ctx, &source);
}

/* --- circuit: a grid of conductances, and a few rails that touch a share of all nodes --------------- */

static bool on_rail(const graph_options *o, int32_t rail, int32_t node)
{
    return gs_uniform((uint64_t)o->seed, 1 + ((uint64_t)rail << 32), (uint64_t)node) < o->share;
}

static int64_t circuit_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    const int32_t rails = o->dense < o->n ? o->dense : o->n, side = (int32_t)sqrt((double)o->n) + 1;
    int64_t count = 0;

    if (i < rails) {
        for (int32_t j = 0; j < o->n; j++) {
            if (j == i || (j >= rails && on_rail(o, i, j))) col[count++] = j;
        }
    } else {
        const int64_t near[5] = {(int64_t)i - side, (int64_t)i - 1, i, (int64_t)i + 1,
                                 (int64_t)i + side};
        for (int32_t rail = 0; rail < rails; rail++) {
            if (on_rail(o, rail, i)) col[count++] = rail;
        }
        for (int k = 0; k < 5; k++) {
            if (near[k] >= rails && near[k] < o->n) col[count++] = (int32_t)near[k];
        }
        count = sort_columns(count, col);
    }
    set_values(o, i, count, col, value, true);
    return count;
}

static gsolve_status generate_circuit(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, o->n, (int64_t)o->n + 5, circuit_row, o};
    return gs_csr_by_rows(csr, ctx, &source);
}

/* --- random, lp, emptyrows: columns drawn at random ------------------------------------------------- */

static int64_t draw_row(const graph_options *o, int32_t i, int32_t ncols, int64_t draws,
                        bool diagonal, int32_t *col, double *value)
{
    int64_t count = 0;

    if (diagonal && i < ncols) col[count++] = i;
    for (int64_t k = 0; k < draws && ncols > 0; k++) {
        const double u = gs_uniform((uint64_t)o->seed ^ 0x99, (uint64_t)(uint32_t)i, (uint64_t)k);
        col[count++] = (int32_t)(u * ncols);
    }
    count = sort_columns(count, col);
    set_values(o, i, count, col, value, false);
    return count;
}

static int32_t columns_of(const graph_options *o)
{
    return o->cols >= 0 ? o->cols : o->n;
}

static int64_t random_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    return draw_row(o, i, columns_of(o), o->row, columns_of(o) == o->n, col, value);
}

static gsolve_status generate_random(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, columns_of(o), (int64_t)o->row + 1, random_row, o};
    return gs_csr_by_rows(csr, ctx, &source);
}

/* Constraints: o->row random columns of the first o->cols, and a slack of its own for each row. */
static int64_t lp_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    const int64_t count = draw_row(o, i, o->cols, o->row, false, col, value);

    for (int64_t k = 0; k < count; k++) value[k] = -value[k];
    col[count] = o->cols + i;
    value[count] = 1;
    return count + 1;
}

static gsolve_status generate_lp(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, (int64_t)o->cols + o->n, (int64_t)o->row + 1, lp_row, o};
    return gs_csr_by_rows(csr, ctx, &source);
}

static int64_t emptyrows_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const graph_options *o = model;
    return i % o->every ? 0 : random_row(model, i, col, value);
}

static gsolve_status generate_emptyrows(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const gs_row_source source = {o->n, columns_of(o), (int64_t)o->row + 1, emptyrows_row, o};
    return gs_csr_by_rows(csr, ctx, &source);
}

/* --- rmat: edges that fall into quadrants with chances 0.57, 0.19, 0.19, 0.05 (Chakrabarti et al. 2004) */

static void rmat_edge(const graph_options *o, int64_t e, int32_t *i, int32_t *j)
{
    *i = *j = 0;
    for (int level = 0; level < o->scale; level++) {
        const double u = gs_uniform((uint64_t)o->seed ^ 0x55, (uint64_t)e, (uint64_t)level);
        *i = *i * 2 + (u >= 0.76);
        *j = *j * 2 + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
}

static gsolve_status generate_rmat(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const graph_options *o = options;
    const int32_t n = (int32_t)1 << o->scale;
    const int64_t edges = (int64_t)n * o->degree;
    int32_t *i = NULL, *j = NULL;
    gsolve_csr A;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, i, edges + n);
    ALLOC(ctx, GSOLVE_HOST, j, edges + n);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t e = 0; e < edges + n; e++) {
        if (e < n) {
            i[e] = j[e] = (int32_t)e; /* the diagonal */
        } else {
            rmat_edge(o, e - n, &i[e], &j[e]);
        }
    }
    TRY(gs_csr_from_triplets(&A, ctx, n, n, edges + n, i, j, NULL));
#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t row = 0; row < n; row++) {
        const int64_t from = gs_start(&A, row);
        set_values(o, row, gs_start(&A, row + 1) - from, A.col + from,
                   (double *)(uintptr_t)A.value + from, false);
    }
    *csr = A;
done:
    gsolve_free(ctx, GSOLVE_HOST, i);
    gsolve_free(ctx, GSOLVE_HOST, j);
    return status;
}

/* --- the tables ------------------------------------------------------------------------------------- */

#define OPTION(key, help, initial, least, most)                                                \
    {#key, help, GSOLVE_INT, offsetof(graph_options, key), initial, least, most, NULL}
#define ROWS(initial) OPTION(n, "rows", initial, 0, 2147483000)
#define SEED          OPTION(seed, "of all draws", 1, 0, 1e9)
#define COLS          OPTION(cols, "columns; -1: as many as rows", -1, -1, 2147483000)
#define GENERATOR(object, name, summary, function, ...)                                        \
    static const gsolve_option object##_table[] = {__VA_ARGS__, {0}};                          \
    const gs_generator object = {{name, summary, object##_table, sizeof(graph_options)}, function}

GENERATOR(gs_band, "band", "like a finite-element matrix: dense blocks within a band; SPD",
          generate_band, ROWS(10000), OPTION(row, "mean entries a row", 60, 1, 100000),
          OPTION(width, "half bandwidth", 300, 0, 10000000), SEED);
GENERATOR(gs_web, "web", "most rows tiny, some of thousands", generate_web, ROWS(10000),
          OPTION(longest, "most links in a row", 5000, 1, 10000000), SEED);
GENERATOR(gs_circuit, "circuit", "a grid, and a few nearly dense rows and columns; SPD",
          generate_circuit, ROWS(10000), OPTION(dense, "dense rows", 4, 0, 1000),
          {"share", "of the nodes that touch a dense row", GSOLVE_REAL,
           offsetof(graph_options, share), 0.5, 0, 1, NULL},
          SEED);
GENERATOR(gs_random_generator, "random", "columns drawn at random", generate_random, ROWS(10000),
          COLS, OPTION(row, "draws a row", 10, 0, 1000000), SEED);
GENERATOR(gs_lp, "lp", "short and wide: random constraints with slacks", generate_lp, ROWS(1000),
          OPTION(cols, "columns, beside a slack for each row", 10000, 0, 2000000000),
          OPTION(row, "draws a row", 20, 0, 1000000), SEED);
GENERATOR(gs_emptyrows, "emptyrows", "random, with most rows empty", generate_emptyrows, ROWS(10000),
          COLS, OPTION(row, "draws a row", 10, 0, 1000000),
          OPTION(every, "one row in so many has entries", 3, 1, 1000000), SEED);
GENERATOR(gs_rmat, "rmat", "R-MAT graph: a few huge rows, no locality", generate_rmat,
          OPTION(scale, "2^scale rows", 14, 0, 30), OPTION(degree, "edges a row", 16, 0, 1000), SEED);
