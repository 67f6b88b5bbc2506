/* Coarsening by aggregates: what they are, what P and R are made of, and that every device makes
 * the same of the same. */
#include "tests/common.h"

#include <math.h>

#include "core/staging.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/coarsening/coarsening.h"
#include "precond/amg/rigid_modes.h"

/* --- what lies on the device, on the host ------------------------------------------------------
 */

static void *fetch(gsolve_context *ctx, const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    OK(ctx, gsolve_copy(ctx, to, GSOLVE_HOST, from, gs_location(ctx), bytes));
    return to;
}

static gsolve_csr fetch_csr(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr B;
    OK(ctx, gs_csr_move(&B, ctx, GSOLVE_HOST, A));
    return B;
}

static gsolve_csr send_csr(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr B;
    OK(ctx, gs_csr_move(&B, ctx, gs_location(ctx), A));
    return B;
}

/* --- aggregates ---------------------------------------------------------------------------------
 */

typedef struct found { /* on the host */
    int32_t nodes, block, count;
    int32_t *degree, *neighbour, *of;
    uint8_t *strong;
} found;

static found find(gsolve_context *ctx, const gsolve_csr *A, int32_t block, double strength,
                  gs_aggregation kind)
{
    const int64_t entries = gsolve_csr_entries(A);
    const int32_t nodes = A->nrows / block;
    gsolve_csr B = send_csr(ctx, A);
    found f = {.nodes = nodes, .block = block};
    gs_connections G = {nodes, block, entries, NULL, NULL, NULL};
    int32_t *of = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)nodes, sizeof *of);

    G.strong = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)entries, 1);
    G.degree = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)nodes + 1, sizeof *G.degree);
    G.neighbour = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)entries, sizeof *G.neighbour);
    OK(ctx, GS_KERNELS(gs_strength, ctx, A->type)->connect(ctx, &B, strength, &G));
    OK(ctx, gs_aggregate_nodes(ctx, &B, &G, kind, of, &f.count));
    f.degree = fetch(ctx, G.degree, (size_t)nodes * sizeof *f.degree);
    f.neighbour = fetch(ctx, G.neighbour, (size_t)entries * sizeof *f.neighbour);
    f.strong = fetch(ctx, G.strong, (size_t)entries);
    f.of = fetch(ctx, of, (size_t)nodes * sizeof *f.of);
    gsolve_free(ctx, GSOLVE_DEVICE, of);
    gsolve_free(ctx, GSOLVE_DEVICE, G.strong);
    gsolve_free(ctx, GSOLVE_DEVICE, G.degree);
    gsolve_free(ctx, GSOLVE_DEVICE, G.neighbour);
    gsolve_csr_free(&B, ctx);
    return f;
}

static void drop(found *f)
{
    free(f->degree);
    free(f->neighbour);
    free(f->of);
    free(f->strong);
}

static const int32_t *neighbours(const found *f, const gsolve_csr *A, int32_t I)
{
    return f->neighbour + gs_start(A, I * f->block);
}

/* Flags and lists tell the same. */
static void check_connections(const found *f, const gsolve_csr *A)
{
    for (int32_t I = 0; I < f->nodes; I++) {
        const int32_t *J = neighbours(f, A, I);
        const int64_t end = gs_start(A, (I + 1) * f->block);
        for (int32_t e = 0; e < f->degree[I]; e++) {
            assert_true(J[e] >= 0 && J[e] < f->nodes && J[e] != I);
            if (e > 0) assert_true(J[e - 1] < J[e]);
        }
        for (int64_t k = gs_start(A, I * f->block); k < end; k++) {
            const int32_t node = A->col[k] / f->block;
            bool listed = node == I;
            for (int32_t e = 0; e < f->degree[I]; e++) listed |= J[e] == node;
            assert_int_equal(f->strong[k], listed);
        }
    }
}

/* Every connected node is in one; each is connected: growing from one of its nodes reaches all; and
 * each has a node whose neighbours all are in it, its root. A's pattern and values are symmetric.
 */
