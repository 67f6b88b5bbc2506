/* operator_support.h: functions of a caller that stand on a matrix or a preconditioner of the
 * library, so that they run on every device; and blocks of vectors for the tests of operators. */
#ifndef TESTS_OPERATOR_SUPPORT_H
#define TESTS_OPERATOR_SUPPORT_H

#include <math.h>

#include "tests/common.h"

typedef struct callee {
    gsolve_matrix *A;  /* whose product the function computes */
    gsolve_precond *M; /* or that it applies */
    int calls, most_columns;
    int fails_at;         /* the call that fails, from 1; 0: none does */
    gsolve_status status; /* what that call returns */
    bool says;            /* it gives a sentence */
    bool waits;           /* it copies a number to the host, which waits for the stream */
} callee;

static inline gsolve_status count_call(gsolve_context *ctx, callee *f, gsolve_dense x,
                                       gsolve_dense y)
{
    double number = 0;

    f->calls++;
    if (x.ncols > f->most_columns) f->most_columns = x.ncols;
    assert_int_equal(x.ncols, y.ncols);
    assert_int_equal(x.layout, GSOLVE_COLUMN_MAJOR);
    assert_int_equal(y.layout, GSOLVE_COLUMN_MAJOR);
    assert_int_equal(x.location, gs_location(ctx));
    assert_int_equal(y.location, gs_location(ctx));
    assert_true(x.type == y.type);
    if (f->waits && x.nrows > 1) {
        const gsolve_status status =
            gsolve_copy(ctx, &number, GSOLVE_HOST, x.value, x.location, sizeof(float));
        if (status != GSOLVE_OK) return status;
    }
    if (f->fails_at == 0 || f->calls != f->fails_at) return GSOLVE_OK;
    return f->says ? gsolve_fail(ctx, f->status, "the caller's own sentence") : f->status;
}

static inline gsolve_status multiply(gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                     void *user)
{
    callee *f = user;
    const gsolve_status status = count_call(ctx, f, x, y);

    return status == GSOLVE_OK ? gsolve_matrix_apply(f->A, 1, x, 0, y) : status;
}

static inline gsolve_status multiply_transpose(gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                               void *user)
{
    callee *f = user;
    const gsolve_status status = count_call(ctx, f, x, y);

    return status == GSOLVE_OK ? gsolve_matrix_apply_transpose(f->A, 1, x, 0, y) : status;
}

/* y = NaN A x, for the matrix `user` */
static inline gsolve_status multiply_badly(gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                           void *user)
{
    (void)ctx;
    return gsolve_matrix_apply(user, NAN, x, 0, y);
}

static inline gsolve_status precondition(gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                         void *user)
{
    callee *f = user;
    const gsolve_status status = count_call(ctx, f, x, y);

    return status == GSOLVE_OK ? gsolve_precond_apply(f->M, x, y) : status;
}

/* A view of a block of vectors on the host. */
static inline gsolve_dense block_of(void *value, int32_t n, int32_t columns, gsolve_type type)
{
    return (gsolve_dense){n, columns, n, value, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static inline double block_at(gsolve_dense v, int64_t k)
{
    return v.type == GSOLVE_F32 ? (double)((float *)v.value)[k] : ((double *)v.value)[k];
}

/* A new block of random numbers; free its value. */
static inline gsolve_dense random_block(int32_t n, int32_t columns, gsolve_type type, uint64_t seed)
{
    const int64_t count = (int64_t)n * columns;
    gsolve_dense v = block_of(malloc(((size_t)count + 1) * 8), n, columns, type);

    for (int64_t k = 0; k < count; k++) {
        const double number = gsolve_random(seed, (uint64_t)k);
        if (type == GSOLVE_F32) ((float *)v.value)[k] = (float)number;
        if (type == GSOLVE_F64) ((double *)v.value)[k] = number;
    }
    return v;
}

/* A matrix of the library and an operator that calls it. */
typedef struct system_ {
    gsolve_context *ctx;
    gsolve_csr csr; /* on the host */
    gsolve_matrix *A, *op;
    callee f;
} system_;

static inline void open_system(system_ *s, const char *name, gsolve_type type)
{
    gsolve_csr wide;

    memset(s, 0, sizeof *s);
    s->ctx = open_context(2);
    wide = read_matrix(s->ctx, name);
    OK(s->ctx, gsolve_csr_convert(&s->csr, s->ctx, type, &wide));
    gsolve_csr_free(&wide, s->ctx);
    OK(s->ctx, gsolve_matrix_create(&s->A, s->ctx, "csr", &s->csr));
    s->f.A = s->A;
    OK(s->ctx, gsolve_matrix_create_operator(&s->op, s->ctx, s->csr.nrows, s->csr.ncols, type,
                                             multiply, multiply_transpose, &s->f));
}

/* A call must have failed with this status and a sentence that contains `says`. */
static inline void refuse(const system_ *s, gsolve_status got, gsolve_status status,
                          const char *says)
{
    if (got == status && strstr(gsolve_error(s->ctx), says)) return;
    fail_msg("status %d: %s", (int)got, gsolve_error(s->ctx));
}

static inline void close_system(system_ *s)
{
    gsolve_matrix_destroy(&s->op);
    gsolve_matrix_destroy(&s->A);
    gsolve_csr_free(&s->csr, s->ctx);
    close_context(s->ctx);
}

/* Solves with b = random numbers and fails unless the library's own rows confirm the residual. */
static inline gsolve_result solve_and_check(system_ *s, const char *spec, const gsolve_precond *M,
                                            int32_t columns, double most)
{
    const int32_t n = s->csr.nrows;
    gsolve_dense b = random_block(n, columns, s->csr.type, 3);
    gsolve_dense x = random_block(n, columns, s->csr.type, 4);
    double *residual = calloc((size_t)columns + 1, sizeof *residual);
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    OK(s->ctx, gsolve_solver_create(&S, s->ctx, spec, s->op, M));
    OK(s->ctx, gsolve_solver_run(S, b, x, &result));
    OK(s->ctx, gsolve_matrix_residual(s->A, b, x, residual));
    for (int32_t c = 0; c < columns; c++) {
        if (result.outcome == GSOLVE_CONVERGED && residual[c] <= most) continue;
        fail_msg("%s, column %d: %s", spec, c, gsolve_solver_explain(S));
    }
    gsolve_solver_destroy(&S);
    free(residual);
    free(b.value);
    free(x.value);
    return result;
}

#endif
