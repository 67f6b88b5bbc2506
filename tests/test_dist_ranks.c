/* test_dist_ranks.c: gsolve_dist_ranks, which says how many ranks a system is worth: one for a tiny
 * one, all for a large one, never fewer for a larger one, and the same number on all ranks. */
#include "dist/comm.h"
#include "tests/dist_support.h"

typedef struct choice {
    const char *method, *precond;
} choice;

/* A five-point stencil. */
static gsolve_statistics statistics_of(int32_t rows)
{
    return (gsolve_statistics){.size = sizeof(gsolve_statistics),
                               .nrows = rows,
                               .ncols = rows,
                               .entries = 5 * (int64_t)rows};
}

static int check_choice(gsolve_context *ctx, const choice *c, int rank, int ranks)
{
    const bool on_cpu = !test_device_is("cuda");
    int last = on_cpu ? 1 : ranks, failures = 0;

    for (int32_t rows = 10; rows < 100000000; rows *= 3) {
        const gsolve_statistics t = statistics_of(rows);
        char why[300] = "unset";
        const int used = gsolve_dist_ranks(ctx, &t, c->method, c->precond, why, sizeof why);
        double same[] = {used, -used};
        EXPECT(used >= last && used <= ranks, "%s + %s, %d rows: %d of %d", c->method, c->precond,
               rows, used, ranks);
        EXPECT((used < ranks) == (strstr(why, "too small") != NULL), "%d of %d: '%s'", used, ranks,
               why);
        EXPECT(strlen(why) < 200, "'%s'", why);
        EXPECT(rows > 10 || used == 1 || !on_cpu, "%d ranks for 10 rows", used);
        EXPECT(gs_comm_largest(ctx->comm, same, 2) == GSOLVE_OK && same[0] == -same[1],
               "other numbers on other ranks");
        EXPECT(gsolve_dist_ranks(ctx, &t, c->method, c->precond, NULL, 0) == used, "without why");
        last = used;
    }
    EXPECT(last == ranks, "%s + %s: %d of %d for a large system", c->method, c->precond, last,
           ranks);
    return failures;
}

static int check_all(gsolve_context *ctx, int rank, int ranks, void *user)
{
    static const choice choices[] = {{"cg", "jacobi"},   {"cg,rtol=1e-4", "amg,degree=2"},
                                     {"pipecg", "none"}, {"bicgstab", "ilu"},
                                     {"gmres", "ic"},    {"idr", "none"},
                                     {"cg", "ic"},       {"minres", "jacobi,abs=1"}};
    gsolve_statistics t = statistics_of(1000), wrong = t;
    char why[8] = "unset";
    int failures = 0;

    (void)user;
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        failures += check_choice(ctx, &choices[k], rank, ranks);
    }
    wrong.size = 1;
    EXPECT(gsolve_dist_ranks(NULL, &t, "cg", "none", NULL, 0) == 1, "no context");
    EXPECT(gsolve_dist_ranks(ctx, &wrong, "cg", "none", NULL, 0) == 1, "a wrong size");
    EXPECT(gsolve_dist_ranks(ctx, &t, NULL, "none", NULL, 0) == 1, "no method");
    EXPECT(gsolve_dist_ranks(ctx, &t, "cg", NULL, NULL, 0) == 1, "no preconditioner");
    gsolve_dist_ranks(ctx, &t, "cg", "none", why, sizeof why);
    EXPECT(strlen(why) < sizeof why, "a reason beyond its space");
    return failures;
}

static void numbers(void **state)
{
    (void)state;
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), check_all, NULL), 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers)};

    begin_ranks(&argc, &argv);
    need_device();
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