static void check_aggregates(const found *f, const gsolve_csr *A)
{
    int32_t *reached = calloc((size_t)f->nodes + 1, sizeof *reached);
    int32_t *begun = calloc((size_t)f->count + 1, sizeof *begun);
    int32_t *rooted = calloc((size_t)f->count + 1, sizeof *rooted);
    bool more = true;

    for (int32_t I = 0; I < f->nodes; I++) {
        const int32_t *J = neighbours(f, A, I), g = f->of[I];
        bool root = true;
        assert_true(f->degree[I] > 0 ? g >= 0 && g < f->count : g == -1);
        if (g < 0) continue;
        for (int32_t e = 0; e < f->degree[I]; e++) root &= f->of[J[e]] == g;
        rooted[g] |= root;
        if (!begun[g]) begun[g] = reached[I] = 1;
    }
    while (more) {
        more = false;
        for (int32_t I = 0; I < f->nodes; I++) {
            const int32_t *J = neighbours(f, A, I);
            for (int32_t e = 0; e < f->degree[I] && reached[I]; e++) {
                if (f->of[J[e]] != f->of[I] || reached[J[e]]) continue;
                reached[J[e]] = 1;
                more = true;
            }
        }
    }
    for (int32_t I = 0; I < f->nodes; I++) assert_true(f->of[I] < 0 || reached[I]);
    for (int32_t g = 0; g < f->count; g++) assert_true(begun[g] && rooted[g]);
    free(reached);
    free(begun);
    free(rooted);
}

static void assert_same_aggregates(const found *a, const found *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->degree, b->degree, (size_t)a->nodes * sizeof *a->degree);
    assert_memory_equal(a->of, b->of, (size_t)a->nodes * sizeof *a->of);
}

static const struct {
    const char *name;
    int32_t block;
} symmetric[] = {
    {"gen:poisson2d,n=23", 1},
    {"gen:poisson3d,n=11", 1},
    {"gen:poisson3d27,n=7", 1},
    {"gen:anisotropic3d,n=9", 1},
    {"gen:jump3d,n=11,cells=3", 1},
    {"gen:elasticity3d,n=4", 3},
    {"gen:elasticity3d,n=3", 1},
    {"gen:tridiagonal,n=1", 1},
    {"gen:tridiagonal,n=0", 1},
    {"gen:tridiagonal,n=2", 1},
    {"gen:tridiagonal,n=60", 2},
    {"gen:neumann2d,n=6", 1},
    {"gen:circuit,n=3000,dense=2", 1},
    {"gen:poisson3d,n=24", 1},
    {"gen:tridiagonal,n=90,low=0,high=0", 1},
};
enum { SYMMETRIC = sizeof symmetric / sizeof *symmetric };

static void test_aggregates(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int m = 0; m < SYMMETRIC; m++) {
        for (int kind = GS_AGGREGATION_AUTO; kind <= GS_AGGREGATION_MIS2; kind++) {
            gsolve_csr A = read_matrix(ctx, symmetric[m].name);
            found f = find(ctx, &A, symmetric[m].block, 0.08, (gs_aggregation)kind);
            check_connections(&f, &A);
            check_aggregates(&f, &A);
            drop(&f);
            gsolve_csr_free(&A, ctx);
        }
    }
    close_context(ctx);
}

/* Also where connections go one way only, and values are narrow. */
static void test_same_everywhere(void **state)
{
    static const char *const more[] = {"gen:convdiff3d,n=9", "gen:rmat,scale=9",
                                       "gen:poisson3d,n=21", "gen:web,n=700,longest=200"};
    gsolve_context *ctx = open_context(2), *one = NULL, *two = NULL;

    (void)state;
    assert_int_equal(gsolve_context_create(&one, "cpu,threads=1"), GSOLVE_OK);
    assert_int_equal(gsolve_context_create(&two, "cpu,threads=2"), GSOLVE_OK);
    for (int m = 0; m < 2 * (SYMMETRIC + 4); m++) {
        const int at = m / 2;
        const char *name = at < SYMMETRIC ? symmetric[at].name : more[at - SYMMETRIC];
        const int32_t block = at < SYMMETRIC ? symmetric[at].block : 1;
        gsolve_csr A = read_matrix(one, name), B;
        OK(one, gsolve_csr_convert(&B, one, m % 2 ? GSOLVE_F32 : GSOLVE_F64, &A));
        found a = find(ctx, &B, block, 0.06, GS_AGGREGATION_MIS2);
        found b = find(one, &B, block, 0.06, GS_AGGREGATION_MIS2);
        found c = find(two, &B, block, 0.06, GS_AGGREGATION_MIS2);
        assert_same_aggregates(&a, &b);
        assert_same_aggregates(&a, &c);
        for (int32_t I = 0; I < a.nodes; I++) assert_true(a.degree[I] == 0 || a.of[I] >= 0);
        drop(&a);
        drop(&b);
        drop(&c);
        gsolve_csr_free(&A, one);
        gsolve_csr_free(&B, one);
    }
    close_context(one);
    close_context(two);
    close_context(ctx);
}

