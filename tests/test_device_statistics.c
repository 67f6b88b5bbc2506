/* test_device_statistics.c: the statistics of a matrix in the device's memory are those of the
 * matrix on the host, to the last bit, and no copy on the host is made for them. On a GPU if
 * $GSOLVE_TEST_DEVICE says so, else on the CPU used as if it had memory of its own. */
#include "tests/common.h"

#include <math.h>

#include "solver/choose/auto_solver.h"
#include "spmv/handle.h"

static gsolve_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = open_context(2);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_context(ctx);
    return 0;
}

/* --- comparison ------------------------------------------------------------------------------- */

typedef struct member {
    const char *name;
    size_t offset, size;
} member;

#define MEMBER(name) {#name, offsetof(gsolve_statistics, name), sizeof((gsolve_statistics){0}).name}

static const member members[] = {
    MEMBER(size),
    MEMBER(nrows),
    MEMBER(ncols),
    MEMBER(entries),
    MEMBER(symmetric_pattern),
    MEMBER(symmetric),
    MEMBER(skew),
    MEMBER(symmetric_rest),
    MEMBER(empty_rows),
    MEMBER(first_empty_row),
    MEMBER(empty_cols),
    MEMBER(zero_diagonals),
    MEMBER(first_zero_diagonal),
    MEMBER(negative_diagonals),
    MEMBER(shortest_row),
    MEMBER(longest_row),
    MEMBER(bandwidth),
    MEMBER(block),
    MEMBER(dominant_rows),
    MEMBER(zero_sum_rows),
    MEMBER(positive_off),
    MEMBER(mean_row),
    MEMBER(deviation_row),
    MEMBER(dominance),
    MEMBER(spread),
    MEMBER(mean_dominance),
    MEMBER(scaling),
    MEMBER(least),
    MEMBER(largest),
    MEMBER(length),
};

static void assert_same(const char *what, const gsolve_statistics *a, const gsolve_statistics *b)
{
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        const member *m = &members[k];
        if (memcmp((const char *)a + m->offset, (const char *)b + m->offset, m->size) != 0) {
            fail_msg("%s: %s differs", what, m->name);
        }
    }
}

/* The list above has all members: what it lacks is padding. */
static void every_member_is_compared(void **state)
{
    size_t bytes = 0;

    (void)state;
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) bytes += members[k].size;
    assert_true(bytes + 8 > sizeof(gsolve_statistics));
}

/* --- matrices --------------------------------------------------------------------------------- */

/* The matrix in that type, with offsets of 64 bits if `wide` is set. */
static gsolve_csr convert(const gsolve_csr *A, gsolve_type type, bool wide)
{
    gsolve_csr B;

    OK(ctx, gsolve_csr_convert(&B, ctx, type, A));
    if (wide && B.offset == GSOLVE_O32) {
        int64_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)B.nrows + 1, sizeof *start);
        for (int32_t i = 0; i <= B.nrows; i++) start[i] = gs_start(&B, i);
        gsolve_free(ctx, GSOLVE_HOST, (void *)(uintptr_t)B.start);
        B.start = start;
        B.offset = GSOLVE_O64;
    }
    return B;
}

/* What is done to the values of a matrix: nothing; every seventh row becomes a row of the identity;
 * the rows are scaled by powers of 10 up to the limits of the type; signs and zeros at random;
 * a_ji = -a_ij; one value differs by a rounding error, or by more. */
typedef enum change { AS_IS, FIXED, SCALED, SIGNS, SKEW, ROUNDED, UNEQUAL, CHANGES } change;

static double changed(const gsolve_csr *A, change how, int32_t i, int64_t k)
{
    const double v = gs_value(A, k), random = gsolve_random(3, (uint64_t)k);
    const int most = A->type == GSOLVE_F32 ? 36 : 306;
    const int64_t middle = gs_start(A, A->nrows) / 2;

    switch (how) {
    case FIXED: return i % 7 ? v : A->col[k] == i;
    case SCALED: return v * pow(10, i % (2 * most) - most);
    case SIGNS: return random < -0.8 ? 0 : random < 0 ? -v : v;
    case SKEW: return A->col[k] == i ? 0 : A->col[k] < i ? -1 : 1;
    case ROUNDED: return k == middle ? v * (A->type == GSOLVE_F32 ? 1 + 2e-7 : 1 + 1e-15) : v;
    case UNEQUAL: return k == middle ? v * 1.001 : v;
    default: return v;
    }
}

