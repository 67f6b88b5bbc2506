/* test_classical.c: coarsening by a splitting: what a splitting promises, interpolation beside its
 * formula in dense matrices, constants, truncation, new values, and that two grids converge.
 * $GSOLVE_TEST_DEVICE names the device. */
#include <cs.h>
#include <math.h>

#include "core/staging.h"
#include "precond/amg/coarsening/classical/classical.h"
#include "precond/amg/coarsening/coarsening.h"
#include "spgemm/spgemm.h"
#include "tests/common.h"

static const gs_amg_options usual = {.strength = -1, .most = 4};

/* --- levels on the device, results on the host -------------------------------------------------
 */

typedef struct level {
    gsolve_context *ctx;
    gsolve_csr host, A; /* A: where ctx's kernels work */
    gs_level_view view;
} level;

static level open_level(gsolve_context *ctx, gsolve_csr host, int32_t block)
{
    level l = {.ctx = ctx, .host = host};

    OK(ctx, gs_csr_move(&l.A, ctx, gs_location(ctx), &l.host));
    l.view.block = block;
    l.view.near_null.ncols = block;
    return l;
}

/* The same level with l's address known to its parts. */
static const gs_level_view *fine_of(level *l)
{
    l->view.A = &l->A;
    return &l->view;
}

static level read_level(gsolve_context *ctx, const char *name)
{
    return open_level(ctx, read_matrix(ctx, name), 1);
}

static void close_level(level *l)
{
    gsolve_csr_free(&l->A, l->ctx);
    gsolve_csr_free(&l->host, l->ctx);
}

static gsolve_csr fetch(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr B;
    OK(ctx, gs_csr_move(&B, ctx, GSOLVE_HOST, A));
    return B;
}

/* n bytes of the device's in memory that is the test's to free. */
static void *fetch_bytes(gsolve_context *ctx, const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    OK(ctx, gsolve_copy(ctx, to, GSOLVE_HOST, from, gs_location(ctx), bytes));
    return to;
}

/* P of a level, on the host. */
static gsolve_csr prolongation(level *l, const gs_amg_options *options)
{
    gs_transfer T = {0};
    gsolve_csr P;

    OK(l->ctx, gs_amg_classical.build(&T, l->ctx, fine_of(l), options));
    P = fetch(l->ctx, &T.P);
    gs_amg_classical.destroy(&T, l->ctx);
    return P;
}

static double row_sum(const gsolve_csr *A, int32_t i)
{
    double sum = 0;
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) sum += gs_value(A, k);
    return sum;
}

static double row_largest(const gsolve_csr *A, int32_t i)
{
    double most = 0;
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        most = fmax(most, fabs(gs_value(A, k)));
    }
    return most;
}

static void check_ascending(const gsolve_csr *P)
{
    for (int32_t i = 0; i < P->nrows; i++) {
        for (int64_t k = gs_start(P, i); k < gs_start(P, i + 1); k++) {
            assert_true(P->col[k] >= 0 && P->col[k] < P->ncols);
            assert_true(k == gs_start(P, i) || P->col[k - 1] < P->col[k]);
            assert_true(isfinite(gs_value(P, k)));
        }
    }
}

/* --- splitting -------------------------------------------------------------------------------- */

typedef struct splitting {
    uint8_t *mark, *kind;
} splitting;

static splitting split_level(level *l, double strength, bool twice)
{
    gsolve_context *ctx = l->ctx;
    const gsolve_csr *A = &l->A;
    const size_t entries = (size_t)gs_start(&l->host, A->nrows), n = (size_t)A->nrows;
    gs_points p = {.A = A};
    splitting s;

    p.mark = gsolve_alloc(ctx, GSOLVE_DEVICE, entries, 1);
    p.kind = gsolve_alloc(ctx, GSOLVE_DEVICE, n, 1);
    OK(ctx, GS_KERNELS(gs_strength, ctx, A->type)->depend(ctx, &p, strength));
    OK(ctx, GS_KERNELS(gs_classical_split, ctx, A->type)->split(ctx, &p, false));
    if (twice) OK(ctx, gs_split_again(ctx, &p));
    s.mark = fetch_bytes(ctx, p.mark, entries);
    s.kind = fetch_bytes(ctx, p.kind, n);
    gsolve_free(ctx, GSOLVE_DEVICE, p.mark);
    gsolve_free(ctx, GSOLVE_DEVICE, p.kind);
    return s;
}

static void drop_splitting(splitting *s)
{
    free(s->mark);
    free(s->kind);
}

static double diagonal_of(const gsolve_csr *A, int32_t i)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        if (A->col[k] == i) return gs_value(A, k);
    }
    return 0;
}