/* --- P, R and the coarse vectors
 * ------------------------------------------------------------------ */

typedef struct coarsened { /* on the host */
    gsolve_csr P, R;
    int32_t k;
    double *near_null; /* P.ncols x k by columns */
} coarsened;

static gs_amg_options options = {.strength = -1, .damping = 4.0 / 3, .pairings = 2};

static gsolve_dense send_dense(gsolve_context *ctx, const double *B, int32_t n, int32_t k)
{
    gsolve_dense v;
    OK(ctx, gs_dense_new(&v, ctx, gs_location(ctx), GSOLVE_F64, n, k));
    OK(ctx, gsolve_copy(ctx, v.value, v.location, B, GSOLVE_HOST,
                        (size_t)n * (size_t)k * sizeof(double)));
    return v;
}

static coarsened fetch_transfer(gsolve_context *ctx, const gs_transfer *T)
{
    coarsened c = {.k = T->near_null.ncols};

    c.P = fetch_csr(ctx, &T->P);
    c.R = fetch_csr(ctx, &T->R);
    assert_int_equal(T->near_null.nrows, c.P.ncols);
    assert_int_equal(T->block, c.k);
    c.near_null = fetch(ctx, T->near_null.value, (size_t)c.P.ncols * (size_t)c.k * sizeof(double));
    return c;
}

static void drop_coarsened(coarsened *c, gsolve_context *ctx)
{
    gsolve_csr_free(&c->P, ctx);
    gsolve_csr_free(&c->R, ctx);
    free(c->near_null);
}

/* Built of A; if update, of first and updated to A. */
static coarsened coarsen(gsolve_context *ctx, const gs_coarsening *C, const gsolve_csr *A,
                         const gsolve_csr *first, int32_t block, const double *B, int32_t k)
{
    gsolve_csr there = send_csr(ctx, A), before = send_csr(ctx, first ? first : A);
    gs_level_view fine = {
        .A = &before, .block = block, .near_null = send_dense(ctx, B, A->nrows, k)};
    gs_transfer T;
    coarsened c;

    OK(ctx, C->build(&T, ctx, &fine, &options));
    fine.A = &there;
    if (first) OK(ctx, C->update(&T, ctx, &fine, &options));
    c = fetch_transfer(ctx, &T);
    C->destroy(&T, ctx);
    gsolve_free(ctx, fine.near_null.location, fine.near_null.value);
    gsolve_csr_free(&there, ctx);
    gsolve_csr_free(&before, ctx);
    return c;
}

/* The largest |P near_null_c - B| over the rows that P has. */
static double misses(const coarsened *c, const double *B)
{
    double most = 0;

    for (int32_t i = 0; i < c->P.nrows; i++) {
        for (int32_t v = 0; v < c->k; v++) {
            double sum = 0;
            for (int64_t e = gs_start(&c->P, i); e < gs_start(&c->P, i + 1); e++) {
                sum += gs_value(&c->P, e) * c->near_null[c->P.col[e] + (int64_t)v * c->P.ncols];
            }
            if (gs_start(&c->P, i) == gs_start(&c->P, i + 1)) continue;
            most = fmax(most, fabs(sum - B[i + (int64_t)v * c->P.nrows]));
        }
    }
    return most;
}

/* R = P', and both ascend. */
static void check_transposed(gsolve_context *ctx, const coarsened *c)
{
    gsolve_csr R;
    bool clean = false;

    OK(ctx, gs_csr_check(ctx, &c->P, &clean));
    assert_true(clean);
    OK(ctx, gsolve_csr_transpose(&R, ctx, &c->P));
    assert_int_equal(gsolve_csr_entries(&R), gsolve_csr_entries(&c->R));
    for (int32_t i = 0; i <= R.nrows; i++) assert_int_equal(gs_start(&R, i), gs_start(&c->R, i));
    for (int64_t e = 0; e < gsolve_csr_entries(&R); e++) {
        assert_int_equal(R.col[e], c->R.col[e]);
        assert_true(gs_value(&R, e) == gs_value(&c->R, e));
    }
    gsolve_csr_free(&R, ctx);
}

