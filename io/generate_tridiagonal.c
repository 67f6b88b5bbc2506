/* generate_tridiagonal.c: three diagonals, each of one value. */
#include "io/generators.h"

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
    const double band[3] = {o->low, o->diag, o->high};
    int64_t count = 0;

    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < o->n; j++) {
        col[count] = j;
        value[count++] = band[j - i + 1];
    }
    return count;
}

static gsolve_status generate_tridiagonal(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const int64_t n = ((const tridiagonal_options *)options)->n;
    const gs_row_source source = {n, n, count_tridiagonal, fill_tridiagonal, options};
    return gs_csr_by_rows(csr, ctx, &source);
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
