/* test_generate.c: every generator of the list: well formed, the same for any number of threads,
 * what its summary promises, and clean when memory runs out or the spec is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gsolve_io.h"

static gsolve_context *ctx;

static int set_up(void **state)
{
    (void)state;
    return gsolve_context_create(&ctx, "cpu,threads=2");
}

static int64_t blocks(gsolve_context *of)
{
    gsolve_context_info info;
    gsolve_context_describe(of, &info);
    return info.blocks;
}

static int tear_down(void **state)
{
    (void)state;
    const int64_t left = blocks(ctx);
    gsolve_context_destroy(&ctx);
    return left != 0;
}

static int64_t start_of(const gsolve_csr *A, int32_t i)
{
    return A->offset == GSOLVE_O64 ? ((const int64_t *)A->start)[i]
                                   : ((const int32_t *)A->start)[i];
}

static gsolve_csr make_in(gsolve_context *where, const char *spec)
{
    char name[200];
    gsolve_csr A = {0};

    snprintf(name, sizeof name, "gen:%s", spec);
    if (gsolve_read_matrix(&A, where, name, NULL, NULL) != GSOLVE_OK) {
        fail_msg("%s: %s", name, gsolve_error(where));
    }
    return A;
}

static gsolve_csr make(const char *spec)
{
    return make_in(ctx, spec);
}

static gsolve_traits look(const char *spec)
{
    gsolve_csr A = make(spec);
    gsolve_traits t;

    assert_int_equal(gsolve_csr_examine(ctx, &A, &t), GSOLVE_OK);
    gsolve_csr_free(&A, ctx);
    return t;
}

/* --- the whole list ----------------------------------------------------------------------------
 */

enum { SPD = 1, SYMMETRIC = 2, SQUARE = 4, DOMINANT = 8 };

typedef struct sample {
    const char *name, *small, *large; /* small: for a Cholesky factor; large: work for threads */
    int traits;
} sample;

static const sample samples[] = {
    {"poisson2d", "poisson2d,nx=9,ny=13", "poisson2d,n=150", SPD | SYMMETRIC | DOMINANT},
    {"poisson3d", "poisson3d,nx=5,ny=6,nz=7", "poisson3d,n=30", SPD | SYMMETRIC | DOMINANT},
    {"poisson3d27", "poisson3d27,nx=5,ny=3,nz=6", "poisson3d27,n=25", SPD | SYMMETRIC | DOMINANT},
    {"anisotropic3d", "anisotropic3d,n=6,eps=1e-3", "anisotropic3d,n=30",
     SPD | SYMMETRIC | DOMINANT},
    {"jump3d", "jump3d,n=7,cells=2,contrast=1e6", "jump3d,n=30,cells=1",
     SPD | SYMMETRIC | DOMINANT},
    {"convdiff3d", "convdiff3d,n=6", "convdiff3d,n=30", SQUARE | DOMINANT},
    {"elasticity3d", "elasticity3d,n=4,poisson=0.45", "elasticity3d,n=13", SPD | SYMMETRIC},
    {"tridiagonal", "tridiagonal,n=50", "tridiagonal,n=20000", SPD | SYMMETRIC | DOMINANT},
    {"band", "band,n=203,row=20,width=40", "band,n=8000", SPD | SYMMETRIC | DOMINANT},
    {"rmat", "rmat,scale=7,degree=4", "rmat,n=5000,degree=8", SQUARE | DOMINANT},
    {"web", "web,n=200", "web,n=20000", SQUARE | DOMINANT},
    {"circuit", "circuit,n=200,dense=3", "circuit,n=20000", SPD | SYMMETRIC | DOMINANT},
    {"random", "random,n=100,row=5", "random,n=20000", SQUARE | DOMINANT},
    {"lp", "lp,n=20,cols=300", "lp,n=5000,cols=100000", 0},
    {"emptyrows", "emptyrows,n=100", "emptyrows,n=20000,cols=7000", 0},
    {"neumann2d", "neumann2d,n=12", "neumann2d,n=150", SYMMETRIC | DOMINANT},
};

static const sample *sample_of(const gsolve_plugin *plugin)
{
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        if (strcmp(samples[k].name, plugin->name) == 0) return &samples[k];
    }
    fail_msg("the generator %s lacks a sample in this test", plugin->name);
    return NULL;
}

static void assert_valid(const gsolve_csr *A)
{
    const int64_t entries = gsolve_csr_entries(A);

    assert_int_equal(A->type, GSOLVE_F64);
    assert_int_equal(A->place, GSOLVE_HOST);
    assert_int_equal(A->offset, entries > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32);
    assert_int_equal(start_of(A, 0), 0);
    for (int32_t i = 0; i < A->nrows; i++) {
        assert_true(start_of(A, i) <= start_of(A, i + 1));
        for (int64_t k = start_of(A, i); k < start_of(A, i + 1); k++) {
            assert_true(A->col[k] >= 0 && A->col[k] < A->ncols);
            assert_true(k == start_of(A, i) || A->col[k] > A->col[k - 1]);
            assert_true(isfinite(((const double *)A->value)[k]));
        }
    }
}