/* Columns of P orthonormal or zero, where k > 1. Returns how many are zero. */
static int32_t check_orthonormal(const coarsened *c)
{
    int32_t zeros = 0;

    for (int32_t j = 0; j < c->R.nrows; j++) {
        const int32_t first = j / c->k * c->k;
        for (int32_t l = first; l <= j; l++) {
            const int64_t a = gs_start(&c->R, j), b = gs_start(&c->R, l);
            double sum = 0;
            for (int64_t e = 0; e < gs_start(&c->R, j + 1) - a; e++) {
                assert_int_equal(c->R.col[a + e], c->R.col[b + e]);
                sum += gs_value(&c->R, a + e) * gs_value(&c->R, b + e);
            }
            if (l == j && sum == 0) {
                zeros++;
            } else {
                assert_true(fabs(sum - (l == j)) < 1e-12);
            }
        }
    }
    return zeros;
}

/* Vectors as of a body of n / block nodes in a row; the first are constants. */
static double *vectors(int32_t n, int32_t block, int32_t k)
{
    double *B = calloc((size_t)n * (size_t)k + 1, sizeof *B);

    for (int32_t i = 0; i < n; i++) {
        for (int32_t v = 0; v < k; v++) {
            B[i + (int64_t)v * n] = v < block ? i % block == v : cos(i / block * 0.1 + v * i % 7);
        }
    }
    return B;
}

static void test_tentative(void **state)
{
    static const struct {
        const char *name;
        int32_t block, k;
        bool deficient;
    } cases[] = {{"gen:poisson2d,n=17", 1, 1, false},
                 {"gen:poisson3d,n=9", 1, 3, false},
                 {"gen:elasticity3d,n=4", 3, 6, false},
                 {"gen:elasticity3d,n=3", 3, 3, false},
                 {"gen:elasticity3d,n=3", 3, 1, false},
                 {"gen:tridiagonal,n=30", 1, 5, true},
                 {"gen:tridiagonal,n=1", 1, 1, false},
                 {"gen:tridiagonal,n=0", 1, 2, false},
                 {"gen:tridiagonal,n=9,low=0,high=0", 1, 2, false}};
    gsolve_context *ctx = open_context(2);

    (void)state;
    options.damping = 0;
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        gsolve_csr A = read_matrix(ctx, cases[m].name);
        double *B = vectors(A.nrows, cases[m].block, cases[m].k);
        coarsened c = coarsen(ctx, &gs_amg_sa, &A, NULL, cases[m].block, B, cases[m].k);
        assert_true(misses(&c, B) < 1e-13);
        check_transposed(ctx, &c);
        if (c.k > 1) {
            const int32_t zeros = check_orthonormal(&c);
            assert_true(cases[m].deficient ? zeros > 0 : zeros == 0);
        }
        drop_coarsened(&c, ctx);
        free(B);
        gsolve_csr_free(&A, ctx);
    }
    options.damping = 4.0 / 3;
    close_context(ctx);
}

