/* test_generate_each.c: what one generator or another promises. */
#include "generate_support.h"

static void stencils_have_their_entries(void **state)
{
    const int64_t n = 9;
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);

    (void)state;
    t = look("poisson2d,n=9");
    assert_int_equal(t.entries, 5 * n * n - 4 * n);
    assert_int_equal(t.zero_sum_rows, (n - 2) * (n - 2)); /* the inner points */
    t = look("poisson3d,n=9");
    assert_int_equal(t.entries, 7 * n * n * n - 6 * n * n);
    assert_int_equal(t.zero_sum_rows, (n - 2) * (n - 2) * (n - 2));
    assert_int_equal(t.bandwidth, n * n);
    t = look("poisson3d27,n=9");
    assert_int_equal(t.entries, (3 * n - 2) * (3 * n - 2) * (3 * n - 2));
    assert_int_equal(t.zero_sum_rows, (n - 2) * (n - 2) * (n - 2));
    t = look("neumann2d,nx=9,ny=4");
    assert_int_equal(t.nrows, 36);
    assert_int_equal(t.zero_sum_rows, 36);
    t = look("poisson3d,n=1");
    assert_int_equal(t.entries, 1);
    assert_true(t.largest == 6);
    t = look("poisson2d,nx=1,ny=3");
    assert_int_equal(t.entries, 7);
}

static void a_row_of_the_laplacian(void **state)
{
    gsolve_csr A = make("poisson3d,nx=3,ny=4,nz=5");
    const int32_t i = 1 + 3 * (2 + 4 * 3), *start = A.start; /* point (1, 2, 3) */
    const int32_t col[] = {i - 12, i - 3, i - 1, i, i + 1, i + 3, i + 12};
    const double value[] = {-1, -1, -1, 6, -1, -1, -1};

    (void)state;
    assert_int_equal(start[i + 1] - start[i], 7);
    assert_memory_equal(A.col + start[i], col, sizeof col);
    assert_memory_equal((const double *)A.value + start[i], value, sizeof value);
    gsolve_csr_free(&A, ctx);
}

static void special_cases_are_the_laplacian(void **state)
{
    const char *const specs[] = {"anisotropic3d,n=12,eps=1", "jump3d,n=12,contrast=1",
                                 "convdiff3d,n=12,peclet=0"};
    gsolve_csr A = make("poisson3d,n=12");

    (void)state;
    for (int k = 0; k < 3; k++) {
        gsolve_csr B = make(specs[k]);
        assert_same(&A, &B);
        gsolve_csr_free(&B, ctx);
    }
    gsolve_csr_free(&A, ctx);
}

static void coefficients_stay_in_range(void **state)
{
    gsolve_statistics t = look("jump3d,n=20,cells=3,contrast=1e6");

    (void)state;
    assert_true(t.least >= 1);
    assert_true(t.largest <= 6e6);
    assert_true(t.spread > 1e4);
    assert_int_equal(t.zero_sum_rows, 18 * 18 * 18);
    t = look("anisotropic3d,n=5,eps=0.25");
    assert_true(t.least == 0.25);
    assert_true(t.largest == 4.5);
    t = look("convdiff3d,n=10,peclet=100");
    assert_true(t.symmetric_pattern && !t.symmetric);
    assert_int_equal(t.positive_off, 0);
    assert_int_equal(t.zero_sum_rows, 8 * 8 * 8);
}

/* w = A v on the rows of elasticity3d,n=N whose node does not touch the clamped face. */
static double free_residual(const gsolve_csr *A, int n, double (*mode)(const double x[3], int axis))
{
    const int32_t *start = A->start;
    double worst = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        if (i / 3 % n == 0) continue; /* x = 1: beside the face */
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            const int32_t node = A->col[k] / 3;
            const double x[3] = {node % n + 1.0, node / n % (n + 1), node / (n * (n + 1))};
            sum += ((const double *)A->value)[k] * mode(x, A->col[k] % 3);
        }
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static double translate_x(const double x[3], int axis)
{
    (void)x;
    return axis == 0;
}

static double translate_z(const double x[3], int axis)
{
    (void)x;
    return axis == 2;
}

static double turn_about_z(const double x[3], int axis)
{
    return axis == 0 ? -x[1] : axis == 1 ? x[0] : 0;
}

static double turn_about_y(const double x[3], int axis)
{
    return axis == 0 ? x[2] : axis == 2 ? -x[0] : 0;
}

static double stretch_x(const double x[3], int axis)
{
    return axis == 0 ? x[0] : 0;
}

static void rigid_bodies_do_not_strain(void **state)
{
    const int n = 5;
    gsolve_csr A = make("elasticity3d,n=5,young=10,poisson=0.3");

    (void)state;
    assert_int_equal(A.nrows, 3 * n * (n + 1) * (n + 1));
    assert_true(free_residual(&A, n, translate_x) < 1e-14);
    assert_true(free_residual(&A, n, translate_z) < 1e-14);
    assert_true(free_residual(&A, n, turn_about_z) < 1e-13);
    assert_true(free_residual(&A, n, turn_about_y) < 1e-13);
    assert_true(free_residual(&A, n, stretch_x) > 0.1);
    gsolve_csr_free(&A, ctx);
    assert_int_equal(look("elasticity3d,n=5").block, 3);
    assert_int_equal(look("elasticity3d,n=1").nrows, 12);
}