/* Marks and alone points as the definition has them. */
static void check_strength(const gsolve_csr *A, const splitting *s, double strength)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        const double d = diagonal_of(A, i), sign = d > 0 ? 1 : d < 0 ? -1 : 0;
        double most = 0;
        bool any = false;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            if (A->col[k] != i) most = fmax(most, -sign * gs_value(A, k));
        }
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const double v = -sign * gs_value(A, k);
            const bool strong = A->col[k] != i && v > 0 && v >= strength * most;
            assert_int_equal((s->mark[k] & GS_STRONG) != 0, strong);
            assert_int_equal((s->mark[k] & GS_SAME) != 0, A->col[k] != i);
            any |= strong;
        }
        assert_int_equal(s->kind[i] == GS_ISOLATED, !any);
    }
}

/* Whether i depends on j by one strong connection, or at most two. */
static bool depends(const gsolve_csr *A, const splitting *s, int32_t i, int32_t j, int ways)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        if (!(s->mark[k] & GS_STRONG)) continue;
        if (A->col[k] == j || (ways > 1 && depends(A, s, A->col[k], j, 1))) return true;
    }
    return false;
}

/* Whether i depends on a C point by at most so many connections. */
static bool is_served(const gsolve_csr *A, const splitting *s, int32_t i, uint8_t least, int ways)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const int32_t j = A->col[k];
        if (!(s->mark[k] & GS_STRONG)) continue;
        if (s->kind[j] >= least || (ways > 1 && is_served(A, s, j, least, ways - 1))) return true;
    }
    return false;
}

/* No C points that depend on each other; F points with one near, unless all that they depend on
 * are alone. */
static void check_points(const gsolve_csr *A, const splitting *s, uint8_t least, int ways)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        bool all_alone = true;
        assert_true(s->kind[i] != GS_UNDECIDED);
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            if (s->mark[k] & GS_STRONG) all_alone &= s->kind[A->col[k]] == GS_ISOLATED;
        }
        if (s->kind[i] == GS_F && !all_alone) assert_true(is_served(A, s, i, GS_INTERMEDIATE_C, 2));
        if (s->kind[i] == GS_INTERMEDIATE_C) assert_true(is_served(A, s, i, GS_C, 2));
        for (int32_t j = 0; j < A->nrows && s->kind[i] >= least; j++) {
            if (j == i || s->kind[j] < least || !depends(A, s, i, j, ways)) continue;
            assert_false(depends(A, s, j, i, ways));
        }
    }
}

static const char *const split_matrices[] = {"gen:poisson2d,n=20",
                                             "gen:poisson3d,n=8",
                                             "gen:poisson3d27,n=7",
                                             "gen:anisotropic3d,n=8",
                                             "gen:jump3d,n=8,cells=3",
                                             "gen:convdiff3d,n=8",
                                             "gen:rmat,scale=8",
                                             "gen:circuit,n=400,dense=2",
                                             "gen:web,n=400,longest=200",
                                             "gen:emptyrows,n=60",
                                             "gen:tridiagonal,n=1",
                                             "gen:tridiagonal,n=0",
                                             "gen:band,n=333",
                                             "gen:elasticity3d,n=4",
                                             "gen:neumann2d,n=12",
                                             "gen:tridiagonal,n=300,low=1,diag=-3,high=1"};
enum { SPLIT_MATRICES = sizeof split_matrices / sizeof *split_matrices };

static void splittings(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < SPLIT_MATRICES; m++) {
        level l = read_level(ctx, split_matrices[m]);
        splitting once = split_level(&l, 0.25, false), twice = split_level(&l, 0.25, true);
        check_strength(&l.host, &once, 0.25);
        check_points(&l.host, &once, GS_C, 1);
        check_points(&l.host, &twice, GS_INTERMEDIATE_C, 1);
        check_points(&l.host, &twice, GS_C, 2);
        for (int32_t i = 0; i < l.host.nrows; i++) {
            assert_int_equal(once.kind[i],
                             twice.kind[i] == GS_INTERMEDIATE_C ? GS_C : twice.kind[i]);
        }
        drop_splitting(&once);
        drop_splitting(&twice);
        close_level(&l);
    }
    close_context(ctx);
}

/* Far fewer points on grids, and fewer still by two stages. */
static void sizes(void **state)
{
    gsolve_context *ctx = open_context(2);
    level l = read_level(ctx, "gen:poisson3d,n=20");
    gs_amg_options options = usual;
    (void)state;

    gsolve_csr P = prolongation(&l, &options);
    assert_in_range(P.ncols, 8000 / 5, 8000 / 2);
    gsolve_csr_free(&P, ctx);
    options.aggressive = 1;
    P = prolongation(&l, &options);
    assert_in_range(P.ncols, 8000 / 50, 8000 / 8);
    gsolve_csr_free(&P, ctx);
    close_level(&l);
    close_context(ctx);
}