/* Smoothing changes nothing where A's rows sum to zero; else it moves P. */
static void test_smoothed(void **state)
{
    static const char *const names[] = {"gen:neumann2d,n=15", "gen:poisson3d,n=10",
                                        "gen:anisotropic3d,n=9"};
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int m = 0; m < 3; m++) {
        gsolve_csr A = read_matrix(ctx, names[m]);
        double *B = vectors(A.nrows, 1, 1);
        coarsened c = coarsen(ctx, &gs_amg_sa, &A, NULL, 1, B, 1);
        check_transposed(ctx, &c);
        assert_true(gsolve_csr_entries(&c.P) > c.P.nrows);
        if (m == 0) assert_true(misses(&c, B) < 1e-14);
        if (m > 0) assert_true(misses(&c, B) > 0.1 && misses(&c, B) < 1);
        drop_coarsened(&c, ctx);
        free(B);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

static void assert_same_csr(const gsolve_csr *A, const gsolve_csr *B, double tolerance)
{
    assert_int_equal(gsolve_csr_entries(A), gsolve_csr_entries(B));
    for (int32_t i = 0; i <= A->nrows; i++) assert_int_equal(gs_start(A, i), gs_start(B, i));
    for (int64_t e = 0; e < gsolve_csr_entries(A); e++) {
        assert_int_equal(A->col[e], B->col[e]);
        assert_true(fabs(gs_value(A, e) - gs_value(B, e)) <= tolerance);
    }
}

/* A with every row and column scaled, so that strength is the same but values are not. */
static gsolve_csr scaled(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr B;
    double *value;

    OK(ctx, gsolve_csr_convert(&B, ctx, A->type, A));
    value = (double *)(uintptr_t)B.value;
    for (int64_t e = 0; e < gsolve_csr_entries(A); e++) value[e] *= 4;
    return B;
}

/* An update's bits are a build's; the CPU and the device agree; offsets of either width. */
static void test_update(void **state)
{
    static const struct {
        const char *name;
        int32_t block, k;
    } cases[] = {{"gen:poisson3d,n=10", 1, 1},   {"gen:jump3d,n=10,cells=2", 1, 1},
                 {"gen:elasticity3d,n=4", 3, 6}, {"gen:poisson3d27,n=8", 1, 2},
                 {"gen:convdiff3d,n=8", 1, 1},   {"gen:circuit,n=2500,dense=2", 1, 1},
                 {"gen:rmat,scale=9", 1, 1}};
    gsolve_context *ctx = open_context(2), *cpu = NULL;
    const gs_coarsening *const kinds[] = {&gs_amg_sa, &gs_amg_ua};

    (void)state;
    assert_int_equal(gsolve_context_create(&cpu, "cpu,threads=1"), GSOLVE_OK);
    options.aggregation = GS_AGGREGATION_MIS2;
    for (size_t m = 0; m < 2 * sizeof cases / sizeof *cases; m++) {
        const gs_coarsening *C = kinds[m % 2];
        const int32_t block = cases[m / 2].block, k = cases[m / 2].k;
        gsolve_csr A = read_matrix(ctx, cases[m / 2].name), S = scaled(ctx, &A), W = A;
        int64_t *wide = malloc(((size_t)A.nrows + 1) * sizeof *wide);
        double *B = vectors(A.nrows, block, k);
        for (int32_t i = 0; i <= A.nrows; i++) wide[i] = gs_start(&A, i);
        W.start = wide;
        W.offset = GSOLVE_O64;
        coarsened a = coarsen(ctx, C, &A, NULL, block, B, k);
        coarsened b = coarsen(ctx, C, &A, &S, block, B, k);
        coarsened c = coarsen(cpu, C, &A, NULL, block, B, k);
        coarsened d = coarsen(ctx, C, &W, NULL, block, B, k);
        assert_same_csr(&a.P, &b.P, 0);
        assert_same_csr(&a.R, &b.R, 0);
        assert_same_csr(&a.P, &c.P, 1e-11);
        assert_same_csr(&a.P, &d.P, 0);
        check_transposed(ctx, &a);
        drop_coarsened(&a, ctx);
        drop_coarsened(&b, ctx);
        drop_coarsened(&c, cpu);
        drop_coarsened(&d, ctx);
        free(wide);
        free(B);
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&S, ctx);
    }
    options.aggregation = GS_AGGREGATION_AUTO;
    close_context(cpu);
    close_context(ctx);
}

/* --- pairs
 * ---------------------------------------------------------------------------------------- */

