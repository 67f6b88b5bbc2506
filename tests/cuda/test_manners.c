/* test_manners.c: what belongs to the caller and to the process stays as it was: the current
 * context and device of a thread, a pending error, the default memory pool; memory goes back; two
 * contexts work in two threads. The test and the library are linked to the same copy of the CUDA
 * runtime, so they share its last error. */
#include "tests/common.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <time.h>

#define CUDA(call) assert_int_equal((call), cudaSuccess)
#define MB         ((size_t)1 << 20)

enum { ROWS = 20 * 20 * 20 };

static gsolve_context *open_gpu(const char *spec)
{
    gsolve_context *ctx = NULL;

    if (gsolve_context_create(&ctx, spec)) fail_msg("%s: %s", spec, gsolve_error(NULL));
    return ctx;
}

/* Uses kernels, CUB, cuSPARSE, a graph, copies and the resident steps. Returns the status. */
static gsolve_status solve(gsolve_context *ctx, const char *precond, double x[ROWS])
{
    gsolve_csr csr = {0};
    gsolve_precond *M = NULL;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double *b = malloc(ROWS * sizeof *b);
    gsolve_status status = gsolve_read_matrix(&csr, ctx, "gen:poisson3d,n=20", NULL, NULL);

    for (int i = 0; i < ROWS; i++) b[i] = 1 + i % 7, x[i] = 0;
    if (!status) status = gsolve_matrix_create(&A, ctx, "sell", &csr);
    if (!status) status = gsolve_precond_create_from(&M, ctx, precond, A);
    if (!status) status = gsolve_solver_create(&S, ctx, "cg", A, M);
    if (!status) {
        status = gsolve_solver_run(S, gsolve_vector(b, ROWS), gsolve_vector(x, ROWS), &result);
    }
    if (!status && result.outcome != GSOLVE_CONVERGED) status = GSOLVE_DEVICE_FAILED;
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    return status;
}

static void solve_by_all(gsolve_context *ctx)
{
    static const char *const preconds[] = {"jacobi", "ic", "amg"};
    static double x[ROWS];

    for (int k = 0; k < 3; k++) OK(ctx, solve(ctx, preconds[k], x));
}

/* --- the default memory pool ------------------------------------------------------------------ */

static uint64_t default_threshold(void)
{
    cudaMemPool_t pool;
    uint64_t bytes = 1;

    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
    return bytes;
}

static void default_pool_is_not_used(void **state)
{
    const uint64_t before = default_threshold();
    gsolve_context *ctx = open_gpu("cuda");
    static double x[ROWS];
    cudaMemPool_t pool;
    uint64_t most = 1;
    (void)state;

    OK(ctx, solve(ctx, "jacobi", x)); /* without cuSPARSE, which may use the default pool */
    OK(ctx, solve(ctx, "amg", x));
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
    assert_int_equal(most, 0);
    solve_by_all(ctx);
    gsolve_context_destroy(&ctx);
    assert_int_equal(default_threshold(), before);
}

/* --- the pending error ------------------------------------------------------------------------ */

static void keep_error(gsolve_context *ctx, cudaError_t code)
{
    static double x[ROWS];
    gsolve_context *other;

    assert_int_equal(cudaPeekAtLastError(), code);
    OK(ctx, solve(ctx, "ic", x));
    assert_int_equal(cudaPeekAtLastError(), code);
    other = open_gpu("cuda");
    assert_int_equal(cudaPeekAtLastError(), code);
    OK(other, solve(other, "amg", x));
    gsolve_context_destroy(&other);
    assert_int_equal(cudaGetLastError(), code);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void error_stays_pending(void **state)
{
    gsolve_context *ctx = open_gpu("cuda");
    cudaEvent_t event;
    void *block;
    (void)state;

    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_not_equal(cudaEventCreateWithFlags(&event, 0xffff), cudaSuccess);
    keep_error(ctx, cudaErrorInvalidValue);
    assert_int_not_equal(cudaMalloc(&block, (size_t)1 << 60), cudaSuccess);
    keep_error(ctx, cudaErrorMemoryAllocation);
    gsolve_context_destroy(&ctx);
}

/* A call that fails leaves no error behind. */
static void failure_leaves_no_error(void **state)
{
    gsolve_context *ctx = open_gpu("cuda"), *none = NULL;
    int devices = 0;
    (void)state;

    assert_null(gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)1 << 60, 1));
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    CUDA(cudaGetDeviceCount(&devices));
    assert_true(devices < 1000);
    assert_int_equal(gsolve_context_create(&none, "cuda,index=1000"), GSOLVE_NO_DEVICE);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    gsolve_context_destroy(&ctx);
}

