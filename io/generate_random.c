/* generate_random.c: rows with random columns. A row is divided into as many equal parts as it has
 * entries, and one column is drawn from each part; so columns ascend, and none is drawn twice. A
 * square matrix has a diagonal that exceeds the sum of the other magnitudes of the row by one. */
#include "io/generators.h"

typedef struct random_options {
    int n, cols, row, seed;
    double share;
} random_options;

enum { DRAW_EMPTY = GS_DRAW_PATTERN + 1 };

static int32_t columns_of(const random_options *o)
{
    return o->cols >= 0 ? o->cols : o->n;
}

static int64_t length_of(const random_options *o, int32_t ncols)
{
    return o->row < ncols ? o->row : ncols;
}

static int64_t draw_row(const random_options *o, int32_t i, int32_t ncols, int32_t *col,
                        double *value)
{
    const int64_t count = length_of(o, ncols);
    const bool square = ncols == o->n;

    for (int64_t k = 0; k < count; k++) {
        const int64_t low = k * ncols / count, high = (k + 1) * ncols / count;
        const double part = gs_uniform(o->seed, GS_DRAW_PATTERN, i, k) * (double)(high - low);
        col[k] = square && low <= i && i < high ? i : (int32_t)(low + (int64_t)part);
        value[k] = 2 * gs_uniform(o->seed, GS_DRAW_VALUE, i, col[k]) - 1;
    }
    if (square) gs_dominate(i, count, col, value, 1);
    return count;
}

/* --- random and emptyrows: a share of the rows is empty -------------------------------------- */

static int64_t count_row(const void *model, int32_t i)
{
    const random_options *o = model;
    const bool empty = gs_uniform(o->seed, DRAW_EMPTY, i, 0) < o->share;
    return empty ? 0 : length_of(o, columns_of(o));
}

static int64_t fill_row(const void *model, int32_t i, int32_t *col, double *value)
{
    return count_row(model, i) ? draw_row(model, i, columns_of(model), col, value) : 0;
}

static gsolve_status generate_random(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                     gs_row_slice *slice)
{
    const random_options *o = options;
    const gs_row_source source = {o->n, columns_of(o), count_row, fill_row, o};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

/* --- lp: random constraints, each with a slack variable in the last columns ------------------- */

static int64_t count_constraint(const void *model, int32_t i)
{
    const random_options *o = model;
    (void)i;
    return length_of(o, o->cols - o->n) + 1;
}

static int64_t fill_constraint(const void *model, int32_t i, int32_t *col, double *value)
{
    const random_options *o = model;
    const int64_t count = draw_row(o, i, o->cols - o->n, col, value);

    col[count] = o->cols - o->n + i;
    value[count] = 1;
    return count + 1;
}

static gsolve_status generate_lp(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                                 gs_row_slice *slice)
{
    const random_options *o = options;
    const gs_row_source source = {o->n, o->cols, count_constraint, fill_constraint, o};

    if (o->cols / 2 < o->n) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_SPEC,
            "lp: cols=%d is too small for n=%d; it must be at least 2 n, because each row has a "
            "slack variable",
            o->cols, o->n);
    }
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

/* --- the tables ------------------------------------------------------------------------------ */

#define OPTION(key, help, kind, initial, least, most) \
    {#key, help, kind, offsetof(random_options, key), initial, least, most, NULL}
#define ROWS(initial) OPTION(n, "rows", GSOLVE_INT, initial, 0, GS_MOST_ROWS)
#define COLS          OPTION(cols, "columns; -1: as many as rows", GSOLVE_INT, -1, -1, GS_MOST_ROWS)
#define LENGTH(initial) \
    OPTION(row, "entries per row, at most the number of columns", GSOLVE_INT, initial, 0, INT32_MAX)
#define SEED OPTION(seed, "seed of the random numbers", GSOLVE_INT, 1, 0, INT32_MAX)
#define GENERATOR(object, name, summary, function, ...)               \
    static const gsolve_option object##_table[] = {__VA_ARGS__, {0}}; \
    const gs_generator object = {{name, summary, object##_table, sizeof(random_options)}, function}

GENERATOR(gs_random_rows, "random",
          "entries in random columns; if square, strictly diagonally dominant", generate_random,
          ROWS(10000), COLS, LENGTH(10), SEED);
GENERATOR(gs_emptyrows, "emptyrows", "as random, but a fraction of the rows is empty",
          generate_random, ROWS(10000), COLS, LENGTH(10),
          OPTION(share, "fraction of the rows that are empty", GSOLVE_REAL, 0.5, 0, 1), SEED);
GENERATOR(gs_lp, "lp",
          "linear program, fewer rows than columns: random constraints, each with a slack "
          "variable",
          generate_lp, ROWS(1000),
          OPTION(cols, "columns, including slack variables", GSOLVE_INT, 10000, 0, GS_MOST_ROWS),
          LENGTH(20), SEED);
