/* check_product.c: compares a product with one computed from the rows in double precision. */
#include <float.h>
#include <math.h>

#include "cli/compare/compare.h"

static double value_at(const void *value, gsolve_type type, int64_t k)
{
    return type == GSOLVE_F32 ? (double)((const float *)value)[k] : ((const double *)value)[k];
}

double cmp_x(int64_t j, gsolve_type type)
{
    const double x = gsolve_random(1, (uint64_t)j);

    return type == GSOLVE_F32 ? (double)(float)x : x;
}

/* A sum of n products has an error of at most about n eps times the sum of their magnitudes. */
int cmp_reference_make(cmp *m, cmp_reference *t, const cli_rows *rows)
{
    const size_t n = (size_t)rows->rows.count;
    int64_t longest = 0;

    t->sum = gsolve_alloc(m->c->ctx, GSOLVE_HOST, n, sizeof *t->sum);
    t->size = gsolve_alloc(m->c->ctx, GSOLVE_HOST, n, sizeof *t->size);
    if (m->backend->agree_status(m, t->sum && t->size ? GSOLVE_OK : GSOLVE_NO_MEMORY)) {
        return cli_fail_library(m->c);
    }
    for (int32_t i = 0; i < rows->rows.count; i++) {
        const int64_t begin = cli_row_start(rows, i), end = cli_row_start(rows, i + 1);
        t->sum[i] = t->size[i] = 0;
        for (int64_t k = begin; k < end; k++) {
            const double term = cli_row_value(rows, k) * cmp_x(cli_row_column(rows, k), rows->type);
            t->sum[i] += term;
            t->size[i] += fabs(term);
        }
        if (end - begin > longest) longest = end - begin;
    }
    t->allowed = (cmp_largest(m, (double)longest) + 8) *
                 (rows->type == GSOLVE_F32 ? FLT_EPSILON : DBL_EPSILON);
    return 0;
}

void cmp_reference_free(cmp *m, cmp_reference *t)
{
    gsolve_free(m->c->ctx, GSOLVE_HOST, t->sum);
    gsolve_free(m->c->ctx, GSOLVE_HOST, t->size);
}

double cmp_error(const cmp_reference *t, gsolve_dense y)
{
    const double tiny = y.type == GSOLVE_F32 ? FLT_MIN : DBL_MIN; /* below, digits are lost */
    double worst = 0;

    for (int32_t i = 0; i < y.nrows && !isnan(worst); i++) {
        const double value = value_at(y.value, y.type, i), apart = fabs(value - t->sum[i]);
        const double error = value == t->sum[i] || apart <= tiny ? 0 : apart / t->size[i];
        if (!(error <= worst)) worst = error; /* nan too */
    }
    return worst;
}
