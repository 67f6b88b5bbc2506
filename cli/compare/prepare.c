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

/* Fills x with random numbers in its type, and computes the reference product. */
static int fill_x(cmp_bench *t)
{
    const gsolve_csr *A = &t->a->system.csr;
    const size_t n = (size_t)A->ncols;
    gsolve_dense given = {0};
    double *x = gsolve_alloc(t->ctx, GSOLVE_HOST, n, sizeof *x);
    int code = 0;

    if (!x || !cmp_new_vector(t->ctx, &given, A->ncols, 1, A->type, GSOLVE_HOST)) {
        code = cli_fail_library(t->m->c);
    }
    for (size_t j = 0; !code && j < n; j++) {
        x[j] = gsolve_random(1, j);
        if (A->type == GSOLVE_F32) {
            x[j] = ((float *)given.value)[j] = (float)x[j];
        } else {
            ((double *)given.value)[j] = x[j];
        }
    }
    for (int32_t c = 0; !code && c < t->x.ncols; c++) { /* all columns have the same values */
        if (gsolve_copy(t->ctx, cmp_column(t->x, c).value, t->location, given.value, GSOLVE_HOST,
                        cmp_bytes_of(given)) != GSOLVE_OK) {
            code = cli_fail_library(t->m->c);
        }
    }
    if (!code) code = cmp_reference_make(t->m, &t->reference, A, x);
    gsolve_free(t->ctx, GSOLVE_HOST, x);
    gsolve_free(t->ctx, GSOLVE_HOST, given.value);
    return code;
}

int cmp_prepare(cmp_bench *t)
{
    const gsolve_csr *A = &t->a->system.csr;
    const gsolve_dense b = t->a->system.b;
    const int32_t k = cmp_columns(t->m);
    const double zero = 0;

    t->location = strcmp(t->m->device.device, "cpu") == 0 ? GSOLVE_HOST : GSOLVE_DEVICE;
    const bool made =
        cmp_new_vector(t->ctx, &t->x, A->ncols, k, A->type, t->location) &&
        cmp_new_vector(t->ctx, &t->y, A->nrows, k, A->type, t->location) &&
        cmp_new_vector(t->ctx, &t->here, A->nrows, k, A->type, GSOLVE_HOST) &&
        cmp_new_vector(t->ctx, &t->b, b.nrows, b.ncols, GSOLVE_F64, t->location) &&
        cmp_new_vector(t->ctx, &t->sol, A->ncols, b.ncols, GSOLVE_F64, t->location) &&
        (t->zeros = gsolve_alloc(t->ctx, GSOLVE_HOST, cmp_bytes_of(t->sol), 1)) != NULL &&
        (t->flag = gsolve_alloc(t->ctx, t->location, 1, sizeof zero)) != NULL;

    if (!made || cmp_put_columns(t->ctx, t->b, b) != GSOLVE_OK ||
        gsolve_copy(t->ctx, t->flag, t->location, &zero, GSOLVE_HOST, sizeof zero) != GSOLVE_OK) {
        return cli_fail_library(t->m->c);
    }
    memset(t->zeros, 0, cmp_bytes_of(t->sol));
    if (t->a->solves && gsolve_precond_create(&t->M, t->ctx, t->a->precond, A) != GSOLVE_OK) {
        return cli_fail_library(t->m->c);
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

static bool copy_array(gsolve_context *ctx, gsolve_location location, const void **copy,
                       const void *from, size_t bytes)
{
    void *to = gsolve_alloc(ctx, location, bytes, 1);

    *copy = to;
    return to && gsolve_copy(ctx, to, location, from, GSOLVE_HOST, bytes) == GSOLVE_OK;
}

bool cmp_copy_rows(gsolve_context *ctx, gsolve_location location, const gsolve_csr *A,
                   gsolve_csr *copy)
{
    const size_t entries = (size_t)gsolve_csr_entries(A);
    const size_t offset = A->offset == GSOLVE_O64 ? sizeof(int64_t) : sizeof(int32_t);
    const size_t value = A->type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
    const void *start, *col = NULL, *values = NULL;
    const bool made =
        copy_array(ctx, location, &start, A->start, ((size_t)A->nrows + 1) * offset) &&
        copy_array(ctx, location, &col, A->col, entries * sizeof(int32_t)) &&
        copy_array(ctx, location, &values, A->value, entries * value);

    *copy = (gsolve_csr){A->nrows, A->ncols,  start,   (const int32_t *)col,
                         values,   A->offset, A->type, location};
    return made;
}
