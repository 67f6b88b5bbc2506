/* generate_template_name.c: a path of n points: 2 on the diagonal, -1 between neighbours. */
#include "io/generators.h"

typedef struct template_name_options {
    int n;
} template_name_options;

static int64_t count(const void *model, int32_t i)
{
    return 1 + (i > 0) + (i + 1 < ((const template_name_options *)model)->n);
}

/* Writes row i with ascending columns. Several threads call it at once, for rows in any order. */
static int64_t fill(const void *model, int32_t i, int32_t *col, double *value)
{
    const template_name_options *o = model;
    int64_t entries = 0;

    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < o->n; j++) {
        col[entries] = j;
        value[entries++] = j == i ? 2 : -1;
    }
    return entries;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                              gs_row_slice *slice)
{
    const int64_t n = ((const template_name_options *)options)->n;
    const gs_row_source source = {n, n, count, fill, options};

    return gs_csr_by_rows(csr, ctx, &source, slice);
}

static const gsolve_option options[] = {
    {"n", "points", GSOLVE_INT, offsetof(template_name_options, n), 1000, 0, GS_MOST_ROWS, NULL},
    {0},
};

const gs_generator gs_template_name = {
    {"template_name", "FILL-IN: a path of points; SPD", options, sizeof(template_name_options)},
    generate,
};
