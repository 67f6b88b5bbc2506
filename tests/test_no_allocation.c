/* test_no_allocation.c: steps of a time-dependent problem (new values, update of matrix and
 * preconditioner, solve), also if they end with least-squares solutions, allocate nothing: neither
 * by the counter of the context nor, on the host, by any function of the C library. The program
 * counts calls of malloc by functions of its own, which glibc and all libraries then call. */
#include "tests/common.h"

enum { SIDE = 24, N = SIDE * SIDE, STEPS = 1000, WARM = 3 };

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__clang__) /* whose OpenMP library allocates memory in parallel regions */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static bool counting;
static int64_t calls; /* of the functions below, while counting; by all threads */

static void count_call(void)
{
    if (__atomic_load_n(&counting, __ATOMIC_RELAXED))
        __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t bytes)
{
    count_call();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    count_call();
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    count_call();
    return __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count_call();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    count_call();
    *block = __libc_memalign(alignment, bytes);
    return *block ? 0 : 12; /* ENOMEM */
}

static bool counts_malloc(void)
{
    return true;
}

static void count_malloc(bool on)
{
    __atomic_store_n(&counting, on, __ATOMIC_RELAXED);
}
#else
static int64_t calls;

static bool counts_malloc(void)
{
    return false;
}

static void count_malloc(bool on)
{
    (void)on;
}
#endif

static int32_t start[N + 1], col[5 * N];
static double value[5 * N], u[N], b[N];

/* I + c (-Laplace) on a grid, for b = u + 1e-3. */
static void assemble(double c)
{
    int32_t at = 0;

    for (int32_t i = 0; i < N; i++) {
        const int32_t x = i % SIDE, y = i / SIDE;
        if (y > 0) col[at] = i - SIDE, value[at++] = -c;
        if (x > 0) col[at] = i - 1, value[at++] = -c;
        col[at] = i, value[at++] = 1 + 4 * c;
        if (x + 1 < SIDE) col[at] = i + 1, value[at++] = -c;
        if (y + 1 < SIDE) col[at] = i + SIDE, value[at++] = -c;
        start[i + 1] = at;
        b[i] = u[i] + 1e-3;
    }
}

typedef struct allocations {
    int64_t library, process; /* by the context's counter; by the functions above */
} allocations;

static int64_t so_far(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(ctx, &info);
    return info.allocations;
}

/* The allocations of all steps but the first WARM ones. */
static allocations run_steps(const char *format, const char *precond, const char *method)
{
    gsolve_context *ctx = open_context(2);
    const gsolve_csr csr = gsolve_csr_view(N, start, col, value);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    allocations made = {0};

    memset(u, 0, sizeof u);
    assemble(1);
    OK(ctx, gsolve_matrix_create(&A, ctx, format, &csr));
    OK(ctx, gsolve_precond_create(&M, ctx, precond, &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, method, A, M));
    for (int step = 0; step < STEPS; step++) {
        if (step == WARM) {
            made.library = so_far(ctx);
            calls = 0;
            count_malloc(true);
        }
        assemble(1 + 0.5 * (step % 7));
        OK(ctx, gsolve_matrix_update(A, &csr));
        OK(ctx, gsolve_precond_update(M, &csr));
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(u, N), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    }
    count_malloc(false);
    made.library = so_far(ctx) - made.library;
    made.process = calls;
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
    return made;
}

static void steps_allocate_nothing(void **state)
{
    static const struct {
        const char *format, *precond, *method;
    } cases[] = {
        {"csr", "jacobi", "cg"},
        {"sell", "jacobi", "bicgstab"},
        {"csr", "jacobi", "gmres"},
    };
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const allocations made = run_steps(cases[k].format, cases[k].precond, cases[k].method);
        print_message("%s + %s + %s: %lld by the library, %lld calls of malloc\n", cases[k].format,
                      cases[k].precond, cases[k].method, (long long)made.library,
                      (long long)made.process);
        assert_int_equal(made.library, 0);
        assert_int_equal(made.process, 0);
    }
}

/* --- runs that end with a least-squares solution ------------------------------------------------
 */

/* b is in the range of A, except in row 0 if it is singular and this step says so. */
static void set_right_hand_side(int step, bool singular)
{
    for (int32_t i = 0; i < N; i++) b[i] = 1 + 0.1 * (i % 5) + 0.01 * (step % 3);
    if (singular) b[0] = step < WARM ? 0 : 1;
}

/* Row 0 of the assembled matrix gets values 0, or no entries if `empty`. */
static void remove_row(bool empty)
{
    const int32_t count = start[1];

    for (int32_t e = 0; e < count; e++) value[e] = 0;
    if (!empty) return;
    memmove(col, col + count, (size_t)(start[N] - count) * sizeof *col);
    memmove(value, value + count, (size_t)(start[N] - count) * sizeof *value);
    for (int32_t i = 1; i <= N; i++) start[i] -= count;
}

/* The first steps converge; later ones ask whether A is proven singular: row 0 of the singular one
 * is 0. updates: A gets new values in each step. */
static allocations run_least_squares(const char *method, bool singular, bool updates)
{
    gsolve_context *ctx = open_context(2);
    const gsolve_csr csr = gsolve_csr_view(N, start, col, value);
    const gsolve_outcome expected = singular ? GSOLVE_LEAST_SQUARES : GSOLVE_NOT_SOLVED;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    allocations made = {0};

    assemble(1);
    if (singular) remove_row(!updates);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, method, A, NULL));
    if (!singular) OK(ctx, gsolve_solver_set(S, "rtol=1e-8"));
    for (int step = 0; step < 4 * WARM; step++) {
        if (step == WARM) {
            if (!singular) OK(ctx, gsolve_solver_set(S, "rtol=3e-2,maxit=8")); /* |A'r| is met first */
            made.library = so_far(ctx);
            calls = 0;
            count_malloc(true);
        }
        memset(u, 0, sizeof u);
        set_right_hand_side(step, singular);
        if (updates) OK(ctx, gsolve_matrix_update(A, &csr));
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(u, N), &result));
        assert_int_equal(result.outcome, step < WARM ? GSOLVE_CONVERGED : expected);
    }
    count_malloc(false);
    made.library = so_far(ctx) - made.library;
    made.process = calls;
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
    return made;
}

static void least_squares_allocate_nothing(void **state)
{
    static const struct {
        const char *method;
        bool singular, updates;
    } cases[] = {
        {"lsmr,accept=singular", true, false}, {"lsmr,accept=singular", true, true},
        {"lsqr,accept=singular", true, true},  {"lsmr,accept=singular", false, true},
        {"direct,factor=qr", true, false},
    };
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const allocations made =
            run_least_squares(cases[k].method, cases[k].singular, cases[k].updates);
        print_message("%s: %lld by the library, %lld calls of malloc\n", cases[k].method,
                      (long long)made.library, (long long)made.process);
        assert_int_equal(made.library, 0);
        assert_int_equal(made.process, 0);
    }
}

/* The functions above are the ones that are called. */
static void malloc_is_counted(void **state)
{
    (void)state;
    if (!counts_malloc()) return;
    calls = 0;
    count_malloc(true);
    void *volatile block = malloc(100);
    char *volatile text = strdup("by the C library");
    count_malloc(false);
    assert_int_equal(calls, 2);
    free(block);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malloc_is_counted),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(least_squares_allocate_nothing),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
