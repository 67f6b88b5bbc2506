/* prepare.c: the arrays that the rounds of gsolve compare work on. */
#include <string.h>

#include "cli/compare/bench.h"

size_t cmp_bytes_of(gsolve_dense v)
{
    return (size_t)v.nrows * (size_t)v.ncols *
           (v.type == GSOLVE_F32 ? sizeof(float) : sizeof(double));
}

gsolve_dense cmp_column(gsolve_dense v, int32_t j)
{
    const size_t size = v.type == GSOLVE_F32 ? sizeof(float) : sizeof(double);

    v.value = (char *)v.value + (size_t)(j * v.stride) * size;
    v.ncols = 1;
    return v;
}

bool cmp_new_vector(gsolve_context *ctx, gsolve_dense *v, int32_t nrows, int32_t ncols,
                    gsolve_type type, gsolve_location location)
{
    *v = (gsolve_dense){nrows, ncols, nrows, NULL, type, location, GSOLVE_COLUMN_MAJOR};
    v->value = gsolve_alloc(ctx, location, cmp_bytes_of(*v), 1);
    return v->value != NULL;
}

gsolve_status cmp_put_columns(gsolve_context *ctx, gsolve_dense to, gsolve_dense from)
{
    const size_t column = (size_t)from.nrows * sizeof(double);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < from.ncols && status == GSOLVE_OK; c++) {
        status =
            gsolve_copy(ctx, (double *)to.value + (int64_t)c * to.stride, to.location,
                        (const double *)from.value + (int64_t)c * from.stride, GSOLVE_HOST, column);
    }
    return status;
}

/* Fills the columns of x, which have the same values, and computes the reference product. */
static int fill_x(cmp_bench *t)
{
    const cli_rows rows = t->m->backend->rows(t->m, &t->a->system);
    gsolve_dense given = {0};
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (cmp_new_vector(t->ctx, &given, t->x.nrows, 1, rows.type, GSOLVE_HOST)) status = GSOLVE_OK;
    for (int32_t j = 0; status == GSOLVE_OK && j < t->x.nrows; j++) {
        const double x = cmp_x(rows.cols.first + j, rows.type);
        if (rows.type == GSOLVE_F32) {
            ((float *)given.value)[j] = (float)x;
        } else {
            ((double *)given.value)[j] = x;
        }
    }
    for (int32_t c = 0; status == GSOLVE_OK && c < t->x.ncols; c++) {
        status = gsolve_copy(t->ctx, cmp_column(t->x, c).value, t->location, given.value,
                             GSOLVE_HOST, cmp_bytes_of(given));
    }
    gsolve_free(t->ctx, GSOLVE_HOST, given.value);
    if (t->m->backend->agree_status(t->m, status)) return cli_fail_library(t->m->c);
    return cmp_reference_make(t->m, &t->reference, &rows);
}

/* The vectors, and b on the device. */
static gsolve_status allocate(cmp_bench *t)
{
    const gsolve_dense b = t->a->system.b, x = t->a->system.x;
    const gsolve_type type = t->m->backend->rows(t->m, &t->a->system).type;
    const int32_t k = cmp_columns(t->m);
    const double zero = 0;
    gsolve_status status;

    if (!cmp_new_vector(t->ctx, &t->x, x.nrows, k, type, t->location) ||
        !cmp_new_vector(t->ctx, &t->y, b.nrows, k, type, t->location) ||
        !cmp_new_vector(t->ctx, &t->here, b.nrows, k, type, GSOLVE_HOST) ||
        !cmp_new_vector(t->ctx, &t->b, b.nrows, b.ncols, GSOLVE_F64, t->location) ||
        !cmp_new_vector(t->ctx, &t->sol, x.nrows, b.ncols, GSOLVE_F64, t->location) ||
        !(t->zeros = gsolve_alloc(t->ctx, GSOLVE_HOST, cmp_bytes_of(t->sol), 1)) ||
        !(t->flag = gsolve_alloc(t->ctx, t->location, 1, sizeof zero))) {
        return GSOLVE_NO_MEMORY;
    }
    memset(t->zeros, 0, cmp_bytes_of(t->sol));
    status = cmp_put_columns(t->ctx, t->b, b);
    if (status != GSOLVE_OK) return status;
    return gsolve_copy(t->ctx, t->flag, t->location, &zero, GSOLVE_HOST, sizeof zero);
}

int cmp_prepare(cmp_bench *t)
{
    const cmp *m = t->m;

    t->location = cmp_location(m);
    if (m->backend->agree_status(m, allocate(t))) return cli_fail_library(m->c);
    if (t->a->solves &&
        m->backend->precond(m, &t->a->system, t->a->precond, NULL, &t->M) != GSOLVE_OK) {
        return cli_fail_library(m->c);
    }
    return fill_x(t);
}

void cmp_release(cmp_bench *t)
{
    gsolve_precond_destroy(&t->M);
    cmp_reference_free(t->m, &t->reference);
    gsolve_free(t->ctx, t->location, t->x.value);
    gsolve_free(t->ctx, t->location, t->y.value);
    gsolve_free(t->ctx, GSOLVE_HOST, t->here.value);
    gsolve_free(t->ctx, t->location, t->b.value);
    gsolve_free(t->ctx, t->location, t->sol.value);
    gsolve_free(t->ctx, t->location, t->flag);
    gsolve_free(t->ctx, GSOLVE_HOST, t->zeros);
}