/* --- interpolation beside its formula ----------------------------------------------------------
 */

typedef struct dense {
    int32_t n;
    double *a;     /* n x n */
    uint8_t *mark; /* n x n */
} dense;

static dense spread(const gsolve_csr *A, const splitting *s)
{
    const size_t n = (size_t)A->nrows;
    dense D = {A->nrows, calloc(n * n + 1, sizeof(double)), calloc(n * n + 1, 1)};

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            D.a[(size_t)i * n + (size_t)A->col[k]] = gs_value(A, k);
            D.mark[(size_t)i * n + (size_t)A->col[k]] = s->mark[k];
        }
    }
    return D;
}

static double a_of(const dense *D, int32_t i, int32_t j)
{
    return D->a[(int64_t)i * D->n + j];
}

static bool strong_of(const dense *D, int32_t i, int32_t j)
{
    return (D->mark[(int64_t)i * D->n + j] & GS_STRONG) != 0;
}

/* b_kl */
static double b_of(const dense *D, int32_t k, int32_t l)
{
    const double a = a_of(D, k, l);
    return a * a_of(D, k, k) < 0 ? a : 0;
}

/* w[j] = extended+i's weights of F point i on all points; in[j]: j is in C_i. */
static void weights(const dense *D, const uint8_t *kind, uint8_t least, int32_t i, double *w,
                    bool *in)
{
    double d = a_of(D, i, i), sum = 0;

    for (int32_t j = 0; j < D->n; j++) {
        in[j] = kind[j] >= least && strong_of(D, i, j);
        for (int32_t k = 0; k < D->n && kind[j] >= least; k++) {
            in[j] |= kind[k] < least && strong_of(D, i, k) && strong_of(D, k, j);
        }
        w[j] = in[j] ? a_of(D, i, j) : 0;
    }
    for (int32_t k = 0; k < D->n; k++) {
        double Dk = b_of(D, k, i);
        if (k == i || kind[k] == GS_ISOLATED || in[k]) continue;
        for (int32_t l = 0; l < D->n; l++) Dk += in[l] ? b_of(D, k, l) : 0;
        if (!strong_of(D, i, k) || Dk == 0) {
            d += a_of(D, i, k);
            continue;
        }
        for (int32_t l = 0; l < D->n; l++) {
            if (in[l]) w[l] += a_of(D, i, k) * b_of(D, k, l) / Dk;
        }
        d += a_of(D, i, k) * b_of(D, k, i) / Dk;
    }
    for (int32_t j = 0; j < D->n; j++) sum += w[j];
    if (!(d * a_of(D, i, i) > 0)) d = -sum;
    for (int32_t j = 0; j < D->n; j++) w[j] = d != 0 ? -w[j] / d : 0;
}

static void check_row(const gsolve_csr *P, const int32_t *number, int32_t i, int32_t n,
                      const double *w, const bool *in)
{
    int64_t k = gs_start(P, i);

    for (int32_t j = 0; j < n; j++) {
        if (!in[j]) continue;
        assert_true(k < gs_start(P, i + 1));
        assert_int_equal(P->col[k], number[j]);
        assert_true(fabs(gs_value(P, k) - w[j]) <= 1e-11 * (1 + fabs(w[j])));
        k++;
    }
    assert_int_equal(k, gs_start(P, i + 1));
}

static void check_formula(gsolve_context *ctx, const char *name)
{
    level l = read_level(ctx, name);
    const int32_t n = l.host.nrows;
    gs_amg_options options = usual;
    splitting s = split_level(&l, 0.25, false);
    dense D = spread(&l.host, &s);
    double *w = malloc((size_t)n * sizeof *w + 1);
    bool *in = malloc((size_t)n + 1);
    int32_t *number = malloc((size_t)n * sizeof *number + 1), count = 0;

    for (int32_t i = 0; i < n; i++) number[i] = s.kind[i] == GS_C ? count++ : -1;
    options.most = 0;
    gsolve_csr P = prolongation(&l, &options);
    assert_int_equal(P.nrows, n);
    assert_int_equal(P.ncols, count);
    for (int32_t i = 0; i < n; i++) {
        if (s.kind[i] == GS_F) {
            weights(&D, s.kind, GS_C, i, w, in);
        } else {
            for (int32_t j = 0; j < n; j++) in[j] = j == i && s.kind[i] == GS_C, w[j] = 1;
        }
        check_row(&P, number, i, n, w, in);
    }
    gsolve_csr_free(&P, ctx);
    free(w), free(in), free(number), free(D.a), free(D.mark);
    drop_splitting(&s);
    close_level(&l);
}

static void formula(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < SPLIT_MATRICES; m++) check_formula(ctx, split_matrices[m]);
    close_context(ctx);
}

/* --- constants -------------------------------------------------------------------------------- */