static void change_values(gsolve_csr *A, change how)
{
    void *value = gs_owned_block(ctx, A->value);

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const double v = changed(A, how, i, k);
            gs_put_value(value, A->type, k, isfinite(v) && fabs(v) < 1e38 ? v : 1e38);
        }
    }
}

/* Compares the statistics of A with those of a copy on the device, and of a matrix made of it. */
static void compare(const char *what, const gsolve_csr *A)
{
    gsolve_statistics here = GSOLVE_INIT(gsolve_statistics), there = GSOLVE_INIT(gsolve_statistics),
                      of_matrix = GSOLVE_INIT(gsolve_statistics);
    gsolve_matrix *M = NULL;
    gsolve_csr copy;
    uint64_t pattern;

    OK(ctx, gs_csr_move(&copy, ctx, GSOLVE_DEVICE, A));
    OK(ctx, gs_csr_find_pattern(&pattern, ctx, &copy));
    if (pattern != gs_csr_pattern_hash(ctx, A)) fail_msg("%s: the hash differs", what);
    OK(ctx, gsolve_csr_statistics(ctx, A, &here));
    OK(ctx, gsolve_csr_statistics(ctx, &copy, &there));
    assert_same(what, &here, &there);
    OK(ctx, gsolve_matrix_create(&M, ctx, "csr", &copy));
    OK(ctx, gsolve_matrix_statistics(M, &of_matrix));
    assert_same(what, &here, &of_matrix);
    assert_null(M->rows.start);
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&copy, ctx);
}

static void compare_all(const char *name, change last)
{
    gsolve_csr A = read_matrix(ctx, name);

    for (change how = AS_IS; how <= last; how++) {
        for (int kind = 0; kind < 4; kind++) {
            gsolve_csr B = convert(&A, kind % 2 ? GSOLVE_F32 : GSOLVE_F64, kind / 2);
            char what[200];
            if (how != AS_IS) change_values(&B, how);
            snprintf(what, sizeof what, "%s, change %d, kind %d", name, how, kind);
            compare(what, &B);
            gsolve_csr_free(&B, ctx);
        }
    }
    gsolve_csr_free(&A, ctx);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void all_generators(void **state)
{
    const gsolve_plugin *generator;

    (void)state;
    for (int k = 0; (generator = gsolve_generator_at(k)); k++) {
        char name[80];
        snprintf(name, sizeof name, "gen:%s", generator->name);
        compare_all(name, AS_IS);
    }
}

/* Matrices of difficult shapes, with long rows, and of dense blocks, with other values, too. */
static void other_values(void **state)
{
    static const char *const more[] = {
        "gen:circuit,n=3000,dense=2,share=0.9",
        "gen:web,n=3000,longest=2000",
        "gen:rmat,scale=10",
        "gen:random,n=500,cols=900,row=200",
        "gen:band,n=1000,row=150,width=200",
        "gen:elasticity3d,n=5",
        "gen:jump3d,n=8",
        "gen:shuffled3d,n=8",
    };

    (void)state;
    for (int k = 0; k < NASTY; k++) compare_all(nasty[k], UNEQUAL);
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) compare_all(more[k], UNEQUAL);
}