/* A bar pulled at its end: with Poisson's ratio 0 the force on the far face of a unit cube that is
 * stretched by x is Young's modulus. */
static void a_stretched_cube_pulls_back(void **state)
{
    const int n = 4;
    gsolve_csr A = make("elasticity3d,n=4,young=7,poisson=0");
    const int32_t *start = A.start;
    double force = 0;

    (void)state;
    for (int32_t i = 0; i < A.nrows; i += 3) {
        for (int32_t k = start[i]; k < start[i + 1] && i / 3 % n == n - 1; k++) {
            const int32_t x = A.col[k] / 3 % n + 1;
            if (A.col[k] % 3 == 0) force += ((const double *)A.value)[k] * x / n;
        }
    }
    assert_true(fabs(force - 7) < 1e-12);
    gsolve_csr_free(&A, ctx);
}

static void bands_keep_their_width(void **state)
{
    gsolve_statistics t = look("band,n=20000,row=60,width=400");

    (void)state;
    assert_true(t.bandwidth <= 400 && t.bandwidth > 300);
    assert_true(fabs(t.mean_row - 60) < 2);
    assert_true(t.deviation_row > 2);
    assert_int_equal(t.block, 5);
    t = look("band,n=100000,row=27,width=30000");
    assert_true(t.bandwidth <= 30000 && t.bandwidth > 20000);
    t = look("band,n=2000,row=600,width=409");
    assert_true(t.bandwidth <= 409);
    t = look("band,n=13,row=5,width=4");
    assert_int_equal(t.entries, 25 + 25 + 9);
    assert_int_equal(look("band,n=0").entries, 0);
    assert_int_equal(look("band,n=1").entries, 1);
}

static void shapes_of_graphs(void **state)
{
    gsolve_statistics t = look("web,n=50000");

    (void)state;
    assert_true(t.length[1] + t.length[2] + t.length[3] > 40000); /* up to 7 entries */
    assert_true(t.longest_row > 1000);
    t = look("circuit,n=5000,dense=3,share=0.9");
    assert_int_equal(t.length[13], 3); /* 4096 and more */
    assert_true(t.length[5] == 0 && t.length[12] == 0);
    t = look("rmat,scale=12,degree=16");
    assert_true(t.longest_row > 20 * t.mean_row);
    assert_true(t.entries < 17 * 4096);
    t = look("rmat,n=1000,degree=4,diagonal=no");
    assert_int_equal(t.nrows, 1000);
    assert_true(t.entries <= 4000 && t.zero_diagonals > 0);
    assert_int_equal(look("rmat,n=1,degree=5").entries, 1);
    assert_int_equal(look("web,n=1").entries, 1);
    assert_int_equal(look("circuit,n=1").entries, 1);
    assert_int_equal(look("circuit,n=3,dense=9").nrows, 3);
}

static void circuits_are_grounded(void **state)
{
    gsolve_csr A = make("circuit,n=300,ground=0.5");
    const int32_t *start = A.start;

    (void)state;
    for (int32_t i = 0; i < A.nrows; i++) {
        double sum = 0;
        for (int32_t k = start[i]; k < start[i + 1]; k++) sum += ((const double *)A.value)[k];
        assert_true(fabs(sum - 0.5) < 1e-10);
    }
    gsolve_csr_free(&A, ctx);
}

static void random_rows_have_their_length(void **state)
{
    gsolve_statistics t = look("random,n=500,cols=90,row=17");

    (void)state;
    assert_int_equal(t.shortest_row, 17);
    assert_int_equal(t.longest_row, 17);
    assert_int_equal(t.empty_cols, 0);
    t = look("random,n=30,row=1000"); /* dense */
    assert_int_equal(t.entries, 900);
    assert_int_equal(look("random,n=5,row=0").entries, 0);
    assert_int_equal(look("random,n=0").nrows, 0);
    assert_int_equal(look("random,n=4,cols=0").entries, 0);
    assert_int_equal(look("random,n=0,cols=4").ncols, 4);
    t = look("emptyrows,n=10000,share=0.25");
    assert_true(t.empty_rows > 2300 && t.empty_rows < 2700);
    assert_int_equal(look("emptyrows,n=100,share=0").empty_rows, 0);
    assert_int_equal(look("emptyrows,n=100,share=1").entries, 0);
}

static void slacks_are_the_last_columns(void **state)
{
    gsolve_csr A = make("lp,n=40,cols=500,row=7");
    const int32_t *start = A.start;

    (void)state;
    assert_int_equal(A.ncols, 500);
    for (int32_t i = 0; i < 40; i++) {
        assert_int_equal(start[i + 1] - start[i], 8);
        assert_int_equal(A.col[start[i + 1] - 1], 460 + i);
        assert_true(((const double *)A.value)[start[i + 1] - 1] == 1);
    }
    gsolve_csr_free(&A, ctx);
}