static void constants(void **state)
{
    static const char *const matrix[] = {"gen:neumann2d,n=30", "gen:poisson3d,n=12",
                                         "gen:jump3d,n=10,cells=3", "gen:anisotropic3d,n=12"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < 4 * 2 * 2 * 2; m++) {
        level l = read_level(ctx, matrix[m / 8]);
        gs_amg_options options = usual;
        options.interpolation = m & 1 ? GS_ONE_POINT : GS_EXTENDED_I;
        options.aggressive = m >> 1 & 1;
        options.most = m & 4 ? 0 : 4;
        options.truncate = m & 4 ? 0.2 : 0;
        gsolve_csr P = prolongation(&l, &options);
        check_ascending(&P);
        for (int32_t i = 0; i < P.nrows; i++) {
            const bool zero = fabs(row_sum(&l.host, i)) < 1e-13 * row_largest(&l.host, i);
            if (gs_start(&P, i + 1) == gs_start(&P, i)) fail_msg("row %d has no entry", i);
            if (zero && m / 8 == 0) assert_true(fabs(row_sum(&P, i) - 1) < 1e-12);
            assert_true(row_sum(&P, i) < 1 + 1e-12);
        }
        gsolve_csr_free(&P, ctx);
        close_level(&l);
    }
    close_context(ctx);
}

/* --- truncation ------------------------------------------------------------------------------- */

static void truncation(void **state)
{
    gsolve_context *ctx = open_context(2);
    level l = read_level(ctx, "gen:poisson3d27,n=10");
    gs_amg_options options = usual;
    (void)state;

    options.most = 0;
    gsolve_csr whole = prolongation(&l, &options);
    for (int most = 1; most < 7; most++) {
        options.most = most;
        options.truncate = most == 6 ? 0.3 : 0;
        gsolve_csr P = prolongation(&l, &options);
        check_ascending(&P);
        for (int32_t i = 0; i < P.nrows; i++) {
            const double all = row_sum(&whole, i), most_of = row_largest(&P, i);
            const int64_t length = gs_start(&P, i + 1) - gs_start(&P, i);
            const int64_t had = gs_start(&whole, i + 1) - gs_start(&whole, i);
            assert_true(length <= most && length <= had && (length > 0 || had == 0));
            if (options.truncate == 0) assert_true(length == (had < most ? had : most));
            assert_true(fabs(row_sum(&P, i) - all) < 1e-13);
            for (int64_t k = gs_start(&P, i); k < gs_start(&P, i + 1); k++) {
                assert_true(fabs(gs_value(&P, k)) >= options.truncate * most_of * (1 - 1e-14));
            }
        }
        gsolve_csr_free(&P, ctx);
    }
    gsolve_csr_free(&whole, ctx);
    close_level(&l);
    close_context(ctx);
}

/* --- the same bits ---------------------------------------------------------------------------- */

static bool same_bits(const gsolve_csr *A, const gsolve_csr *B)
{
    const size_t entries = (size_t)gs_start(A, A->nrows);

    if (A->nrows != B->nrows || A->ncols != B->ncols || A->offset != B->offset) return false;
    return !memcmp(A->start, B->start, ((size_t)A->nrows + 1) * gs_offset_size(A->offset)) &&
           !memcmp(A->col, B->col, entries * sizeof *A->col) &&
           !memcmp(A->value, B->value, entries * gs_type_size(A->type));
}

static void bits(void **state)
{
    static const char *const matrix[] = {"gen:poisson3d,n=12", "gen:rmat,scale=9",
                                         "gen:convdiff3d,n=10"};
    (void)state;

    for (int m = 0; m < 6; m++) {
        gsolve_csr first = {0};
        gsolve_context *own = open_context(1);
        gs_amg_options options = usual;
        options.aggressive = m & 1;
        for (int run = 0; run < 10; run++) {
            gsolve_context *ctx = open_context(1 + run % 3);
            level l = read_level(ctx, matrix[m / 2]);
            gsolve_csr P = prolongation(&l, &options);
            if (run == 0) OK(own, gs_csr_move(&first, own, GSOLVE_HOST, &P));
            assert_true(same_bits(&first, &P));
            gsolve_csr_free(&P, ctx);
            close_level(&l);
            close_context(ctx);
        }
        gsolve_csr_free(&first, own);
        close_context(own);
    }
}

