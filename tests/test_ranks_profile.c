/* test_ranks_profile.c: the profile of a run over ranks: messages have classes of their own, bits
 * do not change, ranks without a profile join, and without one no message is sent more. */
#include "dist/comm.h"
#include "tests/dist_support.h"

typedef struct profiled {
    const gsolve_csr *A;
    const char *method, *precond;
    int sums, exchanges; /* of one iteration; sums 0: any number */
    bool gathers;
} profiled;

typedef struct handles {
    piece p;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
} handles;

static int open_handles(handles *h, const profiled *t, gsolve_context *ctx, int rank, int ranks)
{
    const gsolve_row_range rows = gsolve_row_range_even(t->A->nrows, rank, ranks);
    int failures = 0;

    h->p = take_piece(t->A, rows, rows);
    EXPECT(gsolve_matrix_create_dist(&h->A, ctx, "csr", &h->p.csr) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_precond_create_from(&h->M, ctx, t->precond, h->A) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_solver_create(&h->S, ctx, t->method, h->A, h->M) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    return failures;
}

static void close_handles(handles *h)
{
    gsolve_solver_destroy(&h->S);
    gsolve_precond_destroy(&h->M);
    gsolve_matrix_destroy(&h->A);
    drop_piece(&h->p);
}

/* x of this rank, from 0. */
static int solve(const handles *h, gsolve_context *ctx, double *x, gsolve_result *result, int rank,
                 int ranks)
{
    const gsolve_row_range rows = h->p.csr.rows;
    double *b = malloc((size_t)(rows.count + 1) * sizeof *b);
    int failures = 0;

    for (int32_t i = 0; i < rows.count; i++) b[i] = number_of(rows.first + i, 0), x[i] = 0;
    result->size = sizeof *result;
    EXPECT(gsolve_solver_run(h->S, gsolve_vector(b, rows.count), gsolve_vector(x, rows.count),
                             result) == GSOLVE_OK,
           "%s", gsolve_error(ctx));
    free(b);
    return failures;
}

/* The class of that name; calls 0: there is none. */
static gsolve_profile_class class_of(const gsolve_solver *S, const char *name)
{
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);

    for (int i = 0; gsolve_solver_profile_at(S, i, &line); i++) {
        if (strcmp(line.name, name) == 0) return line;
    }
    return (gsolve_profile_class){0};
}

/* Whether these are the calls of as many iterations, or of one more or less: pipecg is ahead. */
static bool is_near(int64_t calls, int each, int iterations)
{
    return llabs(calls - (int64_t)each * iterations) <= each;
}

/* On CPUs, each message is counted once, and each waits once for the other ranks. */
static int check_classes(const profiled *t, const gsolve_solver *S, int iterations, bool on_cpu,
                         int rank, int ranks)
{
    const gsolve_profile_class exchange = class_of(S, "halo exchange"),
                               sum = class_of(S, "sum over ranks"),
                               gather = class_of(S, "gather from all ranks"),
                               wait = class_of(S, "wait for other ranks");
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    double seconds = 0;
    int failures = 0;

    if (!on_cpu || ranks == 1) {
        EXPECT(exchange.calls + sum.calls + gather.calls + wait.calls == 0, "messages");
        return failures;
    }
    if (t->sums > 0) {
        EXPECT(is_near(sum.calls, t->sums, iterations), "%lld sums in %d iterations", (long long)sum.calls, iterations);
        EXPECT(is_near(exchange.calls, t->exchanges, iterations), "%lld exchanges",
               (long long)exchange.calls);
        EXPECT(gather.calls == 0, "%lld gathers", (long long)gather.calls);
    } else {
        EXPECT(sum.calls > 0 && exchange.calls > 0, "no sum or no exchange");
        EXPECT((gather.calls > 0) == t->gathers, "%lld gathers", (long long)gather.calls);
    }
    EXPECT(wait.calls == sum.calls + exchange.calls + gather.calls, "%lld waits",
           (long long)wait.calls);
    EXPECT(sum.bytes == 0 && wait.bytes == 0, "numbers have bytes");
    EXPECT(exchange.bytes > 0, "an exchange without bytes");
    for (int i = 0; gsolve_solver_profile_at(S, i, &line); i++) {
        EXPECT(line.seconds >= 0, "%s: %g s", line.name, line.seconds);
        seconds += line.seconds;
    }
    gsolve_solver_get_profile(S, &profile);
    EXPECT(fabs(seconds - profile.class_seconds) <= 1e-9 * seconds, "%g s, and %g s of all",
           seconds, profile.class_seconds);
    EXPECT(seconds <= profile.seconds, "%g s in %g s", seconds, profile.seconds);
    return failures;
}

