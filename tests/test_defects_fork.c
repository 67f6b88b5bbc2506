/* test_defects_fork.c: a child of fork computes after its parent used several threads. A child that
 * waits for threads that it does not have is killed by its alarm. */
#include <sys/wait.h>
#include <unistd.h>

#include "gsolve.h"
#include "tests/common.h"

enum { THREADS = 2, PATIENCE = 100 /* seconds until the alarm */ };

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    int32_t n;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    double *b, *x;
} problem;

typedef struct parts {
    const char *matrix, *format, *precond;
} parts;

static const parts cases[] = {
    {"gen:poisson3d,n=40", "csr", "ic"}, /* rows in levels for two threads */
    {"gen:poisson2d,n=120", "sell", "amg"},
    {"gen:poisson2d,n=120", "segmented", "jacobi"}};
enum { CASES = sizeof cases / sizeof *cases };

static problem open_problem(const parts *with)
{
    problem p = {.ctx = open_context(THREADS)};

    OK(p.ctx, gsolve_read_matrix(&p.csr, p.ctx, with->matrix, NULL, NULL));
    p.n = p.csr.nrows;
    p.b = malloc((size_t)p.n * sizeof *p.b);
    p.x = malloc((size_t)p.n * sizeof *p.x);
    OK(p.ctx, gsolve_matrix_create(&p.A, p.ctx, with->format, &p.csr));
    OK(p.ctx, gsolve_precond_create_from(&p.M, p.ctx, with->precond, p.A));
    OK(p.ctx, gsolve_solver_create(&p.S, p.ctx, "cg,rtol=1e-6", p.A, p.M));
    for (int i = 0; i < p.n; i++) p.b[i] = 1 + i % 3;
    return p;
}

static void close_problem(problem *p)
{
    gsolve_solver_destroy(&p->S);
    gsolve_precond_destroy(&p->M);
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, p->ctx);
    free(p->b);
    free(p->x);
    close_context(p->ctx);
}

static void solve(problem *p)
{
    const int32_t n = p->n;
    const gsolve_dense b = {n, 1, n, p->b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense x = {n, 1, n, p->x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(p->x, 0, (size_t)n * sizeof *p->x);
    OK(p->ctx, gsolve_solver_run(p->S, b, x, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
}

/* The code with which a child exits that runs work(data); negative: the signal that ended it. The
 * child leaves by _exit, which does nothing for the parent's memory and files. */
static int in_child(int (*work)(void *data), void *data)
{
    const pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(PATIENCE);
        _exit(work(data));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

typedef struct repetition {
    problem *p;
    const parts *with;
    const double *expected;
} repetition;

/* 0 if the parent's solver and a new one give the parent's bits. */
static int repeat(void *data)
{
    const repetition *r = data;
    const size_t bytes = (size_t)r->p->n * sizeof(double);
    problem own;

    OK(r->p->ctx, gsolve_precond_update(r->p->M, &r->p->csr));
    solve(r->p);
    if (memcmp(r->p->x, r->expected, bytes) != 0) return 1;
    own = open_problem(r->with);
    solve(&own);
    if (memcmp(own.x, r->expected, bytes) != 0) return 2;
    if (gsolve_threads(own.ctx) != 1 || gsolve_threads(r->p->ctx) != 1) return 3;
    close_problem(&own);
    return 0;
}

static void solves(void **state)
{
    (void)state;

    for (int k = 0; k < CASES; k++) {
        problem p = open_problem(&cases[k]);
        const size_t bytes = (size_t)p.n * sizeof(double);
        double *expected = malloc(bytes);
        repetition r = {&p, &cases[k], expected};
        solve(&p);
        memcpy(expected, p.x, bytes);
        assert_int_equal(in_child(repeat, &r), 0);
        assert_int_equal(gsolve_threads(p.ctx), THREADS); /* the parent keeps its threads */
        solve(&p);
        assert_memory_equal(p.x, expected, bytes);
        free(expected);
        close_problem(&p);
    }
}

typedef struct updated {
    gsolve_context *ctx;
    gsolve_csr A, C;
    gsolve_product *P;
    double *expected;
} updated;

static int update(void *data)
{
    updated *u = data;

    OK(u->ctx, gsolve_product_update(u->P, &u->A, &u->A));
    OK(u->ctx, gsolve_product_csr(u->P, &u->C));
    return memcmp(u->C.value, u->expected, (size_t)gsolve_csr_entries(&u->C) * sizeof(double)) != 0;
}

/* Plans of products keep a number of threads from one call to the next. */
static void products(void **state)
{
    static const char *const methods[] = {"gustavson", "esc"};
    (void)state;

    for (int k = 0; k < 2; k++) {
        updated u = {.ctx = open_context(THREADS)};
        OK(u.ctx, gsolve_read_matrix(&u.A, u.ctx, "gen:poisson2d,n=120", NULL, NULL));
        OK(u.ctx, gsolve_product_create(&u.P, u.ctx, methods[k], &u.A, &u.A));
        OK(u.ctx, gsolve_product_csr(u.P, &u.C));
        const size_t bytes = (size_t)gsolve_csr_entries(&u.C) * sizeof(double);
        u.expected = malloc(bytes);
        memcpy(u.expected, u.C.value, bytes);
        assert_int_equal(in_child(update, &u), 0);
        free(u.expected);
        gsolve_product_destroy(&u.P);
        gsolve_csr_free(&u.A, u.ctx);
        close_context(u.ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(products)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