static void assert_same(const gsolve_csr *A, const gsolve_csr *B)
{
    const size_t entries = (size_t)gsolve_csr_entries(A);

    assert_int_equal(A->nrows, B->nrows);
    assert_int_equal(A->ncols, B->ncols);
    assert_int_equal(A->offset, GSOLVE_O32);
    assert_int_equal(B->offset, GSOLVE_O32);
    assert_memory_equal(A->start, B->start, ((size_t)A->nrows + 1) * sizeof(int32_t));
    if (entries == 0) return;
    assert_memory_equal(A->col, B->col, entries * sizeof *A->col);
    assert_memory_equal(A->value, B->value, entries * sizeof(double));
}

static bool positive_definite(const gsolve_csr *A)
{
    cs_di C = {.nzmax = (int)gsolve_csr_entries(A),
               .m = A->nrows,
               .n = A->ncols,
               .p = (int *)(uintptr_t)A->start,
               .i = (int *)(uintptr_t)A->col,
               .x = (double *)(uintptr_t)A->value,
               .nz = -1};
    cs_dis *S = cs_di_schol(1, &C);
    cs_din *N = cs_di_chol(&C, S);
    const bool yes = N != NULL;

    cs_di_nfree(N);
    cs_di_sfree(S);
    return yes;
}

static void keep_promises(const sample *s, const gsolve_csr *A)
{
    gsolve_csr B;
    gsolve_traits t;

    assert_int_equal(gsolve_csr_examine(ctx, A, &t), GSOLVE_OK);
    if (s->traits & SQUARE) assert_int_equal(t.nrows, t.ncols);
    if (s->traits & DOMINANT) assert_int_equal(t.dominant_rows, t.nrows);
    if (!(s->traits & SYMMETRIC)) {
        assert_false(t.symmetric);
        return;
    }
    assert_int_equal(gsolve_csr_transpose(&B, ctx, A), GSOLVE_OK); /* to the last bit */
    assert_same(A, &B);
    gsolve_csr_free(&B, ctx);
}

static void every_generator_keeps_its_promises(void **state)
{
    const gsolve_plugin *plugin;

    (void)state;
    for (int k = 0; (plugin = gsolve_generator_at(k)); k++) {
        const sample *s = sample_of(plugin);
        const char *const specs[] = {s->small, s->large, plugin->name};
        for (int which = 0; which < 3; which++) {
            gsolve_csr A = make(specs[which]);
            assert_valid(&A);
            keep_promises(s, &A);
            if (which == 0 && s->traits & SPD) assert_true(positive_definite(&A));
            gsolve_csr_free(&A, ctx);
        }
    }
}

static void threads_do_not_matter(void **state)
{
    const gsolve_plugin *plugin;

    (void)state;
    for (int k = 0; (plugin = gsolve_generator_at(k)); k++) {
        gsolve_csr A = make(sample_of(plugin)->large);
        const int threads[] = {1, 3, 8};
        for (int t = 0; t < 3; t++) {
            char device[32];
            gsolve_context *other;
            snprintf(device, sizeof device, "cpu,threads=%d", threads[t]);
            assert_int_equal(gsolve_context_create(&other, device), GSOLVE_OK);
            gsolve_csr B = make_in(other, sample_of(plugin)->large);
            assert_same(&A, &B);
            gsolve_csr_free(&B, other);
            gsolve_context_destroy(&other);
        }
        gsolve_csr_free(&A, ctx);
    }
}

static void memory_may_run_out(void **state)
{
    const gsolve_plugin *plugin;

    (void)state;
    for (int k = 0; (plugin = gsolve_generator_at(k)); k++) {
        char name[200];
        const gsolve_csr unset = {.nrows = -7};
        gsolve_csr A = unset;
        int64_t granted = 0;

        snprintf(name, sizeof name, "gen:%s", sample_of(plugin)->small);
        for (;; granted++) {
            gsolve_context_grant(ctx, granted);
            const gsolve_status status = gsolve_read_matrix(&A, ctx, name, NULL, NULL);
            if (status == GSOLVE_OK) break;
            assert_int_equal(status, GSOLVE_NO_MEMORY);
            assert_int_equal(A.nrows, -7);
            assert_int_equal(blocks(ctx), 0);
            assert_true(granted < 100);
        }
        gsolve_context_grant(ctx, -1);
        assert_true(granted >= 5); /* options, groups, offsets, columns, values */
        gsolve_csr_free(&A, ctx);
        assert_int_equal(blocks(ctx), 0);
    }
}

