/* settings_support.h: a system and its solvers, for the tests of what a caller sets between runs.
 */
#ifndef TESTS_SETTINGS_SUPPORT_H
#define TESTS_SETTINGS_SUPPORT_H

#include <math.h>

#include "tests/common.h"

#define NELEM(array) (sizeof(array) / sizeof *(array))

/* A x = b with several columns in one type. The columns of b have very different norms. */
typedef struct trial {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    gsolve_precond *M; /* or NULL */
    gsolve_type type;
    int32_t n, columns;
    size_t bytes; /* of x */
    void *b, *x;
} trial;

static inline double trial_number(const trial *t, const void *v, int64_t i)
{
    return t->type == GSOLVE_F32 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

static inline trial open_trial(gsolve_context *ctx, const char *matrix, const char *precond,
                               gsolve_type type, int32_t columns)
{
    trial t = {.ctx = ctx, .type = type, .columns = columns};
    gsolve_csr wide = read_matrix(ctx, matrix);
    const size_t size = type == GSOLVE_F32 ? sizeof(float) : sizeof(double);

    OK(ctx, gs_csr_copy(&t.csr, ctx, type, &wide));
    gsolve_csr_free(&wide, ctx);
    OK(ctx, gsolve_matrix_create(&t.A, ctx, "csr", &t.csr));
    if (precond) OK(ctx, gsolve_precond_create(&t.M, ctx, precond, &t.csr));
    t.n = t.csr.nrows;
    t.bytes = (size_t)t.n * (size_t)columns * size;
    t.b = malloc(t.bytes);
    t.x = malloc(t.bytes);
    for (int64_t i = 0; i < (int64_t)t.n * columns; i++) {
        const double value = (1 + gsolve_random(5, (uint64_t)i)) * pow(10, (double)(i / t.n));
        if (type == GSOLVE_F32) ((float *)t.b)[i] = (float)value;
        if (type == GSOLVE_F64) ((double *)t.b)[i] = value;
    }
    return t;
}

static inline void close_trial(trial *t)
{
    gsolve_precond_destroy(&t->M);
    gsolve_matrix_destroy(&t->A);
    gsolve_csr_free(&t->csr, t->ctx);
    free(t->b);
    free(t->x);
}

static inline gsolve_dense dense_of(const trial *t, void *value)
{
    return (gsolve_dense){t->n, t->columns, t->n, value, t->type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

/* Runs S from x = 0. */
static inline gsolve_result run_trial(const trial *t, gsolve_solver *S)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(t->x, 0, t->bytes);
    OK(t->ctx, gsolve_solver_run(S, dense_of(t, t->b), dense_of(t, t->x), &result));
    return result;
}

static inline gsolve_solver *solver_of(const trial *t, const char *spec)
{
    gsolve_solver *S = NULL;

    OK(t->ctx, gsolve_solver_create(&S, t->ctx, spec, t->A, t->M));
    return S;
}

static inline int64_t allocations_of(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context_describe(ctx, &info);
    return info.allocations;
}

/* `one` and `two`: allocations of two equal pieces of work, of which the first follows a setting.
 * The CPU allocates nothing; other devices may stage copies, which do not depend on the setting. */
static inline void assert_no_allocations(const gsolve_context *ctx, int64_t one, int64_t two)
{
    assert_int_equal(one, two);
    if (gs_location(ctx) == GSOLVE_HOST) assert_int_equal(one, 0);
}

/* |b|, or |b - A x| if of_residual, of a column. */
static inline double column_norm(const trial *t, int32_t c, bool of_residual)
{
    const int64_t at = (int64_t)c * t->n;
    double sum = 0;

    for (int32_t i = 0; i < t->n; i++) {
        double r = trial_number(t, t->b, at + i);
        for (int64_t e = gs_start(&t->csr, i); of_residual && e < gs_start(&t->csr, i + 1); e++) {
            r -= gs_value(&t->csr, e) * trial_number(t, t->x, at + t->csr.col[e]);
        }
        sum += r * r;
    }
    return sqrt(sum);
}

#endif