/* --- the current context ---------------------------------------------------------------------- */

static void *driver_function(const char *name)
{
    enum cudaDriverEntryPointQueryResult found;
    void *function = NULL;

#if CUDART_VERSION >= 12050
    CUDA(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
#else
    CUDA(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found));
#endif
    assert_non_null(function);
    return function;
}

typedef CUresult get_function(CUcontext *);
typedef CUresult set_function(CUcontext);
typedef struct driver {
    get_function *get;
    set_function *set;
    CUcontext at_start, at_end;
    gsolve_status status;
} driver;

/* In a thread that has not used CUDA: there is no current context, before and after. */
static void *use_in_new_thread(void *user)
{
    driver *d = user;
    gsolve_context *ctx = NULL;
    double *x = malloc(ROWS * sizeof *x);

    d->get(&d->at_start);
    d->status = gsolve_context_create(&ctx, "cuda");
    if (!d->status) d->status = solve(ctx, "jacobi", x);
    gsolve_context_destroy(&ctx);
    d->get(&d->at_end);
    free(x);
    return NULL;
}

static void thread_without_context(void **state)
{
    driver d = {.status = GSOLVE_DEVICE_FAILED, .at_end = (CUcontext)(uintptr_t)1};
    pthread_t thread;
    (void)state;

    *(void **)&d.get = driver_function("cuCtxGetCurrent");
    assert_int_equal(pthread_create(&thread, NULL, use_in_new_thread, &d), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(d.status, GSOLVE_OK);
    assert_null(d.at_start);
    assert_null(d.at_end);
}

/* No context is current although the caller has used CUDA. */
static void context_popped(void **state)
{
    gsolve_context *ctx = open_gpu("cuda");
    CUcontext before = NULL, after = (CUcontext)(uintptr_t)1;
    driver d;
    int device = -1;
    (void)state;

    *(void **)&d.get = driver_function("cuCtxGetCurrent");
    *(void **)&d.set = driver_function("cuCtxSetCurrent");
    CUDA(cudaSetDevice(0));
    CUDA(cudaFree(NULL));
    assert_int_equal(d.get(&before), CUDA_SUCCESS);
    assert_non_null(before);
    assert_int_equal(d.set(NULL), CUDA_SUCCESS);
    solve_by_all(ctx);
    assert_int_equal(d.get(&after), CUDA_SUCCESS);
    assert_null(after);
    assert_int_equal(d.set(before), CUDA_SUCCESS);
    solve_by_all(ctx);
    assert_int_equal(d.get(&after), CUDA_SUCCESS);
    assert_ptr_equal(after, before);
    gsolve_context_destroy(&ctx);
    CUDA(cudaGetDevice(&device));
    assert_int_equal(device, 0);
}

/* With several GPUs: the caller works on the last and gsolve on the first. */
static void other_device_is_current(void **state)
{
    gsolve_context *ctx;
    int devices = 0, device = -1;
    (void)state;

    CUDA(cudaGetDeviceCount(&devices));
    CUDA(cudaSetDevice(devices - 1));
    ctx = open_gpu("cuda,index=0");
    solve_by_all(ctx);
    CUDA(cudaGetDevice(&device));
    assert_int_equal(device, devices - 1);
    gsolve_context_destroy(&ctx);
    CUDA(cudaGetDevice(&device));
    assert_int_equal(device, devices - 1);
    CUDA(cudaSetDevice(0));
}

/* --- memory ----------------------------------------------------------------------------------- */

static size_t free_bytes(void)
{
    size_t unused, total;

    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemGetInfo(&unused, &total));
    return unused;
}

/* Freed memory is kept, and trim and destroy give it back. Other processes may allocate meanwhile,
 * so the bounds are wide. */
static void memory_goes_back(void **state)
{
    gsolve_context *ctx = open_gpu("cuda");
    const size_t before = free_bytes();
    void *block = gsolve_alloc(ctx, GSOLVE_DEVICE, 1024 * MB, 1);
    (void)state;

    assert_non_null(block);
    gsolve_free(ctx, GSOLVE_DEVICE, block);
    printf("free: %zu MB, after an allocation of 1024 MB was freed %zu MB, ", before / MB,
           free_bytes() / MB);
    OK(ctx, gsolve_context_trim(ctx));
    printf("after gsolve_context_trim %zu MB\n", free_bytes() / MB);
    assert_true(free_bytes() + 512 * MB > before);
    block = gsolve_alloc(ctx, GSOLVE_DEVICE, 1024 * MB, 1);
    assert_non_null(block);
    gsolve_context_destroy(&ctx);
    assert_true(free_bytes() + 512 * MB > before);
}

