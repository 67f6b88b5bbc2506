/* generate_@NAME@.c: a path of n points: 2 on the diagonal, -1 between neighbours. */
#include "io/generators.h"

typedef struct @NAME @_options
{
    int n;
}
@NAME @_options;

static int64_t count(const void *model, int32_t i)
{
    return 1 + (i > 0) + (i + 1 < ((const @NAME @_options *)model)->n);
}

/* Row i, columns ascending. Rows are made by many threads at once, in any order. */
static int64_t fill(const void *model, int32_t i, int32_t *col, double *value)
{
    const @NAME @_options *o = model;
    int64_t entries = 0;

    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < o->n; j++) {
        col[entries] = j;
        value[entries++] = j == i ? 2 : -1;
    }
    return entries;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const int64_t n = ((const @NAME @_options *)options)->n;
    const gs_row_source source = {n, n, count, fill, options};

    return gs_csr_by_rows(csr, ctx, &source);
}

static const gsolve_option options[] = {
    {"n", "points", GSOLVE_INT, offsetof(@NAME @_options, n), 1000, 0, GS_MOST_ROWS, NULL},
    {0},
};

const gs_generator gs_ @NAME @ = {
    {"@NAME@", "a path of points; SPD", options, sizeof(@NAME @_options)},
    generate,
};
