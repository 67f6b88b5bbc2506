/* block_support.h: helpers of the tests with several right-hand sides. */
#ifndef TESTS_BLOCK_SUPPORT_H
#define TESTS_BLOCK_SUPPORT_H

#include "tests/common.h"

#include <math.h>

enum { K = 11 }; /* more columns than one launch handles, and not a power of two */

typedef struct set_ {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    gsolve_precond *M;
    int32_t n;
    double *b, *x, *other;
} set_;

static inline gsolve_dense dense(double *v, int32_t n, int32_t columns)
{
    return (gsolve_dense){n, columns, n, v, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static inline set_ open_set(const char *name, const char *format, const char *precond)
{
    set_ s = {.ctx = open_context(1)};

    s.csr = read_matrix(s.ctx, name);
    s.n = s.csr.nrows;
    s.b = random_vector((int64_t)s.n * K, 17);
    s.x = calloc((size_t)s.n * K, 8);
    s.other = calloc((size_t)s.n * K, 8);
    OK(s.ctx, gsolve_matrix_create(&s.A, s.ctx, format, &s.csr));
    OK(s.ctx, gsolve_precond_create(&s.M, s.ctx, precond, &s.csr));
    return s;
}

static inline void close_set(set_ *s)
{
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
    gsolve_csr_free(&s->csr, s->ctx);
    free(s->b);
    free(s->x);
    free(s->other);
    close_context(s->ctx);
}

/* Checks |b - A x| / |b| of every column against its result, so that a column in a wrong place
 * fails.
 */
static inline void check_columns(const set_ *s, const gsolve_solver *S, double rtol)
{
    double *residual = calloc(K, 8);

    OK(s->ctx, gsolve_matrix_residual(s->A, dense(s->b, s->n, K), dense(s->x, s->n, K), residual));
    for (int32_t c = 0; c < K; c++) {
        gsolve_result column = GSOLVE_INIT(gsolve_result);
        OK(s->ctx, gsolve_solver_column(S, c, &column));
        assert_int_equal(column.outcome, GSOLVE_CONVERGED);
        assert_true(residual[c] <= rtol);
        assert_true(fabs(residual[c] - column.relative_residual) <= 1e-3 * residual[c] + 1e-14);
    }
    free(residual);
}

/* Sets first guesses of different quality, so that the columns end after different numbers of
 * steps. Column 4 has b = 0, and column 7 begins at the solution. */
static inline void spread(set_ *s, const char *method)
{
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(s->b + (size_t)s->n * 4, 0, (size_t)s->n * 8);
    OK(s->ctx, gsolve_solver_create(&S, s->ctx, method, s->A, s->M));
    memset(s->other, 0, (size_t)s->n * K * 8);
    OK(s->ctx, gsolve_solver_run(S, dense(s->b, s->n, K), dense(s->other, s->n, K), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    for (int32_t c = 0; c < K; c++) {
        const double away = c == 7 ? 0 : pow(10, -(c * 5 % K));
        for (int64_t i = 0; i < s->n; i++) {
            s->x[c * s->n + i] = s->other[c * s->n + i] + away * s->b[c * s->n + i];
        }
    }
    gsolve_solver_destroy(&S);
}

#endif