/* The device's splitting is the CPU's, and its interpolation too but for rounding. */
static void as_on_the_cpu(void **state)
{
    gsolve_context *cpu = NULL, *ctx = open_context(2);
    gs_amg_options options = usual;
    (void)state;

    OK(NULL, gsolve_context_create(&cpu, "cpu"));
    options.most = 0;
    for (int m = 0; m < 2 * SPLIT_MATRICES; m++) {
        level here = read_level(ctx, split_matrices[m / 2]);
        level there = read_level(cpu, split_matrices[m / 2]);
        splitting s = split_level(&here, 0.25, m & 1), t = split_level(&there, 0.25, m & 1);
        assert_memory_equal(s.kind, t.kind, (size_t)here.host.nrows);
        options.aggressive = m & 1;
        gsolve_csr P = prolongation(&here, &options), Q = prolongation(&there, &options);
        assert_int_equal(gs_start(&P, P.nrows), gs_start(&Q, Q.nrows));
        for (int64_t k = 0; k < gs_start(&P, P.nrows); k++) {
            assert_int_equal(P.col[k], Q.col[k]);
            assert_true(fabs(gs_value(&P, k) - gs_value(&Q, k)) <=
                        1e-10 * (1 + fabs(gs_value(&Q, k))));
        }
        gsolve_csr_free(&P, ctx);
        gsolve_csr_free(&Q, cpu);
        drop_splitting(&s);
        drop_splitting(&t);
        close_level(&here);
        close_level(&there);
    }
    close_context(ctx);
    close_context(cpu);
}

/* --- new values ------------------------------------------------------------------------------- */

/* l's values a little different, symmetrically, alike for the same entries. */
static void disturb(level *l, double by)
{
    double *a = (double *)(uintptr_t)l->host.value;

    for (int32_t i = 0; i < l->host.nrows; i++) {
        for (int64_t k = gs_start(&l->host, i); k < gs_start(&l->host, i + 1); k++) {
            const uint64_t least = (uint64_t)(l->host.col[k] < i ? l->host.col[k] : i);
            a[k] *= 1 + by * gsolve_random(7, least + 1000 * (uint64_t)(l->host.col[k] + i));
        }
    }
    OK(l->ctx, gsolve_copy(l->ctx, (void *)(uintptr_t)l->A.value, gs_location(l->ctx), a,
                           GSOLVE_HOST, (size_t)gs_start(&l->host, l->host.nrows) * sizeof *a));
}

/* With the same values an update changes nothing. With others it gives what a new set-up does as
 * far as that cuts rows alike: all of it where none is cut, sums where they are cut once. */
static void updates(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < 8; m++) {
        level l = read_level(ctx, "gen:poisson3d,n=10");
        gs_amg_options options = usual;
        gs_transfer T = {0};
        options.aggressive = m & 1;
        options.most = m & 2 ? 0 : 4;
        options.interpolation = m & 4 ? GS_ONE_POINT : GS_EXTENDED_I;
        OK(ctx, gs_amg_classical.build(&T, ctx, fine_of(&l), &options));
        gsolve_csr before = fetch(ctx, &T.P);
        OK(ctx, gs_amg_classical.update(&T, ctx, fine_of(&l), &options));
        gsolve_csr same = fetch(ctx, &T.P);
        for (int64_t k = 0; k < gs_start(&same, same.nrows); k++) {
            assert_true(fabs(gs_value(&same, k) - gs_value(&before, k)) < 1e-14);
        }
        disturb(&l, 0.01);
        OK(ctx, gs_amg_classical.update(&T, ctx, fine_of(&l), &options));
        gsolve_csr after = fetch(ctx, &T.P), R = fetch(ctx, &T.R), new = prolongation(&l, &options);
        for (int32_t i = 0; i < new.nrows && (m == 0 || m == 2 || m == 3); i++) {
            assert_true(fabs(row_sum(&new, i) - row_sum(&after, i)) < 1e-13);
        }
        for (int64_t k = 0; k < gs_start(&new, new.nrows) && (m == 2 || m == 3); k++) {
            assert_int_equal(new.col[k], after.col[k]);
            assert_true(fabs(gs_value(&new, k) - gs_value(&after, k)) < 1e-14);
        }
        gsolve_csr Pt;
        OK(ctx, gsolve_csr_transpose(&Pt, ctx, &after));
        assert_true(same_bits(&Pt, &R));
        gsolve_csr *const used[] = {&before, &same, &after, &R, &new, &Pt};
        for (int k = 0; k < 6; k++) gsolve_csr_free(used[k], ctx);
        gs_amg_classical.destroy(&T, ctx);
        close_level(&l);
    }
    close_context(ctx);
}

/* --- single precision ------------------------------------------------------------------------- */