/* A row and a column that are dense, in a matrix that is symmetric but for one place. */
static void an_arrow(void **state)
{
    enum { N = 5000, ENTRIES = N + 2 * (N - 1) };
    int32_t *start = malloc((N + 1) * sizeof *start), *col = malloc(ENTRIES * sizeof *col);
    double *value = malloc(ENTRIES * sizeof *value);

    (void)state;
    for (int variant = 0; variant < 3; variant++) {
        int k = 0;
        for (int32_t i = 0; i < N; i++) {
            start[i] = k;
            for (int32_t j = 0; j < (i == 0 ? N : 1); j++)
                col[k] = j, value[k++] = 1.0 / (1 + i + j);
            if (i > 0) col[k] = i, value[k++] = 3 + i;
        }
        start[N] = k;
        assert_int_equal(k, ENTRIES);
        if (variant == 1) value[start[N - 1]] *= 2;
        if (variant == 2) col[start[N - 1]] = 1; /* without a mirror image */
        const gsolve_csr A = gsolve_csr_view(N, start, col, value);
        compare("an arrow", &A);
    }
    free(start);
    free(col);
    free(value);
}

/* The columns of a row need not ascend on the device either. */
static void unsorted_columns(void **state)
{
    const int32_t start[] = {0, 2, 2, 4, 7}, col[] = {1, 0, 0, 2, 3, 1, 1};
    const double value[] = {-1, 2, 1e-3, 0, -5, 4, 6};
    const gsolve_csr A = gsolve_csr_view(4, start, col, value);
    gsolve_statistics here = GSOLVE_INIT(gsolve_statistics), there = GSOLVE_INIT(gsolve_statistics);
    gsolve_inspection found = GSOLVE_INIT(gsolve_inspection);
    gsolve_csr copy;

    (void)state;
    OK(ctx, gs_csr_move(&copy, ctx, GSOLVE_DEVICE, &A));
    OK(ctx, gsolve_csr_statistics(ctx, &A, &here));
    OK(ctx, gsolve_csr_statistics(ctx, &copy, &there));
    assert_same("unsorted", &here, &there);
    OK(ctx, gsolve_csr_inspect(ctx, &copy, &found));
    assert_true(!found.clean && found.pattern == 0);
    assert_same("inspected", &here, &found.statistics);
    gsolve_csr_free(&copy, ctx);
}

static gsolve_status statistics_of(const gsolve_csr *A)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    return gsolve_csr_statistics(ctx, A, &t);
}

static void memory_may_run_out(void **state)
{
    static const char *const names[] = {"gen:convdiff3d,n=5", "gen:emptyrows,n=60"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        gsolve_csr A = read_matrix(ctx, names[k]), copy;
        change_values(&A, FIXED);
        OK(ctx, gs_csr_move(&copy, ctx, GSOLVE_DEVICE, &A));
        ALLOCATION_SWEEP(ctx, statistics_of(&copy));
        gsolve_csr_free(&copy, ctx);
        gsolve_csr_free(&A, ctx);
    }
}

/* A system is solved on a GPU without a copy of A on the host, if the choice works there. */
static void the_choice_copies_nothing(void **state)
{
    static const char *const names[] = {"gen:poisson3d,n=12", "gen:poisson2d,n=400"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        gsolve_csr A = read_matrix(ctx, names[k]), copy;
        const int32_t n = A.nrows;
        double *b = random_vector(n, 5), *x = random_vector(n, 6);
        gsolve_auto *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);

        OK(ctx, gs_csr_move(&copy, ctx, GSOLVE_DEVICE, &A));
        OK(ctx, gsolve_auto_create(&S, ctx, "", &copy));
        OK(ctx, gsolve_auto_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        gsolve_auto_describe(S, &info);
        if (gs_on_gpu(ctx)) assert_string_equal(info.precond, k == 0 ? "jacobi" : "amg");
        if (gs_on_gpu(ctx)) assert_null(S->own->rows.start);
        gsolve_auto_destroy(&S);
        gsolve_csr_free(&copy, ctx);
        gsolve_csr_free(&A, ctx);
        free(b);
        free(x);
    }
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_member_is_compared),
        TEST(all_generators),
        TEST(other_values),
        TEST(an_arrow),
        TEST(unsorted_columns),
        TEST(memory_may_run_out),
        TEST(the_choice_copies_nothing),
    };

    setenv("GSOLVE_TEST_DEVICE", "apart", 0);
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
