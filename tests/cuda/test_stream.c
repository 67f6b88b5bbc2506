/* test_stream.c: a context that works on the caller's stream. With the CUDA runtime's own header,
 * and so built where CUDA is. */
#include "tests/common.h"

#include <cuda_runtime_api.h>
#include <math.h>

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

typedef struct problem {
    gsolve_csr csr;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    double *b, *x;
} problem;

static problem make_problem(gsolve_context *ctx, const char *format, const char *precond)
{
    problem p = {.csr = read_matrix(ctx, "gen:poisson3d,n=30")};

    OK(ctx, gsolve_matrix_create(&p.A, ctx, format, &p.csr));
    OK(ctx, gsolve_precond_create(&p.M, ctx, precond, &p.csr));
    OK(ctx, gsolve_solver_create(&p.S, ctx, "cg,rtol=1e-10", p.A, p.M));
    p.b = random_vector(p.csr.nrows, 1);
    p.x = calloc((size_t)p.csr.nrows, sizeof *p.x);
    return p;
}

static void drop_problem(gsolve_context *ctx, problem *p)
{
    gsolve_solver_destroy(&p->S);
    gsolve_precond_destroy(&p->M);
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, ctx);
    free(p->b);
    free(p->x);
}

static void solve(gsolve_context *ctx, problem *p)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(p->x, 0, (size_t)p->csr.nrows * sizeof *p->x);
    OK(ctx, gsolve_solver_run(p->S, gsolve_vector(p->b, p->csr.nrows),
                              gsolve_vector(p->x, p->csr.nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
}

/* ours: the same bits; else those of the vendor's library, which need not be. */
static void compare(const problem *p, const double *first, bool ours)
{
    for (int32_t i = 0; i < p->csr.nrows; i++) {
        const double apart = fabs(p->x[i] - first[i]);
        if (!(apart <= (ours ? 0 : 1e-7))) fail_msg("x[%d] differs by %g", i, apart);
    }
}

/* What was made and recorded on one stream runs on others with the same results: those of the
 * caller, CUDA's default one, where nothing is recorded, and a thread's. */
static void change_streams(gsolve_context *ctx, const char *format, const char *precond)
{
    const bool ours = strcmp(format, "csr") == 0;
    cudaStream_t mine[] = {new_stream(), new_stream(), NULL, cudaStreamPerThread};
    problem p = make_problem(ctx, format, precond);
    const size_t bytes = (size_t)p.csr.nrows * sizeof(double);
    double *first = malloc(bytes);

    solve(ctx, &p);
    memcpy(first, p.x, bytes);
    for (int k = 0; k < 4; k++) {
        OK(ctx, gsolve_context_use_stream(ctx, mine[k]));
        assert_ptr_equal(gsolve_stream(ctx), mine[k]);
        for (int again = 0; again < 2; again++) {
            solve(ctx, &p);
            compare(&p, first, ours);
        }
    }
    drop_problem(ctx, &p); /* in the order of the last stream */
    OK(ctx, gsolve_context_use_stream(ctx, mine[0]));
    p = make_problem(ctx, format, precond); /* and all anew on one of the caller's */
    solve(ctx, &p);
    compare(&p, first, ours);
    drop_problem(ctx, &p);
    free(first);
    OK(ctx, gsolve_context_use_stream(ctx, cudaStreamPerThread));
    CUDA(cudaStreamDestroy(mine[0]));
    CUDA(cudaStreamDestroy(mine[1]));
}

static void solvers_change_streams(void **state)
{
    gsolve_context *ctx = open_cuda();

    (void)state;
    if (!ctx) skip();
    change_streams(ctx, "csr", "jacobi");
    change_streams(ctx, "cusparse", "ic");
    close_context(ctx);
}

/* A product comes after what the caller gave to the stream before, and before what comes after,
 * without any wait in between. */
static void work_is_in_order(void **state)
{
    gsolve_context *ctx = open_cuda();
    const size_t much = (size_t)1 << 30;
    (void)state;

    if (!ctx) skip();
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=100");
    const size_t n = (size_t)csr.nrows, bytes = n * sizeof(double);
    cudaStream_t stream = new_stream();
    gsolve_matrix *A = NULL;
    double *x, *y, *expected = calloc(n, sizeof *expected), *host = random_vector(csr.nrows, 5);
    char *load;

    OK(ctx, gsolve_context_use_stream(ctx, stream));
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_matrix_apply(A, 1, gsolve_vector(host, csr.nrows), 0,
                                gsolve_vector(expected, csr.nrows)));
    CUDA(cudaMallocHost((void **)&x, bytes));
    CUDA(cudaMallocHost((void **)&y, bytes));
    memcpy(x, host, bytes);
    CUDA(cudaMalloc((void **)&load, much));
    gsolve_dense X = gsolve_vector(NULL, csr.nrows), Y = X;
    X.location = Y.location = GSOLVE_DEVICE;
    X.value = gsolve_alloc(ctx, GSOLVE_DEVICE, n, sizeof *x);
    Y.value = gsolve_alloc(ctx, GSOLVE_DEVICE, n, sizeof *x);
    for (int k = 0; k < 20; k++) CUDA(cudaMemsetAsync(load, k, much, stream)); /* some 10 ms */
    CUDA(cudaMemcpyAsync(X.value, x, bytes, cudaMemcpyHostToDevice, stream));
    OK(ctx, gsolve_matrix_apply(A, 1, X, 0, Y));
    CUDA(cudaMemcpyAsync(y, Y.value, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    assert_memory_equal(y, expected, bytes);
    gsolve_free(ctx, GSOLVE_DEVICE, X.value);
    gsolve_free(ctx, GSOLVE_DEVICE, Y.value);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
    CUDA(cudaStreamQuery(stream)); /* still the caller's */
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(load));
    CUDA(cudaFreeHost(x));
    CUDA(cudaFreeHost(y));
    free(expected);
    free(host);
}

/* A stream that is being captured; the context's own, given back to it. */
static void streams_are_checked(void **state)
{
    gsolve_context *ctx = open_cuda();
    cudaGraph_t graph;
    (void)state;

    if (!ctx) skip();
    void *own = gsolve_stream(ctx);
    cudaStream_t stream = new_stream();
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    assert_int_equal(gsolve_context_use_stream(ctx, stream), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "captured"));
    assert_ptr_equal(gsolve_stream(ctx), own);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphDestroy(graph));
    OK(ctx, gsolve_context_use_stream(ctx, own));
    problem p = make_problem(ctx, "csr", "jacobi");
    solve(ctx, &p);
    drop_problem(ctx, &p);
    OK(ctx, gsolve_context_use_stream(ctx, stream));
    close_context(ctx);
    CUDA(cudaStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solvers_change_streams),
                                       cmocka_unit_test(work_is_in_order),
                                       cmocka_unit_test(streams_are_checked)};

    need_cuda();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