static void single_precision(void **state)
{
    gsolve_context *ctx = open_context(2);
    level wide = read_level(ctx, "gen:poisson3d,n=9"), narrow = wide;
    const int64_t entries = gs_start(&wide.host, wide.host.nrows);
    float *value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *value);
    gs_amg_options options = usual;
    (void)state;

    for (int64_t k = 0; k < entries; k++) value[k] = (float)gs_value(&wide.host, k);
    narrow.host.type = GSOLVE_F32;
    narrow.host.value = value;
    OK(ctx, gs_csr_move(&narrow.A, ctx, gs_location(ctx), &narrow.host));
    for (int twice = 0; twice < 2; twice++) {
        options.aggressive = twice;
        options.most = 0;
        gsolve_csr P = prolongation(&wide, &options), Q = prolongation(&narrow, &options);
        assert_int_equal(Q.type, GSOLVE_F32);
        for (int64_t k = 0; k < gs_start(&P, P.nrows); k++) {
            assert_int_equal(P.col[k], Q.col[k]);
            assert_true(fabs(gs_value(&P, k) - gs_value(&Q, k)) < 1e-6);
        }
        gsolve_csr_free(&P, ctx);
        gsolve_csr_free(&Q, ctx);
    }
    gsolve_free(ctx, GSOLVE_HOST, value);
    gsolve_csr_free(&narrow.A, ctx);
    close_level(&wide);
    close_context(ctx);
}

/* --- components ------------------------------------------------------------------------------- */

/* Two unknowns a point of a grid: A kron [1 .3; .3 2] */
static gsolve_csr pair_up(gsolve_context *ctx, const gsolve_csr *A)
{
    static const double pair[2][2] = {{1, 0.3}, {0.3, 2}};
    const size_t entries = 4 * (size_t)gs_start(A, A->nrows);
    int32_t *row = malloc(entries * sizeof *row), *col = malloc(entries * sizeof *col);
    double *value = malloc(entries * sizeof *value);
    int64_t at = 0;
    gsolve_csr B;

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            for (int c = 0; c < 4; c++, at++) {
                row[at] = 2 * i + c / 2;
                col[at] = 2 * A->col[k] + c % 2;
                value[at] = gs_value(A, k) * pair[c / 2][c % 2];
            }
        }
    }
    OK(ctx, gs_csr_from_triplets(&B, ctx, 2 * A->nrows, 2 * A->ncols, at, row, col, value));
    free(row), free(col), free(value);
    return B;
}

/* Component c of each column of P: what near_null says; all rows of that component only. */
static void check_components(gsolve_context *ctx, const gs_transfer *T,
                             int32_t first_of_row(int32_t))
{
    const int32_t m = T->P.ncols;
    gsolve_csr P = fetch(ctx, &T->P);
    double *v = fetch_bytes(ctx, T->near_null.value, 2 * (size_t)m * sizeof *v);

    assert_int_equal(T->near_null.ncols, 2);
    assert_int_equal(T->block, 1);
    for (int32_t c = 0; c < m; c++) assert_true(v[c] + v[m + c] == 1 && v[c] * v[m + c] == 0);
    for (int32_t i = 0; i < P.nrows; i++) {
        for (int64_t k = gs_start(&P, i); k < gs_start(&P, i + 1); k++) {
            assert_true(v[first_of_row(i) * m + P.col[k]] == 1);
        }
    }
    free(v);
    gsolve_csr_free(&P, ctx);
}

static int32_t parity(int32_t i)
{
    return i % 2;
}

static void components(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=14");
    level l = open_level(ctx, pair_up(ctx, &A), 2), next;
    gs_transfer T = {0}, U = {0};
    (void)state;

    OK(ctx, gs_amg_classical.build(&T, ctx, fine_of(&l), &usual));
    check_components(ctx, &T, parity);
    gsolve_csr RA, C, P = fetch(ctx, &T.P), R = fetch(ctx, &T.R);
    OK(ctx, gsolve_csr_multiply(&RA, ctx, "auto", &R, &l.host));
    OK(ctx, gsolve_csr_multiply(&C, ctx, "auto", &RA, &P));
    next = open_level(ctx, C, 1);
    next.view.near_null = T.near_null;
    next.view.level = 1;
    OK(ctx, gs_amg_classical.build(&U, ctx, fine_of(&next), &usual));
    gsolve_csr Q = fetch(ctx, &U.P);
    double *v = fetch_bytes(ctx, T.near_null.value, 2 * (size_t)P.ncols * sizeof *v);
    double *w = fetch_bytes(ctx, U.near_null.value, 2 * (size_t)Q.ncols * sizeof *w);
    for (int32_t i = 0; i < Q.nrows; i++) {
        for (int64_t k = gs_start(&Q, i); k < gs_start(&Q, i + 1); k++) {
            assert_true(v[i] == w[Q.col[k]]);
        }
    }
    free(v), free(w);
    gsolve_csr *const used[] = {&A, &RA, &P, &R, &Q};
    for (int k = 0; k < 5; k++) gsolve_csr_free(used[k], ctx);
    gs_amg_classical.destroy(&U, ctx);
    close_level(&next);
    gs_amg_classical.destroy(&T, ctx);
    close_level(&l);
    close_context(ctx);
}

/* --- two grids -------------------------------------------------------------------------------- */