static void shuffling_keeps_the_laplacian(void **state)
{
    const int64_t n = 9;
    gsolve_statistics t = look("shuffled3d,n=9");

    (void)state;
    assert_int_equal(t.entries, 7 * n * n * n - 6 * n * n);
    assert_int_equal(t.zero_sum_rows, (n - 2) * (n - 2) * (n - 2));
    assert_true(t.bandwidth > 600 && t.largest == 6);
    assert_int_equal(look("shuffled3d,n=1").entries, 1);
    assert_int_equal(look("shuffled3d,n=2").entries, 32);
}

static void lengths_are_as_wished(void **state)
{
    gsolve_statistics t = look("lengths,n=40000,mean=12.5,deviation=4,shortest=3,longest=30");

    (void)state;
    assert_true(fabs(t.mean_row - 12.5) < 0.1);
    assert_true(fabs(t.deviation_row - 4) < 0.5);
    assert_true(t.shortest_row >= 3);
    assert_int_equal(t.longest_row, 30);
    t = look("lengths,n=30000,cols=90000,mean=5,deviation=20,shortest=0,longest=50000");
    assert_int_equal(t.longest_row, 50000);
    assert_true(fabs(t.mean_row - 5) < 0.5 && t.empty_rows > 0);
    t = look("lengths,n=20000,mean=4,deviation=0,longest=4,width=50");
    assert_int_equal(t.shortest_row, 4);
    assert_true(t.bandwidth <= 100); /* the window is moved inwards at both ends */
    t = look("lengths,n=3000,mean=45,deviation=9,block=3,width=300");
    assert_int_equal(t.block, 3);
    assert_true(t.bandwidth <= 603);
    t = look("lengths,n=100,cols=50,mean=20,deviation=5,block=7"); /* 50 columns are cut */
    assert_true(t.longest_row <= 50 && t.mean_row > 15);
    assert_int_equal(look("lengths,n=0").entries, 0);
    assert_int_equal(look("lengths,n=5,cols=0,mean=0,shortest=0").entries, 0);
    assert_int_equal(look("lengths,n=1,mean=1").entries, 1);
}

static void diagonals_are_as_given(void **state)
{
    gsolve_csr A = make("tridiagonal,n=3,low=5,diag=-6,high=7.5");
    const double value[] = {-6, 7.5, 5, -6, 7.5, 5, -6};

    (void)state;
    assert_int_equal(gsolve_csr_entries(&A), 7);
    assert_memory_equal(A.value, value, sizeof value);
    gsolve_csr_free(&A, ctx);
    assert_int_equal(look("tridiagonal,n=0").nrows, 0);
}

static void seeds_make_a_difference(void **state)
{
    const char *const specs[] = {
        "band,n=500", "rmat,scale=6", "web,n=500",   "circuit,n=500", "random,n=500",
        "lp",         "emptyrows",    "jump3d,n=12", "lengths",       "shuffled3d,n=8"};

    (void)state;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        char other[64];
        snprintf(other, sizeof other, "%s,seed=2", specs[k]);
        gsolve_csr A = make(specs[k]), B = make(other);
        const int64_t a = gsolve_csr_entries(&A), b = gsolve_csr_entries(&B);
        assert_true(a != b || memcmp(A.value, B.value, (size_t)a * sizeof(double)) != 0);
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&B, ctx);
    }
}

static void random_numbers(void **state)
{
    const int n = 100000;
    double sum = 0, squares = 0, product = 0;

    (void)state;
    for (int k = 0; k < n; k++) {
        const double x = gsolve_random(5, (uint64_t)k);
        assert_true(x >= -1 && x < 1);
        sum += x;
        squares += x * x;
        product += x * gsolve_random(6, (uint64_t)k);
    }
    assert_true(fabs(sum / n) < 0.01);
    assert_true(fabs(squares / n - 1.0 / 3) < 0.01);
    assert_true(fabs(product / n) < 0.01);
    assert_true(gsolve_random(5, 7) == gsolve_random(5, 7));
    assert_true(gsolve_random(5, 7) != gsolve_random(5, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stencils_have_their_entries),     TEST(a_row_of_the_laplacian),
        TEST(special_cases_are_the_laplacian), TEST(coefficients_stay_in_range),
        TEST(rigid_bodies_do_not_strain),      TEST(a_stretched_cube_pulls_back),
        TEST(bands_keep_their_width),          TEST(shapes_of_graphs),
        TEST(circuits_are_grounded),           TEST(random_rows_have_their_length),
        TEST(slacks_are_the_last_columns),     TEST(diagonals_are_as_given),
        TEST(seeds_make_a_difference),         TEST(random_numbers),
        TEST(shuffling_keeps_the_laplacian),   TEST(lengths_are_as_wished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