static void tables_are_complete(void **state)
{
    int count = 0;

    (void)state;
    assert_null(gsolve_generator_at(-1));
    for (const gsolve_plugin *p; (p = gsolve_generator_at(count)); count++) {
        assert_true(strlen(p->summary) > 0);
        for (int other = 0; other < count; other++) {
            assert_string_not_equal(gsolve_generator_at(other)->name, p->name);
        }
        for (const gsolve_option *o = p->option; o->key; o++) {
            assert_true(strlen(o->help) > 0);
            assert_true(o->least <= o->initial && o->initial <= o->most);
        }
    }
    assert_int_equal(count, sizeof samples / sizeof *samples);
    assert_null(gsolve_generator_at(count));
    assert_null(gsolve_generator_at(count + 1));
}

/* --- one by one --------------------------------------------------------------------------------
 */

static void stencils_have_their_entries(void **state)
{
    const int64_t n = 9;
    gsolve_traits t;

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
    gsolve_traits t = look("jump3d,n=20,cells=3,contrast=1e6");

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
    gsolve_traits t = look("band,n=20000,row=60,width=400");

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
    gsolve_traits t = look("web,n=50000");

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
    gsolve_traits t = look("random,n=500,cols=90,row=17");

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
    const char *const specs[] = {"band,n=500",   "rmat,scale=6", "web,n=500", "circuit,n=500",
                                 "random,n=500", "lp",           "emptyrows", "jump3d,n=12"};

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

/* --- wrong specs -------------------------------------------------------------------------------
 */

static void wrong_specs_are_explained(void **state)
{
    static const struct {
        const char *spec, *said[3];
    } cases[] = {
        {"", {"there is no generator ''", "poisson2d", "neumann2d"}},
        {"poisson4d,n=3", {"there is no generator 'poisson4d'", "poisson3d27", "emptyrows"}},
        {"poisson3d,m=3", {"poisson3d has no option 'm'", "n, nx, ny, nz"}},
        {"poisson2d,nz=3", {"poisson2d has no option 'nz'", "n, nx, ny"}},
        {"poisson3d,n", {"lacks its value", "n=..."}},
        {"poisson3d,n=0", {"n=0 is not allowed", "from 1 to"}},
        {"poisson3d,n=2.5", {"n=2.5 is not allowed", "a whole number"}},
        {"poisson3d,n=1300", {"poisson3d", "2197000000 rows", "2147483646"}},
        {"poisson2d,nx=2000000000,ny=2000000000", {"poisson2d", "4000000000000000000 rows"}},
        {"elasticity3d,n=900", {"elasticity3d", "2191862700 rows"}},
        {"elasticity3d,poisson=0.5", {"poisson=0.5 is not allowed", "0.4999"}},
        {"random,n=2147483648", {"n=2147483648 is not allowed", "2147483646"}},
        {"random,n=1e30", {"n=1e30 is not allowed", "2147483646"}},
        {"random,seed=-1", {"seed=-1 is not allowed", "from 0"}},
        {"lp,n=300,cols=400", {"lp: cols=400 is too few for n=300", "slack"}},
        {"rmat,n=100,scale=4", {"rmat", "n=100 or scale=4, not both"}},
        {"rmat,a=0.8,b=0.3", {"rmat", "a + b + c is 1.29"}},
        {"rmat,diagonal=perhaps", {"diagonal=perhaps is not allowed", "0 or 1"}},
        {"band,row=600,width=408", {"band: row=600", "half bandwidth of 409", "width is 408"}},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[200];
        gsolve_csr A = {.nrows = -7};
        snprintf(name, sizeof name, "gen:%s", cases[k].spec);
        assert_int_equal(gsolve_read_matrix(&A, ctx, name, NULL, NULL), GSOLVE_BAD_SPEC);
        assert_int_equal(A.nrows, -7);
        for (int part = 0; part < 3 && cases[k].said[part]; part++) {
            if (!strstr(gsolve_error(ctx), cases[k].said[part])) {
                fail_msg("%s: '%s' lacks '%s'", name, gsolve_error(ctx), cases[k].said[part]);
            }
        }
        assert_int_equal(blocks(ctx), 0);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_generator_keeps_its_promises),
        TEST(threads_do_not_matter),
        TEST(memory_may_run_out),
        TEST(tables_are_complete),
        TEST(stencils_have_their_entries),
        TEST(a_row_of_the_laplacian),
        TEST(special_cases_are_the_laplacian),
        TEST(coefficients_stay_in_range),
        TEST(rigid_bodies_do_not_strain),
        TEST(a_stretched_cube_pulls_back),
        TEST(bands_keep_their_width),
        TEST(shapes_of_graphs),
        TEST(circuits_are_grounded),
        TEST(random_rows_have_their_length),
        TEST(slacks_are_the_last_columns),
        TEST(diagonals_are_as_given),
        TEST(seeds_make_a_difference),
        TEST(random_numbers),
        TEST(wrong_specs_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