static void multiply(const gsolve_csr *A, const double *x, double *y)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        y[i] = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            y[i] += gs_value(A, k) * x[A->col[k]];
        }
    }
}

/* e -= A e over the sums of the rows' magnitudes. */
static void smooth(const gsolve_csr *A, double *e, double *r)
{
    multiply(A, e, r);
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) sum += fabs(gs_value(A, k));
        e[i] -= 1.4 * r[i] / sum;
    }
}

/* A's columns as CXSparse has them: those of the transpose, and A is symmetric. */
static cs_di *as_cs(const gsolve_csr *A)
{
    cs_di *C = cs_di_spalloc(A->nrows, A->nrows, (int)gs_start(A, A->nrows), 1, 0);

    for (int32_t i = 0; i <= A->nrows; i++) C->p[i] = (int)gs_start(A, i);
    for (int64_t k = 0; k < gs_start(A, A->nrows); k++) {
        C->i[k] = A->col[k];
        C->x[k] = gs_value(A, k);
    }
    return C;
}

/* By how much the last of 25 cycles of one sweep before and one after lessens a random error. */
static double two_grid_factor(level *l, const gs_amg_options *options)
{
    gsolve_context *ctx = l->ctx;
    const int32_t n = l->host.nrows;
    gsolve_csr P = prolongation(l, options), R, RA, C;
    double *e = random_vector(n, 5), *r = malloc((size_t)n * sizeof *r), factor = 0;
    double *c = malloc((size_t)P.ncols * sizeof *c);

    OK(ctx, gsolve_csr_transpose(&R, ctx, &P));
    OK(ctx, gsolve_csr_multiply(&RA, ctx, "auto", &R, &l->host));
    OK(ctx, gsolve_csr_multiply(&C, ctx, "auto", &RA, &P));
    cs_di *K = as_cs(&C);
    for (int cycle = 0; cycle < 25; cycle++) {
        double before = 0, after = 0;
        for (int32_t i = 0; i < n; i++) before += e[i] * e[i];
        smooth(&l->host, e, r);
        multiply(&RA, e, c);
        assert_true(cs_di_cholsol(1, K, c));
        multiply(&P, c, r);
        for (int32_t i = 0; i < n; i++) e[i] -= r[i];
        smooth(&l->host, e, r);
        for (int32_t i = 0; i < n; i++) after += e[i] * e[i];
        factor = sqrt(after / before);
        for (int32_t i = 0; i < n; i++) e[i] /= sqrt(after);
    }
    cs_di_spfree(K);
    free(e), free(r), free(c);
    gsolve_csr *const used[] = {&P, &R, &RA, &C};
    for (int k = 0; k < 4; k++) gsolve_csr_free(used[k], ctx);
    return factor;
}

static void two_grids(void **state)
{
    static const struct problem {
        const char *matrix;
        double once, twice, one_point; /* factors */
    } problems[] = {
        {"gen:poisson2d,n=30", 0.45, 0.8, 0.72},    {"gen:poisson3d,n=10", 0.42, 0.72, 0.65},
        {"gen:anisotropic3d,n=10", 0.4, 0.8, 0.65}, {"gen:jump3d,n=10,cells=3", 0.5, 0.8, 0.7},
        {"gen:poisson3d27,n=9", 0.42, 0.72, 0.62},
    };
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t m = 0; m < sizeof problems / sizeof *problems; m++) {
        level l = read_level(ctx, problems[m].matrix);
        gs_amg_options options = usual;
        const double once = two_grid_factor(&l, &options);
        options.aggressive = 1;
        const double twice = two_grid_factor(&l, &options);
        options.aggressive = 0;
        options.interpolation = GS_ONE_POINT;
        const double one_point = two_grid_factor(&l, &options);
        if (once > problems[m].once || twice > problems[m].twice ||
            one_point > problems[m].one_point) {
            fail_msg("%s: factors %.3f, %.3f, %.3f", problems[m].matrix, once, twice, one_point);
        }
        close_level(&l);
    }
    close_context(ctx);
}

/* --- in multigrid ----------------------------------------------------------------------------- */

