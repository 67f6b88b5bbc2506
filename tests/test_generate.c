/* test_generate.c: every generator of the list: well formed, the same for any number of threads,
 * what its summary promises, and clean when memory runs out or the spec is wrong. */
#include <cs.h>

#include "generate_support.h"

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
    {"shuffled3d", "shuffled3d,n=6", "shuffled3d,n=30", SPD | SYMMETRIC | DOMINANT},
    {"lengths", "lengths,n=100", "lengths,n=20000,block=3,width=500", SQUARE | DOMINANT},
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
    assert_int_equal(A->location, GSOLVE_HOST);
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
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);

    assert_int_equal(gsolve_csr_statistics(ctx, A, &t), GSOLVE_OK);
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
            gsolve_context_limit_allocations(ctx, granted);
            const gsolve_status status = gsolve_read_matrix(&A, ctx, name, NULL, NULL);
            if (status == GSOLVE_OK) break;
            assert_int_equal(status, GSOLVE_NO_MEMORY);
            assert_int_equal(A.nrows, -7);
            assert_int_equal(blocks(ctx), 0);
            assert_true(granted < 100);
        }
        gsolve_context_limit_allocations(ctx, -1);
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

/* --- wrong specs -------------------------------------------------------------------------------
 */

static void wrong_specs_are_explained(void **state)
{
    static const struct {
        const char *spec, *said[3];
    } cases[] = {
        {"", {"unknown generator ''", "poisson2d", "neumann2d"}},
        {"poisson4d,n=3", {"unknown generator 'poisson4d'", "poisson3d27", "emptyrows"}},
        {"poisson3d,m=3", {"poisson3d has no option 'm'", "n, nx, ny, nz"}},
        {"poisson2d,nz=3", {"poisson2d has no option 'nz'", "n, nx, ny"}},
        {"poisson3d,n", {"needs a value", "n=VALUE"}},
        {"poisson3d,n=0", {"n=0 is not allowed", "from 1 to"}},
        {"poisson3d,n=2.5", {"n=2.5 is not allowed", "a whole number"}},
        {"poisson3d,n=1300", {"poisson3d", "2197000000 rows", "2147483646"}},
        {"poisson2d,nx=2000000000,ny=2000000000", {"poisson2d", "4000000000000000000 rows"}},
        {"elasticity3d,n=900", {"elasticity3d", "2191862700 rows"}},
        {"elasticity3d,poisson=0.5", {"poisson=0.5 is not allowed", "0.4999"}},
        {"random,n=2147483648", {"n=2147483648 is not allowed", "2147483646"}},
        {"random,n=1e30", {"n=1e30 is not allowed", "2147483646"}},
        {"random,seed=-1", {"seed=-1 is not allowed", "from 0"}},
        {"lp,n=300,cols=400", {"lp: cols=400 is too small for n=300", "slack"}},
        {"rmat,n=100,scale=4", {"rmat", "n=100 and scale=4 are both given"}},
        {"rmat,a=0.8,b=0.3", {"rmat", "a + b + c is 1.29"}},
        {"rmat,diagonal=perhaps", {"diagonal=perhaps is not allowed", "0 or 1"}},
        {"shuffled3d,n=1300", {"shuffled3d", "2197000000 rows"}},
        {"lengths,mean=50,longest=20", {"lengths: mean=50", "the longest row, 20"}},
        {"lengths,mean=1,shortest=2", {"lengths: mean=1", "shortest row, 2"}},
        {"band,row=600,width=408",
         {"band: row=600", "half bandwidth of at least 409", "it is 408"}},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_generator_keeps_its_promises),
        TEST(threads_do_not_matter),
        TEST(memory_may_run_out),
        TEST(tables_are_complete),
        TEST(wrong_specs_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