static void test_pairs(void **state)
{
    static const struct {
        const char *name;
        int32_t block;
        double least, most; /* mean nodes of an aggregate */
    } cases[] = {{"gen:poisson2d,n=40", 1, 3, 4.5},       {"gen:poisson3d,n=14", 1, 3, 4.5},
                 {"gen:convdiff3d,n=12", 1, 2.5, 4.5},    {"gen:elasticity3d,n=5", 3, 2.5, 4.5},
                 {"gen:tridiagonal,n=1000", 1, 2.5, 4.5}, {"gen:tridiagonal,n=2", 1, 2, 2}};
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        gsolve_csr A = read_matrix(ctx, cases[m].name);
        double *B = vectors(A.nrows, cases[m].block, cases[m].block);
        coarsened c = coarsen(ctx, &gs_amg_ua, &A, NULL, cases[m].block, B, cases[m].block);
        const double mean = (double)A.nrows / c.P.ncols;
        assert_true(misses(&c, B) < 1e-14);
        if (mean < cases[m].least || mean > cases[m].most) fail_msg("%s: %g", cases[m].name, mean);
        assert_int_equal(gsolve_csr_entries(&c.P), (int64_t)A.nrows * c.k);
        drop_coarsened(&c, ctx);
        free(B);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* --- rigid motions
 * -------------------------------------------------------------------------------- */

/* An elastic body does not resist them, where it is not held. */
static void test_rigid_body(void **state)
{
    const int32_t n = 4, side = n + 1, nodes = n * side * side;
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:elasticity3d,n=4");
    double *xyz = malloc(3 * (size_t)nodes * sizeof *xyz), *b;
    gsolve_dense places, B;

    (void)state;
    for (int32_t I = 0; I < nodes; I++) {
        xyz[I] = 100 + I % n + 1;
        xyz[I + nodes] = I / n % side;
        xyz[I + 2 * nodes] = I / n / side - 7;
    }
    places = send_dense(ctx, xyz, nodes, 3);
    OK(ctx, gs_rigid_body_modes(&B, ctx, GSOLVE_F64, places));
    assert_int_equal(B.nrows, A.nrows);
    assert_int_equal(B.ncols, 6);
    b = fetch(ctx, B.value, 6 * (size_t)A.nrows * sizeof *b);
    for (int32_t i = 0; i < A.nrows; i++) {
        const int32_t x = i / 3 % n;
        for (int32_t m = 0; m < 6 && x > 0; m++) {
            double sum = 0;
            for (int64_t e = gs_start(&A, i); e < gs_start(&A, i + 1); e++) {
                sum += gs_value(&A, e) * b[A.col[e] + m * A.nrows];
            }
            assert_true(fabs(sum) < 1e-12);
        }
    }
    free(b);
    free(xyz);
    gsolve_free(ctx, B.location, B.value);
    places.ncols = 1;
    assert_int_equal(gs_rigid_body_modes(&B, ctx, GSOLVE_F64, places), GSOLVE_BAD_ARGUMENT);
    gsolve_free(ctx, places.location, places.value);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* --- what is refused, and what fails
 * --------------------------------------------------------------- */

static void test_refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:tridiagonal,n=7"), there = send_csr(ctx, &A);
    double ones[7] = {1, 1, 1, 1, 1, 1, 1};
    gs_level_view fine = {.A = &there, .block = 2, .near_null = send_dense(ctx, ones, 7, 1)};
    gs_transfer T;

    (void)state;
    assert_int_equal(gs_amg_sa.build(&T, ctx, &fine, &options), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "7 unknowns are not nodes of 2"));
    fine.block = 65;
    assert_int_equal(gs_amg_ua.build(&T, ctx, &fine, &options), GSOLVE_UNSUPPORTED);
    gsolve_free(ctx, fine.near_null.location, fine.near_null.value);
    gsolve_csr_free(&there, ctx);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

static void test_allocations(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:elasticity3d,n=3"), there = send_csr(ctx, &A);
    double *B = vectors(A.nrows, 3, 6);
    gs_level_view fine = {.A = &there, .block = 3, .near_null = send_dense(ctx, B, A.nrows, 6)};
    gs_transfer T;

    (void)state;
    ALLOCATION_SWEEP(ctx, gs_amg_sa.build(&T, ctx, &fine, &options));
    ALLOCATION_SWEEP(ctx, gs_amg_sa.update(&T, ctx, &fine, &options));
    gs_amg_sa.destroy(&T, ctx);
    ALLOCATION_SWEEP(ctx, gs_amg_ua.build(&T, ctx, &fine, &options));
    gs_amg_ua.destroy(&T, ctx);
    gsolve_free(ctx, fine.near_null.location, fine.near_null.value);
    free(B);
    gsolve_csr_free(&there, ctx);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aggregates),  cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_tentative),   cmocka_unit_test(test_smoothed),
        cmocka_unit_test(test_update),      cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_rigid_body),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_allocations),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