static int32_t iterations(gsolve_context *ctx, const gsolve_csr *csr, const char *method,
                          const gsolve_precond *M)
{
    double *b = random_vector(csr->nrows, 3), *x = calloc((size_t)csr->nrows, sizeof *x);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", csr));
    OK(ctx, gsolve_solver_create(&S, ctx, method, A, M));
    OK(ctx,
       gsolve_solver_run(S, gsolve_vector(b, csr->nrows), gsolve_vector(x, csr->nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free(b), free(x);
    return (int32_t)result.iterations;
}

static void scale(const gsolve_csr *csr, double factor)
{
    double *a = (double *)(uintptr_t)csr->value;
    for (int64_t k = 0; k < gs_start(csr, csr->nrows); k++) a[k] *= factor;
}

/* Iterations of whole hierarchies, with updated ones too. */
static void solves(void **state)
{
    static const struct problem {
        const char *matrix, *method, *precond;
        int32_t most;
    } problems[] = {
        {"gen:poisson2d,n=60", "cg", "amg,coarsening=classical,coarsest=60", 12},
        {"gen:poisson3d,n=20", "cg", "amg,coarsening=classical,coarsest=60", 12},
        {"gen:poisson3d,n=20", "cg", "amg,coarsening=classical,coarsest=60,aggressive=1", 20},
        {"gen:poisson3d,n=20", "cg", "amg,coarsening=classical,coarsest=60,aggressive=9", 25},
        {"gen:jump3d,n=20,cells=4", "cg", "amg,coarsening=classical,coarsest=60", 16},
        {"gen:anisotropic3d,n=20", "cg", "amg,coarsening=classical,coarsest=60", 20},
        {"gen:convdiff3d,n=20", "bicgstab", "amg,coarsening=classical,coarsest=60", 20},
        {"gen:elasticity3d,n=7", "cg", "amg,coarsening=classical,coarsest=60", 20},
        {"gen:poisson2d,n=60", "cg", "amg,coarsening=classical,coarsest=60,interpolation=one_point",
         40},
        {"gen:poisson3d,n=20", "cg", "amg,coarsening=classical,coarsest=60,complexity=1.5", 25},
    };
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t m = 0; m < sizeof problems / sizeof *problems; m++) {
        gsolve_csr csr = read_matrix(ctx, problems[m].matrix);
        gsolve_precond *M = NULL;
        OK(ctx, gsolve_precond_create(&M, ctx, problems[m].precond, &csr));
        const int32_t taken = iterations(ctx, &csr, problems[m].method, M);
        if (taken > problems[m].most) {
            fail_msg("%s %s: %d iterations", problems[m].matrix, problems[m].precond, taken);
        }
        scale(&csr, 4);
        OK(ctx, gsolve_precond_update(M, &csr));
        assert_in_range(iterations(ctx, &csr, problems[m].method, M), taken - 1, taken + 1);
        gsolve_precond_destroy(&M);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* --- what has no C points, and refusals ------------------------------------------------------- */

static void nothing_to_coarsen(void **state)
{
    static const char *const matrix[] = {"gen:tridiagonal,n=0", "gen:tridiagonal,n=1",
                                         "gen:tridiagonal,n=50,low=0,high=0"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < 6; m++) {
        level l = read_level(ctx, matrix[m / 2]);
        gs_amg_options options = usual;
        options.aggressive = m % 2;
        gsolve_csr P = prolongation(&l, &options);
        assert_int_equal(P.nrows, l.host.nrows);
        assert_int_equal(P.ncols, 0);
        assert_int_equal(gs_start(&P, P.nrows), 0);
        gsolve_csr_free(&P, ctx);
        close_level(&l);
    }
    close_context(ctx);
}

static void refusals(void **state)
{
    gsolve_context *ctx = open_context(1);
    level l = read_level(ctx, "gen:poisson2d,n=9");
    gs_transfer T = {0};
    (void)state;

    l.view.block = 2;
    assert_int_equal(gs_amg_classical.build(&T, ctx, fine_of(&l), &usual), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "81 unknowns are not nodes of 2"));
    l.view.block = 81;
    assert_int_equal(gs_amg_classical.build(&T, ctx, fine_of(&l), &usual), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "1 to 64"));
    assert_null(T.P.start);
    close_level(&l);
    close_context(ctx);
}

static void denied_memory(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=9");
    (void)state;

    for (int m = 0; m < 4; m++) {
        level l = open_level(ctx, pair_up(ctx, &A), 2);
        gs_amg_options options = usual;
        gs_transfer T = {0};
        options.aggressive = m & 1;
        options.interpolation = m >> 1;
        ALLOCATION_SWEEP(ctx, gs_amg_classical.build(&T, ctx, fine_of(&l), &options));
        ALLOCATION_SWEEP(ctx, gs_amg_classical.update(&T, ctx, fine_of(&l), &options));
        gs_amg_classical.destroy(&T, ctx);
        close_level(&l);
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splittings),
        cmocka_unit_test(sizes),
        cmocka_unit_test(formula),
        cmocka_unit_test(constants),
        cmocka_unit_test(truncation),
        cmocka_unit_test(bits),
        cmocka_unit_test(as_on_the_cpu),
        cmocka_unit_test(updates),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(components),
        cmocka_unit_test(two_grids),
        cmocka_unit_test(solves),
        cmocka_unit_test(nothing_to_coarsen),
        cmocka_unit_test(refusals),
        cmocka_unit_test(denied_memory),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