static void limit_on_the_gpu(void **state)
{
    gsolve_context *ctx = open_gpu("cuda,memory=1e8");
    size_t unused, total;
    void *block;
    (void)state;

    OK(ctx, gsolve_context_memory(ctx, &unused, &total));
    assert_int_equal(unused, 100000000);
    assert_int_equal(total, 100000000);
    assert_null(gsolve_alloc(ctx, GSOLVE_DEVICE, 200, 1000000));
    assert_non_null(strstr(gsolve_error(ctx), "limited to 100000000 bytes (option memory)"));
    block = gsolve_alloc(ctx, GSOLVE_DEVICE, 100, 1000000);
    assert_non_null(block);
    gsolve_free(ctx, GSOLVE_DEVICE, block);
    solve_by_all(ctx);
    gsolve_context_destroy(&ctx);
}

static int64_t blocks;

static void *allocate(size_t bytes, void *stream, void *user)
{
    void *block = NULL;

    if (cudaMallocAsync(&block, bytes, (cudaStream_t)stream) != cudaSuccess) return NULL;
    ++*(int64_t *)user;
    return block;
}

static void release(void *block, size_t bytes, void *stream, void *user)
{
    (void)bytes;
    CUDA(cudaFreeAsync(block, (cudaStream_t)stream));
    --*(int64_t *)user;
}

static void callers_device_memory(void **state)
{
    const gsolve_context_options options = {.size = sizeof options,
                                            .user = &blocks,
                                            .allocate_device = allocate,
                                            .release_device = release};
    gsolve_context *ctx = NULL;
    void *block;
    (void)state;

    assert_int_equal(gsolve_context_create_with(&ctx, "cuda", &options), GSOLVE_OK);
    block = gsolve_alloc(ctx, GSOLVE_DEVICE, 1000, 1);
    assert_non_null(block);
    assert_int_equal(blocks, 1);
    solve_by_all(ctx);
    assert_int_equal(blocks, 1);
    gsolve_context_destroy(&ctx);
    assert_int_equal(blocks, 0);
}

/* --- two threads, and times ------------------------------------------------------------------- */

typedef struct work {
    gsolve_status status;
    double x[ROWS];
} work;

static void *solve_in_thread(void *user)
{
    work *w = user;

    for (int k = 0; k < 5 && w->status == GSOLVE_OK; k++) {
        gsolve_context *ctx = NULL;
        w->status = gsolve_context_create(&ctx, "cuda");
        for (int run = 0; run < 4 && w->status == GSOLVE_OK; run++) {
            w->status = solve(ctx, run % 2 ? "amg" : "jacobi", w->x);
        }
        gsolve_context_destroy(&ctx);
    }
    return NULL;
}

/* Small systems run in one kernel that takes many multiprocessors; two such kernels wait for each
 * other and both end. */
static void two_threads(void **state)
{
    work *w = calloc(3, sizeof *w);
    pthread_t thread[2];
    (void)state;

    for (int k = 0; k < 2; k++) {
        assert_int_equal(pthread_create(&thread[k], NULL, solve_in_thread, &w[k]), 0);
    }
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    solve_in_thread(&w[2]);
    for (int k = 0; k < 3; k++) assert_int_equal(w[k].status, GSOLVE_OK);
    assert_memory_equal(w[0].x, w[2].x, sizeof w->x);
    assert_memory_equal(w[1].x, w[2].x, sizeof w->x);
    free(w);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_times(void **state)
{
    double create = 0, destroy = 0;
    (void)state;

    for (int k = 0; k < 20; k++) {
        const double begin = now();
        gsolve_context *ctx = open_gpu("cuda");
        create += now() - begin;
        const double middle = now();
        gsolve_context_destroy(&ctx);
        destroy += now() - middle;
    }
    printf("mean of 20 contexts: create %.3f ms, destroy %.3f ms\n", 50 * create, 50 * destroy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_pool_is_not_used),
        cmocka_unit_test(error_stays_pending),
        cmocka_unit_test(failure_leaves_no_error),
        cmocka_unit_test(thread_without_context),
        cmocka_unit_test(context_popped),
        cmocka_unit_test(other_device_is_current),
        cmocka_unit_test(memory_goes_back),
        cmocka_unit_test(limit_on_the_gpu),
        cmocka_unit_test(callers_device_memory),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(print_times),
    };

    need_cuda();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