/* The number of sums and exchanges that the transport has made, where that is counted. */
static long messages_of(const gsolve_context *ctx)
{
#ifdef GSOLVE_TEST_MPI
    (void)ctx;
    return 0;
#else
    const thread_rank *self = ctx->comm->self;
    return self->sums + self->exchanges;
#endif
}

static int profile_one(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const profiled *t = user;
    const bool on_cpu = !gs_comm_is_asynchronous(ctx->comm);
    handles h = {0};
    gsolve_result result;
    int failures = open_handles(&h, t, ctx, rank, ranks);
    const size_t n = (size_t)h.p.csr.rows.count + 1;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    long plain = 0, again = 0;

    if (failures > 0) goto done;
    failures += solve(&h, ctx, y, &result, rank, ranks); /* its first product agrees on memory */
    plain = messages_of(ctx);
    failures += solve(&h, ctx, x, &result, rank, ranks);
    plain = messages_of(ctx) - plain;

    gsolve_solver_profile(h.S, true);
    failures += solve(&h, ctx, y, &result, rank, ranks);
    EXPECT(memcmp(x, y, (n - 1) * sizeof *x) == 0, "%s + %s: other bits", t->method, t->precond);
    failures += check_classes(t, h.S, result.iterations, on_cpu, rank, ranks);

    gsolve_solver_profile(h.S, rank == 0); /* the others wait for rank 0, too */
    failures += solve(&h, ctx, y, &result, rank, ranks);
    EXPECT(memcmp(x, y, (n - 1) * sizeof *x) == 0, "on rank 0: other bits");
    EXPECT(rank == 0 || class_of(h.S, "product").calls == 0, "a class without a profile");
    if (rank == 0) failures += check_classes(t, h.S, result.iterations, on_cpu, rank, ranks);

    gsolve_solver_profile(h.S, false);
    again = messages_of(ctx);
    failures += solve(&h, ctx, y, &result, rank, ranks);
    EXPECT(messages_of(ctx) - again == plain, "%ld messages, and %ld before the profile",
           messages_of(ctx) - again, plain);
    EXPECT(class_of(h.S, "wait for other ranks").calls == 0, "a class without a profile");
done:
    close_handles(&h);
    free(x);
    free(y);
    return failures;
}

static void classes(void **state)
{
    static const profiled cases[] = {
        {NULL, "cg", "jacobi", 2, 1, false},
        {NULL, "pipecg,replace=0", "jacobi", 1, 1, false},
        {NULL, "gmres,restart=5", "none", 0, 0, false},
        {NULL, "bicgstab", "ilu", 3, 2, false},
        {NULL, "refine", "jacobi", 0, 0, false},
        {NULL, "cg", "amg,replicate=50", 0, 0, true},
    };
    const bool on_cpu = !test_device_is("cuda") && !test_device_is("apart");
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,nx=29,ny=21", NULL, NULL));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        profiled t = cases[c];
        if (!on_cpu && strncmp(t.precond, "amg", 3) == 0) continue;
        t.A = &A;
        for (int k = 0; rank_count(k); k++) {
            assert_int_equal(run_ranks(rank_count(k), profile_one, &t), 0);
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes)};

    begin_ranks(&argc, &argv);
    need_device();
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
